package helm

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart/loader"
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
