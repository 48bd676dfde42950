package format_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/format"
)

const (
	untidy = "a=1\nlonger =2\n"
	tidy   = "a      = 1\nlonger = 2\n"
	broken = "a   = {\n"
)

// write makes files below a new directory, which becomes the working directory.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// changed returns the names of the changed files, and the codes and places of the findings.
func changed(f *format.Formatter) (names, findings []string) {
	for _, file := range f.Changed() {
		names = append(names, file.Name)
	}
	for _, d := range f.Findings().Diagnostics {
		findings = append(findings, fmt.Sprintf("%s %s", d.Code, d.Subject))
	}
	return names, findings
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestDirectory(t *testing.T) {
	write(t, map[string]string{
		"main.hcl": untidy, "sub/deep/other.hcl": untidy, "prod.hclvars": untidy, "good.hcl": tidy,
		"notes.txt": untidy, ".hidden.hcl": untidy, ".git/config.hcl": untidy, "wrong.hcl": broken,
	})
	if err := os.Chmod("main.hcl", 0o604); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat("good.hcl")
	if err != nil {
		t.Fatal(err)
	}
	f := &format.Formatter{Limits: config.DefaultLimits(), Write: true}
	if err := f.Path("."); err != nil {
		t.Fatal(err)
	}
	names, findings := changed(f)
	expect(t, "changed", names, "main.hcl", "prod.hclvars", "sub/deep/other.hcl")
	expect(t, "findings", findings, "config.syntax wrong.hcl:2:1")
	if source, ok := f.Findings().Source("wrong.hcl"); !ok || string(source) != broken {
		t.Errorf("the source of the finding is %q, %v", source, ok)
	}
	for name, want := range map[string]string{
		"main.hcl": tidy, "sub/deep/other.hcl": tidy, "prod.hclvars": tidy, "good.hcl": tidy,
		"notes.txt": untidy, ".hidden.hcl": untidy, ".git/config.hcl": untidy, "wrong.hcl": broken,
	} {
		if got := text(t, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if info, err := os.Stat("main.hcl"); err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	if after, err := os.Stat("good.hcl"); err != nil || !os.SameFile(before, after) {
		t.Errorf("a file in the canonical layout was replaced: %v", err)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 8 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

func TestWithoutWriting(t *testing.T) {
	write(t, map[string]string{"main.hcl": untidy})
	f := &format.Formatter{Limits: config.DefaultLimits()}
	if err := f.Path("main.hcl"); err != nil {
		t.Fatal(err)
	}
	names, findings := changed(f)
	expect(t, "changed", names, "main.hcl")
	expect(t, "findings", findings)
	if got := text(t, "main.hcl"); got != untidy {
		t.Errorf("the file became %q", got)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	write(t, map[string]string{"outside/main.hcl": untidy, "inside/own.hcl": tidy})
	for link, target := range map[string]string{"inside/link.hcl": "../outside/main.hcl", "inside/directory": "../outside", "entry": "inside"} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("there are no links here: ", err)
		}
	}
	for _, tc := range []struct{ name, finding string }{
		{"inside", "format.file inside/link.hcl:1:1"},
		{"inside/link.hcl", "format.file inside/link.hcl:1:1"},
		{"entry", "format.file entry/link.hcl:1:1"},
	} {
		f := &format.Formatter{Limits: config.DefaultLimits(), Write: true}
		if err := f.Path(tc.name); err != nil {
			t.Fatal(err)
		}
		names, findings := changed(f)
		expect(t, tc.name+": changed", names)
		expect(t, tc.name+": findings", findings, tc.finding)
	}
	if got := text(t, "outside/main.hcl"); got != untidy {
		t.Errorf("the file outside became %q", got)
	}
	if info, err := os.Lstat("inside/link.hcl"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
}

func TestWhatIsNoRegularFile(t *testing.T) {
	write(t, map[string]string{"own.hcl": tidy})
	if err := syscall.Mkfifo("pipe.hcl", 0o600); err != nil {
		t.Skip("there are no named pipes here: ", err)
	}
	f := &format.Formatter{Limits: config.DefaultLimits()}
	if err := f.Path("."); err != nil {
		t.Fatal(err)
	}
	found := f.Findings().Diagnostics
	if len(found) != 1 || !strings.Contains(found[0].Detail, "a pipe") || found[0].Hint == "" {
		t.Errorf("told %+v", found)
	}
}

func TestRefused(t *testing.T) {
	write(t, map[string]string{"a.hcl": untidy, "b.hcl": untidy, "notes.txt": untidy})
	f := &format.Formatter{Limits: config.DefaultLimits()}
	for name, want := range map[string]string{"absent": "no such file", "notes.txt": "names end with .hcl or .hclvars"} {
		if err := f.Path(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want something about %q", name, err, want)
		}
	}
	f.Limits.Files = 1
	if err := f.Path("."); err != nil {
		t.Fatal(err)
	}
	if found := f.Findings().Diagnostics; len(found) != 1 || found[0].Code != "format.limit" || len(f.Changed()) > 0 {
		t.Errorf("findings %v, changed %v", found, f.Changed())
	}
	f = &format.Formatter{Limits: config.DefaultLimits()}
	f.Limits.FileBytes = 5
	if err := f.Path("a.hcl"); err != nil {
		t.Fatal(err)
	}
	_, findings := changed(f)
	expect(t, "findings", findings, "config.limit a.hcl:1:1")
}

func TestDiff(t *testing.T) {
	var long strings.Builder
	for i := range 20 {
		fmt.Fprintf(&long, "# %d\n", i+1)
	}
	for _, tc := range []struct{ name, before, after, want string }{
		{"one", "a=1\n", "a = 1\n", "@@ -1,1 +1,1 @@\n-a=1\n+a = 1\n"},
		{"end", "a=1\nb {}", "a = 1\nb {}\n", "@@ -1,2 +1,2 @@\n-a=1\n-b {}\n\\ No newline at end of file\n+a = 1\n+b {}\n"},
		{
			"far from each other", "a=1\n" + long.String() + "b=1\n", "a = 1\n" + long.String() + "b = 1\n",
			"@@ -1,4 +1,4 @@\n-a=1\n+a = 1\n # 1\n # 2\n # 3\n@@ -19,4 +19,4 @@\n # 18\n # 19\n # 20\n-b=1\n+b = 1\n",
		},
		{
			"near each other", "a=1\n#\n#\n#\n#\n#\n#\nb=1\n", "a = 1\n#\n#\n#\n#\n#\n#\nb = 1\n",
			"@@ -1,8 +1,8 @@\n-a=1\n+a = 1\n #\n #\n #\n #\n #\n #\n-b=1\n+b = 1\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := format.File{Name: "x/main.hcl", Before: []byte(tc.before), After: []byte(tc.after)}
			if got, want := file.Diff(), "--- a/x/main.hcl\n+++ b/x/main.hcl\n"+tc.want; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestElsewhere wants everything to be formatted by what is given for it, and nothing that it does not
// return.
func TestElsewhere(t *testing.T) {
	write(t, map[string]string{"a.hcl": untidy, "b.hcl": untidy})
	asked := 0
	result := format.Result{Diagnostics: diag.Diagnostics{{Code: "test.bad", Summary: "bad"}}}
	f := &format.Formatter{Limits: config.DefaultLimits(), Write: true, Layout: func(files []format.File) (format.Result, error) {
		asked += len(files)
		return result, nil
	}}
	if err := f.Path("."); err != nil {
		t.Fatal(err)
	}
	if after, err := f.Text("text", []byte(untidy)); err != nil || string(after) != untidy {
		t.Errorf("%q, %v", after, err)
	}
	names, _ := changed(f)
	if asked != 3 || len(names) > 0 || text(t, "a.hcl") != untidy || !f.Findings().Diagnostics.HasErrors() {
		t.Errorf("asked for %d files, changed %q", asked, names)
	}
	result = format.Result{Texts: map[int][]byte{1: []byte("other")}}
	if err := f.Path("."); err != nil || text(t, "a.hcl") != untidy || text(t, "b.hcl") != "other" {
		t.Errorf("%v: %q, %q", err, text(t, "a.hcl"), text(t, "b.hcl"))
	}
	failed := errors.New("no process")
	f.Layout = func([]format.File) (format.Result, error) { return result, failed }
	if err := f.Path("b.hcl"); !errors.Is(err, failed) || text(t, "b.hcl") != "other" {
		t.Errorf("%v", err)
	}
}

// TestTooMuch wants all files of a directory to be formatted, or none.
func TestTooMuch(t *testing.T) {
	write(t, map[string]string{"a.hcl": untidy, "b.hcl": untidy})
	for finding, change := range map[string]func(*config.Limits){
		"format.limit <nil>":     func(l *config.Limits) { l.TotalBytes = int64(2*len(untidy)) - 1 },
		"config.limit b.hcl:1:1": func(l *config.Limits) { l.Attributes = 3 },
		"config.limit a.hcl:1:1": func(l *config.Limits) { l.Attributes = 1 },
	} {
		f := &format.Formatter{Limits: config.DefaultLimits(), Write: true}
		change(&f.Limits)
		if err := f.Path("."); err != nil {
			t.Fatal(err)
		}
		names, findings := changed(f)
		expect(t, finding+": changed", names)
		expect(t, finding+": findings", findings, finding)
		if text(t, "a.hcl") != untidy {
			t.Errorf("%s: a file was written", finding)
		}
	}
}
