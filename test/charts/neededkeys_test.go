//go:build beds

package charts_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmNeededKeys takes away the whole of what OpenStack-Helm's chart of Keystone has in files of its configuration, as
// people write it: told is what it cannot be rendered without, and nothing else.
func TestOpenStackHelmNeededKeys(t *testing.T) {
	dir := checkoutOfCharts(t)
	files, _ := descend(theirs(t, dir, "keystone").Values, []string{"conf"}).(map[string]any)
	conf := slices.Sorted(maps.Keys(files))
	source := composed.Source("ovs", "", "  profile = profile.written") + "profile \"written\" {\n  service \"keystone\" {\n    conf = {\n"
	for _, file := range conf {
		source += "      " + file + " = null\n"
	}
	m, ev := composed.Text(t, source+"    }\n  }\n}\n")
	u := composed.Compose(t, m, ev, compose.Facts{})["service.keystone"]
	r, ok := u.Spec.(*unit.Release)
	if !ok {
		t.Fatal(u)
	}
	spec := *r
	spec.Chart, spec.Series = unit.Chart{Name: "keystone", Tree: os.DirFS(dir), Repository: "."}, nil
	diags, _, err := helm.Check(t.Context(), helm.Options{CacheDir: t.TempDir()}, []unit.Unit{{Address: addr.MustParseObject("service.keystone"), Spec: &spec}})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, d := range diags {
		if d.Code != diag.Code("chart.needed-key") || d.Subject.Start.Line == 0 {
			t.Errorf("told is %+v", d)
		}
		told = append(told, d.Summary)
	}
	want := []string{"conf.keystone cannot be null", "conf.logging cannot be null", "conf.rally_tests cannot be null", "conf.software cannot be null"}
	if len(conf) < 10 || !slices.Equal(told, want) {
		t.Errorf("with null for %q is told %q, want %q", conf, told, want)
	}
}
