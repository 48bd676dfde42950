//go:build beds

package gitserver_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	repo := gitserver.NewStore(t).Create(t, "team/cloud")
	if got := repo.Hash(t, "refs/heads/main"); got != "" {
		t.Errorf("an empty repository has main at %s", got)
	}
	awkward := "a \"b\"\\\n\tc/ü"
	first := repo.Commit(t, map[string]string{"a": "1", "d/e/f": "no line break", awkward: "\x00\n", "empty": ""}, "First\n\nwith a body")
	second := repo.Commit(t, map[string]string{"a": "2\n"}, "Second", gitserver.Without("d", "empty"), gitserver.Symlink("link", "a"))
	aside := repo.Commit(t, map[string]string{"x": "x"}, "Aside", gitserver.OnBranch("aside"))

	wantTree := func(ref string, want map[string]string) {
		t.Helper()
		for path, text := range want {
			if got, ok := repo.File(t, ref, path); path != awkward && (got != text || !ok) {
				t.Errorf("%s: %s has %q, want %q", ref, path, got, text)
			}
		}
		if got, ok := repo.File(t, ref, "no/such/file"); ok {
			t.Errorf("%s has a file that was never written: %q", ref, got)
		}
		if got := repo.Tree(t, ref); !maps.Equal(got, want) {
			t.Errorf("the tree of %s is %q, want %q", ref, got, want)
		}
	}
	wantTree(first, map[string]string{"a": "1", "d/e/f": "no line break", awkward: "\x00\n", "empty": ""})
	wantTree("main", map[string]string{"a": "2\n", awkward: "\x00\n", "link": "a"})
	wantTree("aside", map[string]string{"x": "x"})

	log := repo.Log(t, "main")
	if len(log) != 2 || log[0].Hash != second || log[0].Message != "Second" || len(log[0].Parents) != 1 ||
		log[0].Parents[0] != first || log[1].Message != "First\n\nwith a body" || len(log[1].Parents) != 0 {
		t.Errorf("the log is %+v", log)
	}
	if got, want := repo.Refs(t), map[string]string{"refs/heads/main": second, "refs/heads/aside": aside}; !maps.Equal(got, want) {
		t.Errorf("the refs are %v, want %v", got, want)
	}

	rewritten := repo.Commit(t, map[string]string{"a": "3"}, "Rewritten", gitserver.Onto(first))
	if log := repo.Log(t, "main"); len(log) != 2 || log[0].Hash != rewritten || log[1].Hash != first {
		t.Errorf("after rewriting the log is %+v", log)
	}
	repo.Commit(t, map[string]string{"only": "file"}, "New beginning", gitserver.Orphan())
	wantTree("main", map[string]string{"only": "file"})
	repo.ForcePush(t, "refs/heads/main", second)
	repo.DeleteRef(t, "refs/heads/aside")
	if got, want := repo.Refs(t), map[string]string{"refs/heads/main": second}; !maps.Equal(got, want) {
		t.Errorf("in the end the refs are %v, want %v", got, want)
	}
}

func TestEqualCallsGiveEqualHashes(t *testing.T) {
	t.Parallel()
	write := func(message string, options ...gitserver.CommitOption) string {
		repo := gitserver.NewStore(t).Create(t, "r")
		repo.Commit(t, map[string]string{"a": "1", "b": "2"}, "First")
		return repo.Commit(t, map[string]string{"c": "3"}, message, options...)
	}
	second := write("Second")
	if again := write("Second"); again != second {
		t.Errorf("the same history has the hashes %s and %s", second, again)
	}
	if other := write("Second", gitserver.At(time.Unix(1, 0))); other == second {
		t.Error("another date does not change the hash")
	}
}

func TestSignedCommit(t *testing.T) {
	t.Parallel()
	store := gitserver.NewStore(t)
	repo := store.Create(t, "signed")
	key, stranger := gitserver.NewKey(t), gitserver.NewKey(t)
	repo.Commit(t, map[string]string{"a": "1"}, "Unsigned")
	good := repo.Commit(t, map[string]string{"b": "2"}, "Signed", gitserver.SignedBy(key))
	bad := repo.Commit(t, map[string]string{"c": "3"}, "Signed by a stranger", gitserver.SignedBy(stranger))

	if tree := repo.Tree(t, good); !maps.Equal(tree, map[string]string{"a": "1", "b": "2"}) {
		t.Errorf("the signed commit's tree is %v", tree)
	}
	if log := repo.Log(t, bad); len(log) != 3 || log[1].Hash != good || log[1].Message != "Signed" {
		t.Errorf("the log is %+v", log)
	}
	allowed := filepath.Join(t.TempDir(), "allowed_signers")
	writeFile(t, allowed, "author@kupenstack.invalid "+key.AuthorizedKey()+"\n")
	verify := func(hash string) error {
		command := exec.CommandContext(timeout(t), "git", "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", hash)
		command.Dir, command.Env = repo.Dir, store.Env()
		output, err := command.CombinedOutput()
		if err == nil && !strings.Contains(string(output), "author@kupenstack.invalid") {
			t.Errorf("the signature is not the author's: %s", output)
		}
		return err
	}
	if err := verify(good); err != nil {
		t.Errorf("verify the signed commit: %v", err)
	}
	if verify(bad) == nil {
		t.Error("the stranger's signature is taken for the author's")
	}
}
