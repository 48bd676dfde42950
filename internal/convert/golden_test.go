package convert_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden converts the YAML of each directory below testdata: seeds are the samples of the
// documents as they are there, cases are whole clouds, mistakes hold one kind of mistake each. It
// compares what comes out, and what a person is told, with the file "want".
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/*/in.yaml")
	if err != nil || len(dirs) < 10 {
		t.Fatalf("there are only %d directories: %v", len(dirs), err)
	}
	for _, input := range dirs {
		dir := filepath.Dir(input)
		t.Run(strings.TrimPrefix(filepath.ToSlash(dir), "testdata/"), func(t *testing.T) {
			result := convert.Convert(schema.New(), readAll(t, dir), convert.DefaultLimits())
			lossless := filepath.Base(filepath.Dir(dir)) != "mistakes" && filepath.Base(dir) != "control-plane"
			if lossless == result.Diagnostics.HasErrors() {
				t.Errorf("lost something: %t", result.Diagnostics.HasErrors())
			}
			for _, d := range result.Diagnostics {
				checkStyle(t, d)
			}
			var got bytes.Buffer
			for _, f := range result.Files {
				got.WriteString("-- " + f.Name + " --\n" + string(f.Content))
			}
			got.WriteString("-- diagnostics --\n")
			if err := (diag.Printer{Source: result.Source}).Print(&got, result.Diagnostics); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join(dir, "want")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
			loaded := checkLoads(t, result)
			if loaded == nil {
				return
			}
			if _, diags := loaded.Compose(compose.Facts{Unlocked: true}); diags.HasErrors() {
				t.Errorf("what came out cannot be composed: %v", diags)
			}
		})
	}
}

// readAll reads in.yaml, and whatever YAML is beside it.
func readAll(t *testing.T, dir string) []convert.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var files []convert.File
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, convert.File{Name: filepath.Base(name), Content: content})
	}
	return files
}

// checkLoads loads and resolves what came out; nil when nothing did. Without a cloud in it, it is
// loaded beside one.
func checkLoads(t *testing.T, result convert.Result) *revision.Loaded {
	t.Helper()
	if len(result.Files) == 0 {
		return nil
	}
	tree := fstest.MapFS{}
	for _, f := range result.Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Content}
	}
	if tree["cloud.hcl"] == nil {
		tree["cloud.hcl"] = &fstest.MapFile{Data: []byte("cloud \"beside\" {\n  openstack {\n    cloud = \"beside\"\n  }\n}\n")}
	}
	loaded, findings := revision.Load("converted", tree, ".", revision.Options{Language: schema.New()})
	if loaded == nil || findings.Diagnostics.HasErrors() {
		t.Fatalf("what came out does not load:\n%s\n%s", findings.Text(false), result.Text())
	}
	return loaded
}

// checkStyle holds every text to the form that diagnostics have.
func checkStyle(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if d.Code == "" || d.Summary == "" || d.Detail == "" {
		t.Errorf("no code, summary or detail: %+v", d)
	}
	if d.Hint == "" {
		t.Errorf("nothing said about what to do: %+v", d)
	}
	for _, text := range []string{d.Summary, d.Detail, d.Hint} {
		if strings.HasSuffix(text, ".") && !strings.Contains(text, ". ") {
			t.Errorf("a single sentence with a full stop: %q", text)
		}
	}
}
