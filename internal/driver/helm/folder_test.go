package helm

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestFolder wants of a chart's directory what Helm takes of it, and a digest of all that is in it.
func TestFolder(t *testing.T) {
	tree := fstest.MapFS{
		"charts/app/.helmignore":               {Data: []byte("values_overrides\n*.bak\n")},
		"charts/app/Chart.yaml":                {Data: []byte("\xef\xbb\xbfname: app\n")},
		"charts/app/templates/a.yaml":          {Data: []byte("a: 1\n")},
		"charts/app/templates/a.bak":           {Data: []byte("no\n")},
		"charts/app/templates/.hidden.yaml":    {Data: []byte("no\n")},
		"charts/app/values_overrides/app/b":    {Data: []byte("no\n")},
		"charts/app/values_overrides-not/kept": {Data: []byte("yes\n")},
		"charts/other/Chart.yaml":              {Data: []byte("name: other\n")},
	}
	read := func(t *testing.T) folder {
		t.Helper()
		found, err := readFolder(tree, "charts/app")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := read(t)
	files, err := before.files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	if want := []string{".helmignore", "Chart.yaml", "templates/a.yaml", "values_overrides-not/kept"}; !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if i := slices.IndexFunc(files, func(f *loader.BufferedFile) bool { return f.Name == "Chart.yaml" }); string(files[i].Data) != "name: app\n" {
		t.Errorf("Chart.yaml is %q", files[i].Data)
	}

	tree["charts/app/values_overrides/app/b"].Data = []byte("another\n")
	if before.digest() == read(t).digest() {
		t.Error("a file that changed has left the digest as it was")
	}

	tree["charts/app/link"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("Chart.yaml")}
	files, err = read(t).files()
	if i := slices.IndexFunc(files, func(f *loader.BufferedFile) bool { return f.Name == "link" }); err != nil || i < 0 || string(files[i].Data) != "name: app\n" {
		t.Errorf("what a link leads to: %v, %v", files, err)
	}
	tree["charts/app/pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	if _, err := readFolder(tree, "charts/app"); err == nil {
		t.Error("what is no file was taken")
	}
}

// Whoever wants to know whether a chart is another one than before asks for its files, with those of the charts beside
// it that it depends on, and no others.
func TestFilesOf(t *testing.T) {
	tree := func(helper, other string) fs.FS {
		return fstest.MapFS{
			"charts/app/Chart.yaml":   {Data: []byte("apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- name: lib\n  version: 0.1.0\n  repository: file://../lib\n")},
			"charts/lib/Chart.yaml":   {Data: []byte("apiVersion: v2\nname: lib\nversion: 0.1.0\n")},
			"charts/lib/values.yaml":  {Data: []byte("helper: " + helper + "\n")},
			"charts/other/Chart.yaml": {Data: []byte("apiVersion: v2\nname: other\nversion: " + other + "\n")},
		}
	}
	of := func(tree fs.FS, repository string) string {
		return FilesOf(unit.Chart{Name: "app", Repository: repository, Tree: tree})
	}
	first := of(tree("a", "1.0.0"), "charts")
	if first == "" || of(tree("a", "2.0.0"), "charts") != first {
		t.Errorf("with another chart beside it the digest %q is another one", first)
	}
	if of(tree("b", "1.0.0"), "charts") == first {
		t.Error("with another chart that it depends on it is the same")
	}
	for name, got := range map[string]string{
		"not there": of(tree("a", "1.0.0"), "elsewhere"), "outside": of(tree("a", "1.0.0"), "../charts"),
		"of a repository": of(nil, "https://charts.example.invalid"),
	} {
		if got != "" {
			t.Errorf("%s: the digest is %q, want none", name, got)
		}
	}
}
