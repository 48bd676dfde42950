//go:build beds

package charts_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestWrittenKeys holds what the examples write against our charts: the driver would refuse nothing of it.
func TestWrittenKeys(t *testing.T) {
	written := 0
	for _, units := range exampleUnits(t) {
		for _, r := range releases(units) {
			if !slices.Contains(charts.Names(), r.Name) {
				continue
			}
			written += len(r.Written)
			for _, path := range unknown(helm.KeysOf(load(t, r.Name)), pathsWritten(r), r.Values) {
				t.Errorf("our chart of %s is said not to know %s", r.Name, path)
			}
		}
	}
	if written == 0 {
		t.Error("the examples write nothing")
	}
}

// TestOpenStackHelmKeys holds against the charts of OpenStack-Helm what the examples write, all that compose
// writes, as people may write the same, and what OpenStack-Helm's own overrides write.
func TestOpenStackHelmKeys(t *testing.T) {
	dir := checkoutOfCharts(t)
	known := map[string]*chartkeys.Keys{}
	for _, name := range charts.Names() {
		known[name] = helm.KeysOf(theirs(t, dir, name))
	}
	check := func(t *testing.T, units map[string]unit.Unit) {
		t.Helper()
		for _, r := range releases(units) {
			if known[r.Name] == nil {
				continue
			}
			values := withSecrets(r)
			for _, path := range unknown(known[r.Name], append(pathsIn(values, nil), pathsWritten(r)...), values) {
				t.Errorf("OpenStack-Helm's chart %s is said not to know %s", r.Name, path)
			}
		}
	}
	composed.Variants(t, check)
	for _, units := range exampleUnits(t) {
		check(t, units)
	}
	dead := deadOverrides()
	for name, keys := range known {
		files, err := filepath.Glob(filepath.Join(dir, "values_overrides", name, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, file := range files {
			values := overridesIn(t, file)
			for _, path := range unknown(keys, pathsIn(values, nil), values) {
				told[path] = true
			}
		}
		if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, dead[name]) {
			t.Errorf("of OpenStack-Helm's overrides for %s are said to be unknown %q, want %q", name, got, dead[name])
		}
	}
}

// deadOverrides are what OpenStack-Helm's own overrides write and none of its charts reads: leftovers of charts that once had
// Apache or nginx in front of an API, a key that is called oci_image_registry, and a probe that the chart reads below ovs.
func deadOverrides() map[string][]string {
	return map[string][]string{
		"cinder":      {"endpoints.image_registry"},
		"heat":        {"conf.mpm_event", "conf.software", "conf.wsgi_cfn", "conf.wsgi_heat"},
		"neutron":     {"conf.nginx"},
		"openvswitch": {"pod.probes.ovs_vswitch.ovs_vswitch.liveness.exec"},
		"nova":        {"conf.mpm_event", "conf.software", "conf.wsgi_nova_api", "conf.wsgi_nova_metadata"},
		"placement":   {"conf.software", "conf.wsgi_placement"},
	}
}

// TestOpenStackHelmMistypedKeys leaves a letter out of each key of OpenStack-Helm's charts, where every such mistake is
// told: all but the switches of jobs, which others may have that no value of the chart names.
func TestOpenStackHelmMistypedKeys(t *testing.T) {
	dir := checkoutOfCharts(t)
	places := []string{
		"", "bootstrap", "images", "images.tags", "labels", "manifests", "pod", "pod.lifecycle.upgrades.deployments", "pod.lifecycle.upgrades.deployments.rolling_update",
		"pod.replicas", "secrets", "volume",
	}
	for _, name := range charts.Names() {
		c := theirs(t, dir, name)
		var mistyped [][]string
		for _, path := range pathsIn(c.Values, nil) {
			around, key := strings.Join(path[:len(path)-1], "."), path[len(path)-1]
			if len(key) < 4 || !slices.Contains(places, around) || around == "manifests" && strings.HasPrefix(key, "job_") {
				continue
			}
			if wrong := key[:len(key)-2] + key[len(key)-1:]; wrong != key {
				mistyped = append(mistyped, append(slices.Clone(path[:len(path)-1]), wrong))
			}
		}
		told := unknown(helm.KeysOf(c), mistyped, nil)
		for _, path := range mistyped {
			if text := strings.Join(path, "."); !slices.Contains(told, text) {
				t.Errorf("chart %s: nobody tells of %s", name, text)
			}
		}
	}
}

// TestOpenStackHelmTopKeys: what a chart has at the top of its values is read there, and words that are usual in other charts
// are told, whatever else templates have them for, and whatever templates of the library read that the chart does not use.
func TestOpenStackHelmTopKeys(t *testing.T) {
	dir := checkoutOfCharts(t)
	dead := map[string][]string{ // looked for in their templates, and in none
		"cinder": {"storage"}, "mariadb-backup": {"network_policy"}, "ovn": {"network_policy"},
		"prometheus-blackbox-exporter": {"dependencies", "service"}, "prometheus-openstack-exporter": {"network"},
	}
	usual := strings.Fields(`annotations affinity config debug endpoint enabled env extraEnv host hosts image imagePullSecrets ingress jobs label labels
		lifecycle name namespace nodeSelector overrides podAnnotations pods ports probes region replicaCount replicas resources security_context service
		serviceAccount serviceMonitor storage tls tolerations users volumes`)
	// What templates that the chart does use read, though its values do not have it.
	reads := map[string][]string{"annotations": charts.Names(), "jobs": {"barbican", "glance", "ironic", "magnum", "octavia", "placement", "skyline"}, "overrides": {"libvirt", "ovn"}}
	reads["annotations"] = slices.DeleteFunc(reads["annotations"], func(name string) bool { // which have no Secret or Job of the library's, nor name it
		return name == "ceph-adapter-rook" || name == "prometheus-mysql-exporter"
	})
	for _, name := range charts.Names() {
		c := theirs(t, dir, name)
		var asked, strange []string
		for _, word := range usual {
			if _, has := c.Values[word]; has {
				continue
			}
			asked = append(asked, word)
			if !slices.Contains(reads[word], name) {
				strange = append(strange, word)
			}
		}
		if told := unknown(helm.KeysOf(c), singly(asked), nil); !slices.Equal(told, strange) {
			t.Errorf("chart %s: of %q are told %q, want %q", name, asked, told, strange)
		}
		own := slices.Sorted(maps.Keys(c.Values))
		c.Values = map[string]any{"elsewhere": c.Values}
		if told := unknown(helm.KeysOf(c), singly(own), nil); !slices.Equal(told, dead[name]) {
			t.Errorf("chart %s is said not to read %q at the top, want %q", name, told, dead[name])
		}
	}
}

// TestOpenStackHelmGroups: what the library would leave away of groups of nodes is told, and what a chart does not have of a job.
func TestOpenStackHelmGroups(t *testing.T) {
	dir := checkoutOfCharts(t)
	for path, name := range map[string]string{
		"conf.overrides.nova_compte": "nova", "conf.overrides.nova_compute.hostz": "nova", "conf.overrides.neutron_ovs_agent": "neutron",
		"overrides.libvirt_libvrt": "libvirt", "overrides.libvirt_libvirt.label": "libvirt", "jobs.db_purge.crn": "cinder",
	} {
		if told := unknown(helm.KeysOf(theirs(t, dir, name)), [][]string{strings.Split(path, ".")}, nil); !slices.Equal(told, []string{path}) {
			t.Errorf("of %s is told %q", path, told)
		}
	}
}

func singly(keys []string) [][]string {
	var paths [][]string
	for _, key := range keys {
		paths = append(paths, []string{key})
	}
	return paths
}

// checkoutOfCharts is the directory with OpenStack-Helm's charts; without one the test is skipped.
func checkoutOfCharts(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(charts.CheckoutVariable)
	if dir == "" {
		t.Skipf("set %s to a checkout of OpenStack-Helm to look at its charts", charts.CheckoutVariable)
	}
	return dir
}

func theirs(t *testing.T, dir, name string) *chart.Chart {
	t.Helper()
	c := read(t, filepath.Join(dir, name))
	c.SetDependencies(read(t, filepath.Join(dir, "helm-toolkit")))
	return c
}

// unknown are the paths that a chart does not know, with dots.
func unknown(keys *chartkeys.Keys, paths [][]string, values map[string]any) []string {
	var found []string
	for _, u := range keys.Unknown(paths, values) {
		found = append(found, strings.Join(paths[u.Index], ".")+u.Within)
	}
	return found
}

func pathsWritten(r *unit.Release) [][]string {
	var paths [][]string
	for _, key := range r.Written {
		paths = append(paths, key.Path)
	}
	return paths
}

func pathsIn(values map[string]any, at []string) [][]string {
	var found [][]string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := append(slices.Clone(at), key)
		inner, _ := values[key].(map[string]any)
		found = append(append(found, path), pathsIn(inner, path)...)
	}
	return found
}

// overridesIn reads a file of values; nil for the few that are templates of such files.
func overridesIn(t *testing.T, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(data, &values); err != nil {
		t.Logf("%s is left out: %v", file, err)
		return nil
	}
	return values
}

// exampleUnits are the units of every example.
func exampleUnits(t *testing.T) []map[string]unit.Unit {
	t.Helper()
	dirs, err := fs.ReadDir(examples.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]unit.Unit
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		m, ev := composed.Load(t, examples.FS, dir.Name())
		units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		byAddress := map[string]unit.Unit{}
		for _, u := range units {
			byAddress[u.Address.String()] = u
		}
		all = append(all, byAddress)
	}
	return all
}
