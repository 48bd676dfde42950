//go:build beds

package charts_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmIdleKeys leaves a letter out of each key of OpenStack-Helm's charts in the maps that they hand on or look into
// for computed names, as those with the names of components. Told is every such mistake but for those
//   - about a registry on the nodes, which the charts cannot have with all else that is on, and which are not counted here;
//   - in maps of which nothing is to be seen whatever is on, as no switch but a word or a list brings what they are for, or it cannot be
//     rendered with the rest, such as Nova's other consoles, OVN's agent for BGP, for which alone the chart looks at how pods are
//     replaced, and libvirt's affinity, which no template of it has: 44;
//   - with a name that the chart has as a text for something else: "noa", a label that is misspelt in Nova's chart: 6.
func TestOpenStackHelmIdleKeys(t *testing.T) {
	dir := checkoutOfCharts(t)
	specs := composedFor(t, dir)
	places := [][]string{
		{"dependencies"},
		{"labels"},
		{"manifests"},
		{"network_policy"},
		{"pod", "affinity"},
		{"pod", "lifecycle"},
		{"pod", "mounts"},
		{"pod", "probes"},
		{"pod", "replicas"},
		{"secrets"},
	}
	count, passed := 0, 0
	for _, name := range []string{"horizon", "keystone", "libvirt", "mariadb", "nova", "ovn", "rabbitmq"} { // one of each kind, as it takes time
		c := theirs(t, dir, name)
		for _, place := range places {
			inside, _ := descend(c.Values, place).(map[string]any)
			mistyped := map[string]any{}
			wrong := mistype(inside, mistyped, nil)
			for i := range wrong {
				wrong[i] = slices.Concat(place, wrong[i])
			}
			if len(wrong) == 0 {
				continue
			}
			for _, step := range slices.Backward(place) {
				mistyped = map[string]any{step: mistyped}
			}
			told := toldOf(t, specs[name], mistyped, wrong)
			for _, path := range wrong {
				if slices.Contains(path, "local_image_registry") || slices.Contains(path, "image_repo_sync") {
					continue
				}
				count++
				if !slices.ContainsFunc(told, func(at []string) bool { return len(path) >= len(at) && slices.Equal(path[:len(at)], at) }) {
					passed++
					t.Logf("chart %s: nobody tells of %s", name, strings.Join(path, "."))
				}
			}
		}
	}
	const most = 50 // as listed above
	if t.Logf("of %d mistakes %d are not told", count, passed); count < 1079 || passed > most {
		t.Errorf("of %d mistakes %d are not told, want at most %d of 1079", count, passed, most)
	}
}

