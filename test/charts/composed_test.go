//go:build beds

package charts_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What compose makes of a cloud meets the charts here, and not beside compose, because this test
// binary has Helm anyway.

// releases are those among the units, sorted by name.
func releases(units map[string]unit.Unit) []*unit.Release {
	byName := map[string]*unit.Release{}
	for _, u := range units {
		if r, ok := u.Spec.(*unit.Release); ok {
			byName[r.Name] = r
		}
	}
	var sorted []*unit.Release
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		sorted = append(sorted, byName[name])
	}
	return sorted
}

// stays tells of a default "password" that is no password of ours: the type of an authentication,
// or the registry of images, which is switched off.
func stays(path string) bool {
	return strings.HasSuffix(path, "auth_type") || strings.HasPrefix(path, "endpoints.oci_image_registry.")
}

func at(values map[string]any, path string) any {
	var v any = values
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// TestNoDefaultPasswordSurvives looks for defaults in the test charts, and for places of passwords
// in OpenStack-Helm's charts, that no credential covers.
func TestNoDefaultPasswordSurvives(t *testing.T) {
	listed := readFacts(t, paths)
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		for _, r := range releases(units) {
			covered := map[string]bool{}
			for _, s := range r.Secrets {
				covered[strings.Join(s.Path, ".")] = true
			}
			chart := load(t, r.Name)
			for _, path := range leaves(chart.Values, "") {
				if at(chart.Values, path) == "password" && !covered[path] && !stays(path) {
					t.Errorf("the default password at %s of %s stays", path, r.Name)
				}
			}
			for path := range listed[r.Name].Paths {
				last := path[strings.LastIndexByte(path, '.')+1:]
				place := strings.Contains(path, ".auth.") && slices.Contains([]string{"password", "memcache_secret_key", "erlang_cookie", "tmpurlkey"}, last)
				if place && !covered[path] && !stays(path) {
					t.Errorf("OpenStack-Helm's %s has a credential at %s that nobody sets", r.Name, path)
				}
			}
		}
	})
}

// TestComposedValues renders every test chart with the composed values: what runs under instances is
// never replaced by Kubernetes itself, and all charts agree with the broker.
func TestComposedValues(t *testing.T) {
	k := kitchen{}
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		daemons, brokers := 0, 0
		for _, r := range releases(units) {
			for _, content := range k.render(t, r) {
				if strings.Contains(content, ":password@") {
					t.Errorf("an object of %s logs in with a default password", r.Name)
				}
				if strings.Contains(content, "\nkind: DaemonSet\n") {
					daemons++
					if strings.Contains(content, "RollingUpdate") && r.Name != "ovn" && r.Name != "octavia" && !strings.HasSuffix(r.Name, "-exporter") { // our ovn chart has no setting; nothing runs on the others'
						t.Errorf("a DaemonSet of %s rolls by itself:\n%s", r.Name, content)
					}
				}
				if strings.Contains(content, "rabbitmq-rabbitmq-2") {
					brokers++
				}
			}
		}
		if daemons < 4 || brokers == 0 {
			t.Errorf("%d DaemonSets, %d objects with the third broker", daemons, brokers)
		}
	})
}

// TestDemoOverrides renders the profiles of the demo's nodes.
func TestDemoOverrides(t *testing.T) {
	ratios := map[string]int{}
	for _, content := range rendered(t, composed.Release(t, composed.Demo(t), "nova")) {
		for _, ratio := range []string{"cpu_allocation_ratio = 4", "cpu_allocation_ratio = 1"} {
			if strings.Contains(content, "nova-compute.conf") && strings.Contains(content, ratio+"\n") {
				ratios[ratio]++
			}
		}
	}
	if len(ratios) != 2 {
		t.Errorf("configurations of nova-compute: %v", ratios)
	}
}

// withSecrets are the values as Helm gets them, with secrets that tell their key.
func withSecrets(r *unit.Release) map[string]any {
	values := clone(r.Values)
	for _, s := range r.Secrets {
		below := values
		for _, key := range s.Path[:len(s.Path)-1] {
			inner, ok := below[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				below[key] = inner
			}
			below = inner
		}
		below[s.Path[len(s.Path)-1]] = "secret-" + s.Key
	}
	return values
}

// clone copies the maps of a tree; nobody writes to its lists.
func clone(values map[string]any) map[string]any {
	copied := maps.Clone(values)
	for key, v := range copied {
		if below, ok := v.(map[string]any); ok {
			copied[key] = clone(below)
		}
	}
	return copied
}

// kitchen renders releases, and each only once with the same values.
type kitchen map[string][]string

func (k kitchen) render(t *testing.T, r *unit.Release) []string {
	t.Helper()
	return k.renderBy(t, func(name string) *chart.Chart { return load(t, name) }, r)
}

// renderBy does so with charts of our choice.
func (k kitchen) renderBy(t *testing.T, from func(name string) *chart.Chart, r *unit.Release) []string {
	t.Helper()
	values, err := json.Marshal(withSecrets(r))
	if err != nil {
		t.Fatal(err)
	}
	key := r.Name + " " + string(values)
	if _, ok := k[key]; !ok {
		k[key] = renderedBy(t, from(r.Name), r)
	}
	return k[key]
}

// rendered returns the objects of a release, Secrets in the open as well.
func rendered(t *testing.T, r *unit.Release) []string {
	t.Helper()
	return renderedBy(t, load(t, r.Name), r)
}

// renderedBy does so with a chart of our choice.
func renderedBy(t *testing.T, chart *chart.Chart, r *unit.Release) []string {
	t.Helper()
	objects := documents(t, chart, r)
	for i, document := range objects {
		objects[i] += decoded(t, document)
	}
	return objects
}

// documents are the objects of a release as Helm renders them, with a chart as the driver gives it to Helm.
func documents(t *testing.T, chart *chart.Chart, r *unit.Release) []string {
	t.Helper()
	helm.KeepNames(chart, r.Drawn)
	merged, err := chartutil.ToRenderValues(chart, withSecrets(r), chartutil.ReleaseOptions{Name: r.Name, Namespace: r.Namespace}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(chart, merged)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	var objects []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		objects = append(objects, strings.Split(files[name], "\n---")...)
	}
	return objects
}

// decoded is what a Secret holds, in the open, each beside its key.
func decoded(t *testing.T, document string) string {
	t.Helper()
	var all strings.Builder
	data := secretData(t, document)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		all.WriteString("\n" + key + ": " + string(data[key]))
	}
	return all.String()
}

// secretData is what a Secret holds; nil of any other object.
func secretData(t *testing.T, document string) map[string][]byte {
	t.Helper()
	var secret struct {
		Data map[string][]byte `json:"data"`
	}
	if !strings.Contains(document, "\nkind: Secret\n") {
		return nil
	}
	if err := yaml.Unmarshal([]byte(document), &secret); err != nil {
		t.Fatal(err)
	}
	return secret.Data
}
