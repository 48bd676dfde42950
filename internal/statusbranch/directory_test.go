package statusbranch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
)

func TestDirectory(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "report")
	dir, err := statusbranch.NewDirectory(at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if files, _, err := dir.Read(t.Context()); err != nil || len(files) != 0 {
		t.Errorf("before the first report: %v, %v", files, err)
	}
	put := func(files map[string][]byte) bool {
		t.Helper()
		result, err := dir.Publish(t.Context(), files, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return result.Changed
	}
	if !put(report("README.md", "one", "services/nova.md", "nova")) {
		t.Error("the first report changed nothing")
	}
	before, err := os.Stat(filepath.Join(at, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if put(report("README.md", "one", "services/nova.md", "nova")) {
		t.Error("the same report changed something")
	}
	if after, err := os.Stat(filepath.Join(at, "README.md")); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same report replaced a file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(at, "theirs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !put(report("README.md", "two")) {
		t.Error("the new report changed nothing")
	}
	files, _, err := dir.Read(t.Context())
	if err != nil || len(files) != 1 || string(files["README.md"]) != "two" {
		t.Errorf("reading gives %q, %v", files, err)
	}
	entries, err := os.ReadDir(at)
	if err != nil || len(entries) != 3 {
		t.Errorf("the directory has %v, %v; want README.md, theirs and the manifest", entries, err)
	}
}

func TestDirectoryOutsideTheConfiguration(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	watched, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: at})
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(at, link); err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{at, filepath.Join(at, "report"), filepath.Join(link, "deep", "report")} {
		if _, err := statusbranch.NewDirectory(inside, watched); err == nil {
			t.Errorf("%s was taken", inside)
		}
	}
	if _, err := statusbranch.NewDirectory(at+"-report", watched); err != nil {
		t.Error(err)
	}
	if _, err := statusbranch.New(watched, statusbranch.Options{}); err == nil {
		t.Error("a directory has a status branch")
	}
}

func TestRefusesPaths(t *testing.T) {
	t.Parallel()
	dir, err := statusbranch.NewDirectory(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "/a", "../a", "a/../b", "a//b", "a/", ".git/config", "x/.GIT/hooks/a", statusbranch.Manifest, "a\nb", `a\b`} {
		if _, err := dir.Publish(t.Context(), report(name, "x"), "", nil); err == nil {
			t.Errorf("%q was published", name)
		}
	}
	if _, err := dir.Publish(t.Context(), report("a", "x", "a/b", "y"), "", nil); err == nil {
		t.Error("a path was published as a file and a directory")
	}
}
