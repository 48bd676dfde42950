package helm

import (
	"reflect"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNullLeavesAway renders what one layer of settings took away of another one: of a policy that is null, oslo.policy
// makes one that everybody meets, and of a line without a value libvirt makes nothing.
func TestNullLeavesAway(t *testing.T) {
	s := &source{files: []*loader.BufferedFile{
		{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: glance\nversion: 1.0.0\n")},
		{Name: "values.yaml", Data: []byte("conf:\n  policy:\n    get_image: '@'\n  empty: null\n")},
		{Name: "templates/a.yaml", Data: []byte("kind: ConfigMap\nvalues: {{ .Values | toJson }}\n")},
	}}
	null := map[string]any{"conf": map[string]any{"policy": map[string]any{"add_image": nil}}}
	values := map[string]any{
		"top": nil,
		"conf": map[string]any{
			"policy":    map[string]any{"add_image": nil, "get_image": nil, "set_image": "role:a"},
			"libvirt":   map[string]any{"max_clients": nil},
			"list":      []any{nil},
			"overrides": null,
		},
		"overrides": null,
	}
	rendered := func(leavesAway bool) string {
		t.Helper()
		w := &wanted{spec: &unit.Release{Namespace: "o", Name: "glance", NullLeavesAway: leavesAway}, source: s, values: values}
		loaded, err := w.chart()
		if err != nil {
			t.Fatal(err)
		}
		_, manifests, err := documentsOf(loaded, w, 1, false, chartutil.DefaultCapabilities)
		if err != nil {
			t.Fatal(err)
		}
		return manifests[0].Content
	}
	const groups = `"overrides":{"conf":{"policy":{"add_image":null}}}`
	before, _ := copied(values).(map[string]any)
	const want = `kind: ConfigMap
values: {"conf":{"empty":null,"libvirt":{},"list":[null],` + groups + `,"policy":{"set_image":"role:a"}},` + groups + `}`
	if got := rendered(true); got != want {
		t.Errorf("rendered\n%s\nwant\n%s", got, want)
	}
	const helms = `kind: ConfigMap
values: {"conf":{"empty":null,"libvirt":{"max_clients":null},"list":[null],` + groups + `,"policy":{"add_image":null,"set_image":"role:a"}},` + groups + `,"top":null}`
	if got := rendered(false); got != helms {
		t.Errorf("a chart of somebody else's is rendered otherwise than by Helm:\n%s\nwant\n%s", got, helms)
	}
	if !reflect.DeepEqual(values, before) {
		t.Errorf("the values were changed: %v", values)
	}
}