// TestOpenStackHelmOverridesAreNotIdle holds the overrides of OpenStack-Helm itself, and all that its charts have in their
// values, against what the charts are rendered to.
func TestOpenStackHelmOverridesAreNotIdle(t *testing.T) {
	dir := checkoutOfCharts(t)
	specs := composedFor(t, dir)
	dead := map[string][]string{ // beside those: of exporters and certificates that the charts had once, and at a wrong place
		"cinder": {"bootstrap.high-iops"}, "keystone": {"manifests.certificates"}, "placement": {"manifests.certificates"},
		"rabbitmq": {
			"images.tags.prometheus_rabbitmq_exporter_helm_tests", "manifests.monitoring.prometheus.deployment_exporter", "manifests.monitoring.prometheus.network_policy_exporter",
			"manifests.monitoring.prometheus.service_exporter", "pod.security_context.exporter",
		},
	}
	for _, name := range []string{"horizon", "keystone", "mariadb", "ovn", "rabbitmq", "placement", "cinder"} {
		files, err := filepath.Glob(filepath.Join(dir, "values_overrides", name, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, file := range append(files, filepath.Join(dir, name, "values.yaml")) {
			values := overridesIn(t, file)
			for _, path := range toldOf(t, specs[name], values, pathsIn(values, nil)) {
				told[strings.Join(path, ".")] = true
			}
		}
		want := slices.Sorted(slices.Values(slices.Concat(deadOverrides()[name], dead[name])))
		if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, want) {
			t.Errorf("of OpenStack-Helm's overrides for %s are said to be unknown %q, want %q", name, got, want)
		}
	}
}

// TestExamplesHaveNoIdleKeys holds what the examples write against what our charts, and those of OpenStack-Helm, are rendered to.
func TestExamplesHaveNoIdleKeys(t *testing.T) {
	dirs := []string{charts.Dir()}
	if dir := os.Getenv(charts.CheckoutVariable); dir != "" {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		for _, units := range append(exampleUnits(t), composed.Demo(t), composed.Everything(t, "ovn", "ceph", ""), composed.Everything(t, "ovs", "", "")) {
			for _, r := range releases(units) {
				if !slices.Contains(charts.Names(), r.Name) {
					continue
				}
				spec := *r
				spec.Chart, spec.Series = unit.Chart{Name: r.Chart.Name, Tree: os.DirFS(dir), Repository: "."}, nil
				address := addr.MustParseObject("service." + r.Name)
				if diags, _, err := helm.Check(t.Context(), helm.Options{CacheDir: t.TempDir()}, []unit.Unit{{Address: address, Spec: &spec}}); err != nil || len(diags) > 0 {
					t.Error(diags, err)
				}
			}
		}
	}
}

// composedFor are the releases of a cloud with everything, with OpenStack-Helm's charts.
func composedFor(t *testing.T, dir string) map[string]unit.Release {
	t.Helper()
	found := map[string]unit.Release{}
	for _, name := range charts.Names() { // those of which the cloud has none
		found[name] = unit.Release{Name: name, Namespace: "openstack", Chart: unit.Chart{Name: name}}
	}
	for _, r := range releases(composed.Everything(t, "ovn", "ceph", "")) {
		found[r.Name] = *r
	}
	for name, r := range found {
		r.Chart = unit.Chart{Name: r.Chart.Name, Tree: os.DirFS(dir), Repository: "."}
		r.Series, r.Written = nil, nil
		found[name] = r
	}
	return found
}

// toldOf are the keys that are told of what somebody wrote for a release.
func toldOf(t *testing.T, spec unit.Release, written map[string]any, paths [][]string) [][]string {
	t.Helper()
	spec.Values = chartutil.CoalesceTables(written, spec.Values)
	for _, path := range paths {
		spec.Written = append(spec.Written, unit.WrittenKey{Path: path, Text: strings.Join(path, "\x00")})
	}
	address := addr.MustParseObject("service." + spec.Name)
	diags, unread, err := helm.Check(t.Context(), helm.Options{CacheDir: t.TempDir()}, []unit.Unit{{Address: address, Spec: &spec}})
	if err != nil || len(unread) > 0 {
		t.Fatalf("nobody looked into %q: %v", unread, err)
	}
	var told [][]string
	for _, d := range diags {
		if d.Code != diag.Code("chart.unknown-key") {
			t.Fatal(d)
		}
		told = append(told, strings.Split(strings.TrimPrefix(d.Summary, "unknown key "), "\x00"))
	}
	return told
}

func descend(values any, path []string) any {
	for _, step := range path {
		m, _ := values.(map[string]any)
		values = m[step]
	}
	return values
}

// mistype puts all keys of a map into another one with a letter less, beside maps with their right names, and returns where the
// wrong ones are.
func mistype(from, to map[string]any, above []string) [][]string {
	var wrong [][]string
	for _, key := range slices.Sorted(maps.Keys(from)) {
		inner, _ := from[key].(map[string]any)
		if len(inner) > 0 {
			below := map[string]any{}
			wrong = append(wrong, mistype(inner, below, append(slices.Clone(above), key))...)
			to[key] = below
		}
		if len(key) < 4 {
			continue
		}
		name := key[:len(key)-2] + key[len(key)-1:]
		if _, is := from[name]; is || name == key {
			continue
		}
		to[name] = from[key]
		if from[key] == nil {
			to[name] = "x"
		}
		wrong = append(wrong, append(slices.Clone(above), name))
	}
	return wrong
}
