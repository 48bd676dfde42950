//go:build beds

package charts_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/repo"

	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const version = "2026.1.0"

func TestNames(t *testing.T) {
	want := []string{
		"barbican", "ceph-adapter-rook", "cinder", "designate", "glance", "heat", "horizon", "ironic", "keystone", "libvirt", "magnum", "manila", "mariadb", "mariadb-backup", "memcached",
		"neutron", "nova", "octavia", "openvswitch", "ovn", "placement", "prometheus-blackbox-exporter", "prometheus-kube-state-metrics", "prometheus-mysql-exporter", "prometheus-node-exporter",
		"prometheus-openstack-exporter", "prometheus-process-exporter", "rabbitmq", "skyline",
	}
	if got := charts.Names(); !slices.Equal(got, want) {
		t.Errorf("charts are %v, want %v", got, want)
	}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join(charts.Dir(), name, "Chart.yaml")); err != nil {
			t.Error(err)
		}
	}
	if _, err := charts.Load("helm-toolkit"); err == nil {
		t.Error("the library must not be loaded as a chart")
	}
}

// TestDefaults renders every chart with its own values and decodes each object strictly.
func TestDefaults(t *testing.T) {
	hooks, err := os.ReadFile(filepath.Join("testdata", "hooks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range charts.Names() {
		t.Run(name, func(t *testing.T) {
			c := load(t, name)
			if c.Metadata.Version != version {
				t.Errorf("version is %s, want %s", c.Metadata.Version, version)
			}
			objects := render(t, c, "")
			checkObjects(t, objects)
			checkSelectors(t, objects)
			checkHooks(t, name, objects, string(hooks))
		})
	}
}

func checkObjects(t *testing.T, objects []object) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range objects {
		if seen[o.String()] {
			t.Errorf("%s is there twice", o)
		}
		seen[o.String()] = true
		pod, _ := o.pods()
		if pod == nil {
			continue
		}
		checkPod(t, o, pod)
		if pod.Spec.ServiceAccountName == "" && o.meta.GetName() == withoutToolkit {
			continue
		}
		if !seen["ServiceAccount/"+pod.Spec.ServiceAccountName] {
			t.Errorf("%s uses the ServiceAccount %q, which no object before it makes", o, pod.Spec.ServiceAccountName)
		}
	}
}

// withoutToolkit names the only pods that have nothing of OpenStack-Helm's library: neither a ServiceAccount of their
// own nor an init container that waits. withoutCommand names those whose image knows what to run.
const (
	withoutToolkit = "prometheus-blackbox-exporter"
	withoutCommand = "kube-state-metrics"
)

func checkPod(t *testing.T, o object, pod *corev1.PodTemplateSpec) {
	t.Helper()
	for _, label := range []string{"application", "component", "release_group"} {
		if pod.Labels[label] == "" {
			t.Errorf("%s: its pods have no label %s", o, label)
		}
	}
	if len(pod.Spec.NodeSelector) != 1 {
		t.Errorf("%s: node selector %v", o, pod.Spec.NodeSelector)
	}
	if waits := len(pod.Spec.InitContainers) > 0; waits == (o.meta.GetName() == withoutToolkit) || waits && !slices.Equal(pod.Spec.InitContainers[0].Command, []string{"kubernetes-entrypoint"}) {
		t.Errorf("%s: its first init container is not kubernetes-entrypoint", o)
	}
	for _, c := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
		if c.Image == "" || (len(c.Command) == 0) != (c.Name == withoutCommand) {
			t.Errorf("%s: container %s has image %q and command %q", o, c.Name, c.Image, c.Command)
		}
	}
}

// checkSelectors checks that what selects pods by labels finds them.
func checkSelectors(t *testing.T, objects []object) {
	t.Helper()
	for _, o := range objects {
		if pod, selector := o.pods(); selector != nil && !matches(t, selector, pod) {
			t.Errorf("%s does not select its own pods", o)
		}
		var selector *metav1.LabelSelector
		switch typed := o.typed.(type) {
		case *corev1.Service:
			selector = &metav1.LabelSelector{MatchLabels: typed.Spec.Selector}
		case *policyv1.PodDisruptionBudget:
			selector = typed.Spec.Selector
		default:
			continue
		}
		if name := o.meta.GetName(); strings.HasPrefix(name, "kube-") && strings.HasSuffix(name, "-discovery") {
			continue // of pods of Kubernetes itself
		}
		if !slices.ContainsFunc(objects, func(workload object) bool {
			pod, controller := workload.pods()
			return controller != nil && matches(t, selector, pod)
		}) {
			t.Errorf("%s selects no pods", o)
		}
	}
}

