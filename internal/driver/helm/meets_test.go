package helm

import (
	"os"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestVersionOfAFolder: a chart in a folder of the configuration is taken only when it is the one that is asked for, of a
// version that is wanted, as any other chart.
func TestVersionOfAFolder(t *testing.T) {
	file, err := chartutil.Save(&chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "another", Version: "1.0.0"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"charts/app/Chart.yaml":    {Data: []byte("apiVersion: v2\nname: app\nversion: 2026.1.4+abc\n")},
		"charts/forked/Chart.yaml": {Data: []byte("apiVersion: v2\nname: app\nversion: 2026.1.4+abc\n")},
		"charts/packed-1.0.0.tgz":  {Data: packed},
		"charts/bare/Chart.yaml":   {Data: []byte("apiVersion: v2\nname: bare\n")},
		"charts/broken/Chart.yaml": {Data: []byte("apiVersion: v2\nname: broken\nversion: newest\n")},
	}
	from := newCharts(Options{CacheDir: t.TempDir()})
	for _, test := range []struct{ name, version, want string }{
		{"app", "", ""},
		{"app", "~> 2026.1", ""},
		{"app", "2026.1.4", ""},
		{"app", "~> 2025.1", `chart app in the directory charts is of version "2026.1.4+abc", and ~> 2025.1 is wanted`},
		{"app", "some", `chart app: the version "some": improper constraint: "some"`},
		{"forked", "", `chart forked: the directory charts has the chart "app" under this name: let name in its Chart.yaml be forked, or ask for the chart app and give its folder that name`},
		{"packed", "", `chart packed: the directory charts has the chart "another" under this name: let name in its Chart.yaml be packed, or ask for the chart another and give its folder that name`},
		{"bare", ">= 1", `chart bare in the directory charts is of version "", and >= 1 is wanted`},
		{"broken", ">= 1", `chart broken in the directory charts is of version "newest", and >= 1 is wanted`},
	} {
		found, err := from.find(t.Context(), unit.Chart{Name: test.name, Repository: "charts", Version: test.version, Tree: tree})
		if test.want == "" {
			if err != nil || found == nil {
				t.Errorf("%s %s: %v", test.name, test.version, err)
			}
			continue
		}
		if !unit.IsBlocked(err) || err.Error() != test.want {
			t.Errorf("%s %s: %v, want %s", test.name, test.version, err, test.want)
		}
	}
}
