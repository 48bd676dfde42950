package gitrepo_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// treeOf commits files and returns them as the package shows them.
func treeOf(t *testing.T, files map[string]string, options ...gitserver.CommitOption) *gitrepo.Tree {
	t.Helper()
	b, _ := newBed(t)
	b.repo.Commit(t, files, "Files", options...)
	b.options.URL, b.options.MaxFileBytes = "file://"+b.repo.Dir, 100_000
	return pull(t, b.open(t))
}

func TestTreeIsAFileSystem(t *testing.T) {
	t.Parallel()
	tree := treeOf(t, map[string]string{"a.b": "x", "a/deep/er/file": "deep", "a0": "", "empty": ""},
		gitserver.Symlink("a/up", "../cloud.hcl"), gitserver.Symlink("dir", "a/deep"))
	if err := fstest.TestFS(files(t, tree, "."), "cloud.hcl", "sites/a.hcl", "a/deep/er/file", "a/up", "dir", "a0"); err != nil {
		t.Error(err)
	}
	if err := fstest.TestFS(files(t, tree, "a"), "deep/er/file"); err != nil {
		t.Error(err)
	}
	has(t, files(t, tree, "a"), "up", "cloud {}\n")
	has(t, files(t, tree, "."), "dir/er/file", "deep")
	has(t, files(t, tree, "dir"), "er/file", "deep")
	for path, want := range map[string]string{"nowhere": "no directory", "cloud.hcl": "no directory", "../x": "does not lie within", "a/../b": "does not lie within"} {
		if _, err := tree.FS(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("FS(%q) gives %v", path, err)
		}
	}
}

func TestReadingSaysWhyNot(t *testing.T) {
	t.Parallel()
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 12345\n"
	tree := treeOf(t, map[string]string{"image.img": pointer, "big": strings.Repeat("x", 100_001), "fits": strings.Repeat("x", 100_000)},
		gitserver.Symlink("loop/a", "b"), gitserver.Symlink("loop/b", "a"), gitserver.Symlink("self", "self/x"),
		gitserver.Symlink("out", "../etc/passwd"), gitserver.Symlink("sites/out", "../../x"), gitserver.Symlink("root", "/etc/passwd"),
		gitserver.Symlink("dangling", "nowhere"), gitserver.Symlink("back", "sites/../sites/../cloud.hcl"))
	fsys := files(t, tree, ".")
	for name, want := range map[string]string{
		"image.img": "Git LFS", "big": "more than 100000 bytes", "loop/a": "circles", "self": "circles",
		"out": "leads out of the repository", "sites/out": "leads out of the repository", "root": "leads out of the repository",
		"dangling": "file does not exist", "cloud.hcl/x": "file does not exist", "sites": "is a directory", "../x": "invalid argument",
	} {
		_, err := fs.ReadFile(fsys, name)
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != name || !strings.Contains(err.Error(), want) {
			t.Errorf("reading %s gives %v, want %q", name, err, want)
		}
	}
	has(t, fsys, "back", "cloud {}\n")
	if content, err := fs.ReadFile(fsys, "fits"); err != nil || len(content) != 100_000 {
		t.Errorf("the largest file gives %d bytes, %v", len(content), err)
	}
	if _, err := fs.ReadDir(fsys, "loop"); err != nil {
		t.Errorf("a directory with bad links cannot be listed: %v", err)
	}
}

func TestSubmodulesSaySo(t *testing.T) {
	t.Parallel()
	b, _ := newBed(t)
	git(t, b, "read-tree", "main")
	git(t, b, "update-index", "--add", "--cacheinfo", "160000,"+b.first+",charts/module")
	commitIndex(t, b)
	b.options.URL = "file://" + b.repo.Dir
	fsys := files(t, pull(t, b.open(t)), ".")
	for _, name := range []string{"charts/module", "charts/module/values.yaml"} {
		if _, err := fs.ReadFile(fsys, name); err == nil || !strings.Contains(err.Error(), "submodule") {
			t.Errorf("reading %s gives %v", name, err)
		}
	}
	has(t, fsys, "cloud.hcl", "cloud {}\n")
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put("cloud.hcl", "cloud {}\n")
	put("sites/a.hcl", "a")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.WriteFile(outside, nil, 0o600), os.Symlink(outside, filepath.Join(dir, "out"))); err != nil {
		t.Fatal(err)
	}
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: dir})
	if err != nil || !source.IsDirectory() {
		t.Fatal(source, err)
	}
	tree := pull(t, source)
	if tree.Commit != (gitrepo.Commit{}) || !strings.HasPrefix(tree.Revision.Hash, "sha256:") {
		t.Errorf("got %+v", tree)
	}
	has(t, files(t, tree, "sites"), "a.hcl", "a")
	if _, err := fs.ReadFile(files(t, tree, "."), "out"); err == nil {
		t.Error("a link led out of the directory")
	}
	if err := fstest.TestFS(files(t, tree, "sites"), "a.hcl"); err != nil {
		t.Error(err)
	}
	for change, differs := range map[string]bool{".git/index": false, "sites/.git": false, "new": true} {
		before := pull(t, source).Revision
		put(change, "x")
		if after := pull(t, source).Revision; (after != before) != differs {
			t.Errorf("writing %s made %+v of %+v", change, after, before)
		}
	}
	before := pull(t, source).Revision
	if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "newer")); err != nil {
		t.Fatal(err)
	}
	if after := pull(t, source).Revision; after == before {
		t.Error("a new name is no new revision")
	}
	for _, options := range []gitrepo.Options{{URL: dir, MaxFiles: 3}, {URL: dir, MaxBytes: 10}} {
		small, err := gitrepo.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		_, err = small.Head(t.Context())
		fails(t, err, gitrepo.TooLarge)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err = source.Head(t.Context())
	fails(t, err, gitrepo.NoRepository, "no such directory")
}