func matches(t *testing.T, selector *metav1.LabelSelector, pod *corev1.PodTemplateSpec) bool {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return !parsed.Empty() && parsed.Matches(labels.Set(pod.Labels))
}

// checkHooks compares all hooks, and the jobs that are none, with OpenStack-Helm's.
func checkHooks(t *testing.T, name string, objects []object, all string) {
	t.Helper()
	var want, lines []string
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, name+" ") {
			want = append(want, strings.TrimSuffix(line, "\n"))
		}
	}
	for _, o := range objects {
		annotations := o.meta.GetAnnotations()
		hook, isHook := annotations["helm.sh/hook"]
		if isHook || o.kind == "Job" || o.kind == "CronJob" {
			lines = append(lines, fmt.Sprintf("%s %s hook=%q weight=%q delete=%q", name, o, hook,
				annotations["helm.sh/hook-weight"], annotations["helm.sh/hook-delete-policy"]))
		}
	}
	slices.Sort(lines)
	if !slices.Equal(lines, want) {
		t.Errorf("hooks are\n%s\nbut OpenStack-Helm's, in testdata/hooks.txt, are\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// pinned are the values that keep renders of all charts equal.
const pinned = `{endpoints: {oslo_cache: {auth: {memcache_secret_key: secret}}}}`

func TestCacheKey(t *testing.T) {
	slow.Test(t)
	random := []string{"barbican", "cinder", "designate", "glance", "heat", "ironic", "magnum", "manila", "neutron", "nova", "octavia", "placement"}
	for _, name := range charts.Names() {
		t.Run(name, func(t *testing.T) {
			first, second := text(t, load(t, name), pinned), text(t, load(t, name), pinned)
			if first != second {
				t.Error("two renders differ with memcache_secret_key pinned")
			}
			first, second = text(t, load(t, name), ""), text(t, load(t, name), "")
			if want := slices.Contains(random, name); (first != second) != want {
				t.Errorf("two renders without the key differ: %v, want %v", first != second, want)
			}
		})
	}
}

// TestManifests switches everything off, which must leave what has no switch, and in one chart
// one object after the other.
func TestManifests(t *testing.T) {
	always := map[string]string{
		"heat":         "[ServiceAccount/heat-trusts Job/heat-trusts]",
		withoutToolkit: "[Deployment/prometheus-blackbox-exporter Service/prometheus-blackbox-exporter Secret/prometheus-blackbox-exporter-etc]",
	}
	for _, name := range charts.Names() {
		c := load(t, name)
		off := map[string]any{}
		for path := range switchesOf(c.Values) {
			set(off, false, strings.Split(path, ".")...)
		}
		values, err := json.Marshal(map[string]any{"manifests": off})
		if err != nil {
			t.Fatal(err)
		}
		if left, want := fmt.Sprint(render(t, c, string(values))), cmp.Or(always[name], "[]"); left != want {
			t.Errorf("%s with all manifests off has %s, want %s", name, left, want)
		}
	}
	all := text(t, load(t, "placement"), pinned)
	for key := range load(t, "placement").Values["manifests"].(map[string]any) {
		if text(t, load(t, "placement"), fmt.Sprintf("{manifests: {%s: false}, %s", key, pinned[1:])) == all {
			t.Errorf("manifests.%s: false changes nothing", key)
		}
	}
}

func TestPackage(t *testing.T) {
	slow.Test(t)
	dir := t.TempDir()
	if err := charts.Package(dir); err != nil {
		t.Fatal(err)
	}
	index, err := repo.LoadIndexFile(filepath.Join(dir, "index.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range charts.Names() {
		entry, err := index.Get(name, version)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		packaged, err := loader.Load(filepath.Join(dir, entry.URLs[0]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text(t, packaged, pinned) != text(t, load(t, name), pinned) {
			t.Errorf("%s renders differently once packaged", name)
		}
	}
}
