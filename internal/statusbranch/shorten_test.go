package statusbranch_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// shortening is how README.md has people shorten the history of the branch.
func shortening(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begins = "```sh\ngit fetch --depth 1 origin kupenstack-status\n"
	_, after, found := strings.Cut(string(text), begins)
	lines, _, ended := strings.Cut(after, "```")
	if !found || !ended {
		t.Fatal("README.md does not say how a history is shortened")
	}
	return strings.TrimPrefix(begins, "```sh\n") + lines
}

// Somebody begins the history of the branch anew: all files stay, and the daemon that was at work, as one that begins then, goes on from there.
func TestItsHistoryIsShortened(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		count := int64(7)
		b.options.Count = func() int64 { return count }
		branch := b.open(t)
		publish(t, branch, report("README.md", "one", "history/2031-05.jsonl", "{}"))
		b.repo.Commit(t, map[string]string{"NOTES.md": "theirs"}, "Theirs", gitserver.OnBranch("kupenstack-status"))
		old := publish(t, branch, report("README.md", "two", "history/2031-05.jsonl", "{}"))

		dir := t.TempDir()
		run := func(name string, arguments ...string) (string, error) {
			command := exec.CommandContext(t.Context(), name, arguments...)
			command.Dir = dir
			command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
			said, err := command.CombinedOutput()
			return string(said), err
		}
		for _, arguments := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "file://" + b.repo.Dir}} {
			if said, err := run("git", arguments...); err != nil {
				t.Fatal(said, err)
			}
		}
		lines := shortening(t)
		fetch, push, _ := strings.Cut(lines, "\n")
		if said, err := run("sh", "-ec", lines); err != nil {
			t.Fatal(said, err)
		}
		files := map[string]string{"README.md": "two", "history/2031-05.jsonl": "{}", "NOTES.md": "theirs"}
		log := b.repo.Log(t, ref)
		if same(t, b.tree(t), files); len(log) != 1 {
			t.Fatalf("the history is %+v", log)
		}
		begun := log[0].Hash
		if again := publish(t, branch, report("README.md", "two", "history/2031-05.jsonl", "{}")); again.Changed || again.Commit != begun || again.Foreign == nil || again.Foreign.Hash != begun {
			t.Errorf("the same report again gives %+v", again)
		}
		if counted, err := b.open(t).Counted(t.Context()); err != nil || counted != count {
			t.Errorf("the inventory was written %d times, %v", counted, err)
		}
		if said, err := run("sh", "-ec", fetch); err != nil {
			t.Fatal(said, err)
		}
		third := publish(t, branch, report("README.md", "three", "history/2031-05.jsonl", "{}"))
		files["README.md"] = "three"
		if same(t, b.tree(t), files); len(b.repo.Log(t, ref)) != 2 || !third.Changed {
			t.Errorf("after %s the history is %+v", old.Commit, b.repo.Log(t, ref))
		}
		if said, err := run("sh", "-ec", push); err == nil || !strings.Contains(said, "stale info") || b.repo.Hash(t, ref) != third.Commit {
			t.Errorf("a report that came in between is lost: %v, %s", err, said)
		}
		if read, commit, err := b.open(t).Read(t.Context()); err != nil || commit.Hash != third.Commit || string(read["README.md"]) != "three" {
			t.Errorf("read %q, %+v, %v", read, commit, err)
		}
	})
}