// In a checkout a submodule is no directory either, but for one at the top.
func TestSubmodulesOfACheckout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"m/.git": "gitdir: ../.git/modules/m\n", "m/main.hcl": "x", "m/d/x": "x", "sites/n/.git": "gitdir: x\n", "clone/.git/HEAD": "ref: x\n", "odd/.git": "x", ".git": "gitdir: x\n",
		".gitmodules": "[submodule \"a\"]\n\tpath = sites/away\n\turl = x\n[submodule \"b\"]\n\tpath = filled\n\turl = x\n", "filled/x": "x", "sites/away/gone": "", "beside": "x",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"whole": "m", "part": "m/d", "sites/up": "../m/main.hcl", "twice": "part", "fine": "beside", "out": "../m"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "sites/away/gone")); err != nil { // a submodule that was not checked out is an empty directory
		t.Fatal(err)
	}
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: dir})
	if err != nil {
		t.Fatal(err)
	}
	tree := pull(t, source)
	fsys := files(t, tree, ".")
	for name, is := range map[string]bool{".": false, "m": true, "sites": false, "sites/n": true, "sites/away": true, "filled": false, "clone": true, "odd": false, "whole": true} {
		info, err := fs.Stat(fsys, name)
		if err != nil || info.IsDir() == is || (info.Mode()&fs.ModeIrregular != 0) != is {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	listed := 0
	for _, name := range []string{".", "sites"} {
		list, err := fs.ReadDir(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range list {
			if is := slices.Contains([]string{"m", "n", "away", "clone"}, entry.Name()); is {
				listed++
				if info, err := entry.Info(); entry.IsDir() || entry.Type() != fs.ModeIrregular || err != nil || info.IsDir() {
					t.Errorf("%s is listed as %v, %v", entry.Name(), info, err)
				}
			}
		}
	}
	if listed != 4 {
		t.Errorf("%d are listed", listed)
	}
	for _, name := range []string{"m", "m/d"} {
		if _, err := tree.FS(name); err == nil {
			t.Errorf("%s passes for a directory", name)
		}
	}
	const why = "is a Git submodule, and submodules are not fetched"
	for name, read := range map[string]func(string) error{
		"open":  func(name string) error { _, err := fsys.Open(name); return err },
		"read":  func(name string) error { _, err := fs.ReadFile(fsys, name); return err },
		"list":  func(name string) error { _, err := fs.ReadDir(fsys, path.Dir(name)); return err },
		"stat":  func(name string) error { _, err := fs.Stat(fsys, name); return err },
		"lstat": func(name string) error { _, err := fs.Lstat(fsys, name); return err },
	} {
		for _, within := range []string{"m/main.hcl", "m/d/x", "sites/n/.git", "clone/.git/HEAD", "whole/main.hcl", "part/x", "twice/x"} {
			if err := read(within); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s %s: %v", name, within, err)
			}
		}
		if err := read("filled/x"); err != nil {
			t.Errorf("%s beside them: %v", name, err)
		}
	}
	for name, ok := range map[string]bool{"part": false, "sites/up": false, "twice": false, "fine": true} {
		if _, err := fs.Stat(fsys, name); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("a link %s: %v", name, err)
		}
	}
	if _, err := fs.Lstat(fsys, "part"); err != nil {
		t.Errorf("a link itself: %v", err)
	}
}

// A checkout that was made without Git LFS has pointers in the place of files.
func TestADirectoryWithPointers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 12345\n"
	about := "version https://git-lfs.github.com/spec/v1\n is the first line of a pointer\n"
	for name, content := range map[string]string{"charts/image.img": pointer, "long": pointer + strings.Repeat("x", 1024), "about": about} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("charts/image.img", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: dir})
	if err != nil {
		t.Fatal(err)
	}
	tree := pull(t, source)
	top, below := files(t, tree, "."), files(t, tree, "charts")
	for _, at := range []struct {
		fsys fs.FS
		name string
	}{{top, "charts/image.img"}, {top, "link"}, {below, "image.img"}} {
		_, read := fs.ReadFile(at.fsys, at.name)
		_, open := at.fsys.Open(at.name)
		for _, err := range []error{read, open} {
			var path *fs.PathError
			if !errors.As(err, &path) || path.Path != at.name || !strings.Contains(err.Error(), "Git LFS") {
				t.Errorf("%s gives %v", at.name, err)
			}
		}
	}
	has(t, top, "about", about)
	for name, want := range map[string]string{"about": about, "long": pointer + strings.Repeat("x", 1024)} {
		file, err := top.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(file); err != nil || string(content) != want {
			t.Errorf("%s has %d bytes, %v", name, len(content), err)
		}
		file.Close()
	}
}
