package resolve_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMistakes loads and resolves each directory below testdata/mistakes and compares what a
// person is told with the file "want" in it. Every one holds one kind of mistake.
func TestMistakes(t *testing.T) {
	dirs, err := filepath.Glob("testdata/mistakes/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no mistakes: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cfg, diags := config.Load(schema.New(), os.DirFS(dir), ".", config.DefaultLimits())
			m, _, more := resolve.Resolve(cfg, nil)
			diags = append(diags, more...)
			if !diags.HasErrors() {
				t.Fatal("there is a mistake in it, and nothing is told")
			}
			if m != nil {
				t.Error("a model was made in spite of errors")
			}
			for _, d := range diags {
				checkStyle(t, d)
			}
			checkGolden(t, dir, cfg, diags)
		})
	}
}

// TestWarnings does the same for what is told and stops nothing.
func TestWarnings(t *testing.T) {
	dirs, err := filepath.Glob("testdata/warnings/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no warnings: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cfg, diags := config.Load(schema.New(), os.DirFS(dir), ".", config.DefaultLimits())
			m, _, more := resolve.Resolve(cfg, nil)
			diags = append(diags, more...)
			if m == nil || diags.HasErrors() || len(diags) == 0 {
				t.Errorf("model %v, want one, and warnings alone", m != nil)
			}
			for _, d := range diags {
				checkStyle(t, d)
			}
			checkGolden(t, dir, cfg, diags)
		})
	}
}

// checkGolden compares what a person is told with the file "want" of a directory.
func checkGolden(t *testing.T, dir string, cfg *config.Config, diags diag.Diagnostics) {
	t.Helper()
	var got bytes.Buffer
	printer := diag.Printer{Source: cfg.Source}
	if err := printer.Print(&got, diags.Sorted()); err != nil {
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
}

// checkStyle holds every text to the form that diagnostics have.
func checkStyle(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if d.Code == "" || d.Summary == "" || d.Hint == "" {
		t.Errorf("no code, no summary or no hint: %+v", d)
	}
	for _, text := range []string{d.Summary, d.Detail, d.Hint} {
		if strings.HasSuffix(text, ".") && !strings.Contains(text, ". ") {
			t.Errorf("a single sentence with a full stop: %q", text)
		}
		if len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && 'a' <= text[1] && text[1] <= 'z' {
			t.Errorf("a capital in front: %q", text)
		}
	}
}
