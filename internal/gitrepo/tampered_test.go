package gitrepo_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// TestTamperedCacheIsNotRead: what has the place of a directory or a commit in the cache, and is read without any fault, is
// not what its hash stands for. The signature of a commit says nothing of it, as that is only about hashes.
func TestTamperedCacheIsNotRead(t *testing.T) {
	t.Parallel()
	for what, with := range map[string]func(raw, directory, theirs string) (hash, kind, content string){
		"directory": func(_, directory, theirs string) (string, string, string) {
			file := plumbing.NewHash(theirs)
			return directory, "tree", "100644 cloud.hcl\x00" + string(file[:])
		},
		"commit": func(raw, _, _ string) (string, string, string) {
			return plumbing.ComputeHash(plumbing.CommitObject, []byte(raw)).String(), "commit", strings.Replace(raw, "\n\n", "\n\nAnother ", 1)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := overHTTP(t)
			hash := b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud { ours = true }\n"}, "Ours")
			source := b.open(t)
			pull(t, source)
			if err := source.Keep(hash); err != nil {
				t.Fatal(err)
			}
			raw := b.repo.Raw(t, hash)
			directory, _, _ := strings.Cut(strings.TrimPrefix(raw, "tree "), "\n")
			const text = "cloud { theirs = true }\n"
			theirs := plumbing.ComputeHash(plumbing.BlobObject, []byte(text)).String()
			at, kind, content := with(raw, directory, theirs)
			tamper(t, b.options.CacheDir, map[string]string{theirs: object("blob", text), at: object(kind, content)})

			later := b.open(t)
			if tree, err := later.Cached(t.Context()); gitrepo.KindOf(err) != gitrepo.Broken {
				t.Errorf("without the network there is %+v: %v", tree, err)
			}
			if tree, err := later.Kept(t.Context()); gitrepo.KindOf(err) != gitrepo.Broken {
				t.Errorf("what was kept is %+v: %v", tree, err)
			}
			has(t, files(t, pull(t, later), "."), "cloud.hcl", "cloud { ours = true }\n")
		})
	}
}

// object returns an object as Git hashes it.
func object(kind, content string) string {
	return fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
}

// tamper puts objects into a cache under hashes that may be those of others.
func tamper(t *testing.T, cache string, objects map[string]string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(cache, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	pack, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Dir(filepath.Dir(packs[0]))
	if err := os.RemoveAll(filepath.Dir(packs[0])); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, arguments := range [][]string{{"init", "--quiet", "--bare"}, {"unpack-objects", "-q"}} {
		git := exec.CommandContext(t.Context(), "git", arguments...)
		git.Dir, git.Env, git.Stdin = empty, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_OBJECT_DIRECTORY="+inside), bytes.NewReader(pack)
		if output, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	for hash, content := range objects {
		name := filepath.Join(inside, hash[:2], hash[2:])
		var packed bytes.Buffer
		writer := zlib.NewWriter(&packed)
		_, _ = writer.Write([]byte(content)) // a buffer takes everything
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(name) // it cannot be written to; there may be none
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
