package mistakes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// usualCloud is what a case has that does not say "alone": a cloud for resources.
const usualCloud = `cloud "demo" {
  openstack {
    cloud = "demo"
  }
}
`

// wantFile is the golden text in a case.
const wantFile = "want"

// mistake is one case.
type mistake struct {
	file     string // of the case
	archive  *txtar.Archive
	files    map[string]string // of the configuration
	dir      string
	given    []config.Given
	convert  bool
	nowhere  bool
	errors   int
	warnings int
}

// readCase reads a case by its name, as in "network/type".
func readCase(t *testing.T, name string) *mistake {
	t.Helper()
	m := &mistake{file: filepath.Join("testdata", filepath.FromSlash(name)+".txtar"), files: map[string]string{}, dir: ".", errors: 1}
	var err error
	if m.archive, err = txtar.ParseFile(m.file); err != nil {
		t.Fatal(err)
	}
	alone := false
	for line := range strings.Lines(string(m.archive.Comment)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "alone":
			alone = true
		case "nowhere":
			m.nowhere = true
		case "path":
			m.dir = value
		case "command":
			m.convert = value == "convert"
		case "mistakes":
			m.errors = number(t, value)
		case "warnings":
			m.warnings = number(t, value)
		case "var":
			variable, text, _ := strings.Cut(value, "=")
			m.given = append(m.given, config.Given{Name: variable, Text: text, Origin: "--var " + variable})
		case "file":
			m.given = append(m.given, config.Given{File: value, Origin: "--var-file " + value})
		default:
			if !strings.HasSuffix(key, ".") {
				t.Fatalf("%s: %q is neither a sentence nor a word that a case knows", m.file, key)
			}
		}
	}
	for _, f := range m.archive.Files {
		if f.Name != wantFile {
			m.files[f.Name] = string(f.Data)
		}
	}
	if !alone && !m.convert {
		m.files["cloud.hcl"] = usualCloud
	}
	return m
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// told is what a person, or a program, is told about a case.
type told struct {
	diag.Sourced
	text string
}

// tell does what the command does: validate, or convert.
func (m *mistake) tell(t *testing.T) told {
	t.Helper()
	if m.convert {
		return m.converted(t)
	}
	tree := fstest.MapFS{}
	for name, text := range m.files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	loaded, found := revision.Load("mistake", tree, m.dir, revision.Options{Language: schema.New(), Given: m.given})
	if loaded != nil {
		_, more := loaded.Compose(compose.Facts{Unlocked: true})
		found.Diagnostics.Append(more...)
	}
	return told{found.Sourced(), found.Text(false)}
}

func (m *mistake) converted(t *testing.T) told {
	t.Helper()
	var files []convert.File
	for name, text := range m.files {
		files = append(files, convert.File{Name: name, Content: []byte(text)})
	}
	slices.SortFunc(files, func(a, b convert.File) int { return strings.Compare(a.Name, b.Name) })
	result := convert.Convert(schema.New(), files, convert.DefaultLimits())
	var text strings.Builder
	if err := (diag.Printer{Source: result.Source}).Print(&text, result.Diagnostics); err != nil {
		t.Fatal(err)
	}
	return told{diag.Sourced{Diagnostics: result.Diagnostics, Source: result.Source}, text.String()}
}

// golden compares the text with the one in the case, or writes it there.
func (m *mistake) golden(t *testing.T, got string) {
	t.Helper()
	at := slices.IndexFunc(m.archive.Files, func(f txtar.File) bool { return f.Name == wantFile })
	if *update {
		if at < 0 {
			at = len(m.archive.Files)
			m.archive.Files = append(m.archive.Files, txtar.File{Name: wantFile})
		}
		m.archive.Files[at].Data = []byte(got)
		if err := os.WriteFile(m.file, txtar.Format(m.archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if at < 0 {
		t.Fatalf("the case has no %s: run `go test ./test/mistakes -update`, and read what it writes", wantFile)
	}
	if want := string(m.archive.Files[at].Data); got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}

// line returns a line of a file of the case.
func (m *mistake) line(r *diag.Range) (string, error) {
	text, ok := m.files[r.File]
	if !ok {
		return "", fmt.Errorf("there is no file %q in the case", r.File)
	}
	lines := strings.Split(text, "\n")
	if r.Start.Line < 1 || r.Start.Line > len(lines) {
		return "", fmt.Errorf("%s has %d lines, and not a line %d", r.File, len(lines), r.Start.Line)
	}
	return lines[r.Start.Line-1], nil
}
