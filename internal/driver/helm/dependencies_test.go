package helm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// packedChart returns a packed chart, with what it depends on where that is given.
func packedChart(t *testing.T, name, version string, declares []*chart.Dependency, has ...*chart.Chart) []byte {
	t.Helper()
	c := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: name, Version: version, Dependencies: declares}}
	c.SetDependencies(has...)
	file, err := chartutil.Save(c, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDependenciesAreThere: a chart without what it depends on is not rendered without it, wherever it comes from.
func TestDependenciesAreThere(t *testing.T) {
	declares := []*chart.Dependency{{Name: "db", Version: ">=2", Repository: "https://charts.example.org"}}
	db := func(version string) *chart.Chart {
		return &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "db", Version: version}}
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	app := func(dependencies ...string) *fstest.MapFile {
		return file("apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- " + strings.Join(dependencies, "\n- ") + "\n")
	}
	of := func(name, version string) *fstest.MapFile {
		return file(fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version))
	}
	const far, beside = "{name: db, version: '>=2', repository: 'https://charts.example.org'}", "{name: lib, version: '>=2', repository: 'file://../lib'}"
	for name, test := range map[string]struct {
		tree fstest.MapFS
		want string // "" for nothing
	}{
		"in a folder":      {fstest.MapFS{"app/Chart.yaml": app(far), "app/charts/db/Chart.yaml": of("db", "2.1.0")}, ""},
		"packed within":    {fstest.MapFS{"app/Chart.yaml": app(far), "app/charts/db-2.1.0.tgz": {Data: packedChart(t, "db", "2.1.0", nil)}}, ""},
		"beside":           {fstest.MapFS{"app/Chart.yaml": app(beside), "lib/Chart.yaml": of("lib", "2.0.0+abc")}, ""},
		"of any version":   {fstest.MapFS{"app/Chart.yaml": app("{name: lib, repository: 'file://../lib'}"), "lib/Chart.yaml": of("lib", "0.1.0-rc.1")}, ""},
		"not there":        {fstest.MapFS{"app/Chart.yaml": app(far)}, "chart app depends on db >=2, which is neither in its charts/ nor beside it: run helm dependency build"},
		"turned off":       {fstest.MapFS{"app/Chart.yaml": app("{name: db, version: 2.x, condition: db.enabled}"), "app/values.yaml": file("db: {enabled: false}\n")}, "depends on db 2.x"},
		"left out":         {fstest.MapFS{"app/Chart.yaml": app(far), "app/charts/db/Chart.yaml": of("db", "2.1.0"), "app/.helmignore": file("charts/db\n")}, "depends on db >=2"},
		"another version":  {fstest.MapFS{"app/Chart.yaml": app(far), "app/charts/db/Chart.yaml": of("db", "1.9.0")}, `chart app depends on db >=2, of which there is version "1.9.0"`},
		"beside, another":  {fstest.MapFS{"app/Chart.yaml": app(beside), "lib/Chart.yaml": of("lib", "1.0.0")}, `chart app depends on lib >=2, of which there is version "1.0.0"`},
		"of one beside":    {fstest.MapFS{"app/Chart.yaml": app(beside), "lib/Chart.yaml": file("apiVersion: v2\nname: lib\nversion: 2.0.0\ndependencies:\n- " + far + "\n")}, "chart lib depends on db >=2"},
		"two of them":      {fstest.MapFS{"app/Chart.yaml": app(far, "{name: mq, version: 1.0.0}")}, "chart app depends on db >=2, which is neither in its charts/ nor beside it; and on mq 1.0.0, which is"},
		"no version":       {fstest.MapFS{"app/Chart.yaml": app("{name: db, version: newest}"), "app/charts/db/Chart.yaml": of("db", "1.9.0")}, `the version "newest"`},
		"packed, has it":   {fstest.MapFS{"app-1.0.0.tgz": {Data: packedChart(t, "app", "1.0.0", declares, db("2.1.0"))}}, ""},
		"packed, lacks it": {fstest.MapFS{"app-1.0.0.tgz": {Data: packedChart(t, "app", "1.0.0", declares)}}, "chart app depends on db >=2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newCharts(Options{CacheDir: t.TempDir()}).find(t.Context(), unit.Chart{Name: "app", Repository: ".", Tree: test.tree})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !unit.IsBlocked(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestDependenciesOfPublished: what was published without is not locked, and refused where it was.
func TestDependenciesOfPublished(t *testing.T) {
	p := publish(t)
	data := packedChart(t, "app", "1.0.0", []*chart.Dependency{{Name: "db", Version: ">=2"}})
	if err := os.WriteFile(filepath.Join(p.dir, "app-1.0.0.tgz"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	p.add(t, "other", "1.0.0", "which writes the index")
	const want = "chart app depends on db >=2, which is neither in its charts/ nor beside it: it has to be published with them"
	options := p.options(t)
	for _, repository := range []string{p.URL, strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"} {
		wanted := wantedOf(repository, "app", "")
		if entries, err := Lock(t.Context(), options, []chartlock.Wanted{wanted}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("locked to %v, %v", entries, err)
		}
		locked := unit.Chart{Name: "app", Repository: repository, Version: "1.0.0", Digest: digestPrefix + sha256Of(data)}
		if _, err := newCharts(options).find(t.Context(), locked); !unit.IsBlocked(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("what was locked: %v", err)
		}
	}
}
