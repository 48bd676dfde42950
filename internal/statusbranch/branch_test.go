package statusbranch_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const (
	canary = "canary-Pa55word!"
	ref    = "refs/heads/kupenstack-status"
)

type server interface {
	SetFaults(gitserver.Faults)
	Requests() map[string]gitserver.Counts
}

type bed struct {
	repo    *gitserver.Repository
	server  server
	watched gitrepo.Options
	options statusbranch.Options
}

// onBoth runs a test over both ways to reach a repository.
func onBoth(t *testing.T, test func(*testing.T, *bed)) {
	t.Helper()
	over(t, []string{"http", "ssh"}, test)
}

// over runs a test for each of these ways to reach a repository.
func over(t *testing.T, kinds []string, test func(*testing.T, *bed)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if kind == "http" {
				slow.Test(t) // each request of it is three processes, and one of SSH's is a single one
			}
			test(t, newBed(t, kind))
		})
	}
}

// newBed is a repository with one commit on a server of this kind.
func newBed(t *testing.T, kind string) *bed {
	t.Helper()
	store := gitserver.NewStore(t)
	b := &bed{repo: store.Create(t, "cloud")}
	b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud {}\n"}, "First")
	var secret gitrepo.Credentials
	if kind == "http" {
		s := gitserver.StartHTTP(t, store)
		s.SetUser("writer", canary, gitserver.ReadWrite)
		b.server, b.watched.URL = s, s.URL(b.repo)
		secret = gitrepo.Credentials{Username: "writer", Password: redact.NewSecret(canary)}
	} else {
		s := gitserver.StartSSH(t, store)
		key := gitserver.NewKey(t)
		s.AllowKey(key.Signer.PublicKey(), gitserver.ReadWrite)
		b.server, b.watched.URL = s, s.URL(b.repo)
		secret = gitrepo.Credentials{SSHKey: redact.NewSecret(string(key.PEM)), KnownHosts: []byte(s.KnownHosts() + "\n")}
	}
	b.watched.CacheDir, b.watched.Timeout = t.TempDir(), 5*time.Minute
	b.watched.Credentials = func(context.Context) (gitrepo.Credentials, error) { return secret, nil }
	b.options = statusbranch.Options{Backoff: time.Millisecond, Clock: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }}
	return b
}

func (b *bed) open(t *testing.T) *statusbranch.Branch {
	t.Helper()
	watched, err := gitrepo.Open(t.Context(), b.watched)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := statusbranch.New(watched, b.options)
	if err != nil {
		t.Fatal(err)
	}
	return branch
}

func (b *bed) counts() gitserver.Counts { return b.server.Requests()["cloud"] }

func report(pairs ...string) map[string][]byte {
	files := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = []byte(pairs[i+1])
	}
	return files
}

// tree is the branch's files without the manifest.
func (b *bed) tree(t *testing.T) map[string]string {
	t.Helper()
	tree := b.repo.Tree(t, ref)
	delete(tree, statusbranch.Manifest)
	return tree
}

func publish(t *testing.T, to *statusbranch.Branch, files map[string][]byte) statusbranch.Result {
	t.Helper()
	result, err := to.Publish(t.Context(), files, "Report", nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("the branch has %q, want %q", got, want)
	}
}

func TestPublishes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		if files, commit, err := branch.Read(t.Context()); err != nil || len(files) != 0 || commit.Hash != "" {
			t.Errorf("before the first report: %v, %+v, %v", files, commit, err)
		}
		first := publish(t, branch, report("README.md", "one", "services/nova.md", "nova", "services/glance.md", "glance", "nodes/a/b.md", "b"))
		if !first.Changed || first.Commit != b.repo.Hash(t, ref) || first.Foreign != nil {
			t.Errorf("the first report: %+v", first)
		}
		if log := b.repo.Log(t, ref); len(log) != 1 || len(log[0].Parents) != 0 || log[0].Message != "Report" {
			t.Errorf("the branch does not begin without history: %+v", log)
		}

		pushes := b.counts()
		again := publish(t, branch, report("README.md", "one", "services/nova.md", "nova", "services/glance.md", "glance", "nodes/a/b.md", "b"))
		if again.Changed || again.Commit != first.Commit {
			t.Errorf("the same report again: %+v", again)
		}
		if got := b.counts(); got.Push != pushes.Push || got.ListRefsToPush != pushes.ListRefsToPush || got.Fetch != pushes.Fetch || got.ListRefs != pushes.ListRefs+1 {
			t.Errorf("the same report took %+v after %+v: want one list of refs", got, pushes)
		}

		second := publish(t, branch, report("README.md", "two", "services/nova.md", "nova"))
		if log := b.repo.Log(t, ref); len(log) != 2 || log[0].Hash != second.Commit || log[0].Parents[0] != first.Commit {
			t.Errorf("the second report is not on top of the first: %+v", log)
		}
		same(t, b.tree(t), map[string]string{"README.md": "two", "services/nova.md": "nova"})
		if got := b.repo.Tree(t, "refs/heads/main"); len(got) != 1 {
			t.Errorf("main has %q", got)
		}

		files, commit, err := b.open(t).Read(t.Context())
		if err != nil || commit.Hash != second.Commit || len(files) != 2 || string(files["README.md"]) != "two" {
			t.Errorf("reading gives %q, %+v, %v", files, commit, err)
		}
	})
}

func TestKeepsWhatOthersCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		first := publish(t, branch, report("README.md", "one", "services/nova.md", "nova"))
		others := b.repo.Commit(t, map[string]string{"NOTES.md": "theirs", "services/theirs.md": "theirs", "README.md": "vandalised"}, "Theirs", gitserver.OnBranch("kupenstack-status"))
		second := publish(t, branch, report("README.md", "one"))
		if second.Foreign == nil || second.Foreign.Hash != others || second.Foreign.Subject != "Theirs" {
			t.Errorf("the commit of others is reported as %+v", second.Foreign)
		}
		same(t, b.tree(t), map[string]string{"README.md": "one", "NOTES.md": "theirs", "services/theirs.md": "theirs"})
		if log := b.repo.Log(t, ref); len(log) != 3 || log[1].Hash != others || log[2].Hash != first.Commit {
			t.Errorf("the history is %+v", log)
		}
	})
}

// TestTakesItsPlace has a branch that people have made: what the report has is replaced there, and the rest stays.
func TestTakesItsPlace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		others := b.repo.Commit(t, map[string]string{"NOTES.md": "theirs", "README.md": "theirs", "services": "theirs"}, "Theirs", gitserver.OnBranch("kupenstack-status"))
		publish(t, b.open(t), report("README.md", "one", "services/nova.md", "nova"))
		same(t, b.tree(t), map[string]string{"README.md": "one", "NOTES.md": "theirs", "services/nova.md": "nova"})
		if log := b.repo.Log(t, ref); len(log) != 2 || log[1].Hash != others {
			t.Errorf("the history is %+v", log)
		}
	})
}

// TestMoved: a look at the refs, whoever takes it, tells whether the branch is as the last report or reading left it.
func TestMoved(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		watched, err := gitrepo.Open(t.Context(), b.watched)
		if err != nil {
			t.Fatal(err)
		}
		branch, err := statusbranch.New(watched, b.options)
		if err != nil {
			t.Fatal(err)
		}
		moved := func(after string, want bool) {
			t.Helper()
			if _, err := watched.Refs(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := branch.Moved(); got != want {
				t.Errorf("%s: moved is %v", after, got)
			}
		}
		read := func() {
			t.Helper()
			if _, _, err := branch.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		moved("at first", false)
		read()
		moved("before the first report", false)
		first := publish(t, branch, report("README.md", "one"))
		moved("after a report", false)
		b.repo.Commit(t, map[string]string{"README.md": "theirs"}, "Theirs", gitserver.OnBranch("kupenstack-status"))
		moved("after a commit of others", true)
		publish(t, branch, report("README.md", "one"))
		moved("after the same report", false)
		b.repo.ForcePush(t, ref, first.Commit)
		moved("back at an older report", true)
		read()
		moved("after reading that", false)
		b.repo.DeleteRef(t, ref)
		moved("without the branch", true)
		publish(t, branch, report("README.md", "one"))
		moved("with a new one", false)
	})
}

func TestBuildsAgainAfterARace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		publish(t, branch, report("README.md", "one"))
		b.repo.RaceNextPush(map[string]string{"NOTES.md": "faster"}, "Faster", gitserver.OnBranch("kupenstack-status"))
		result := publish(t, branch, report("README.md", "two"))
		if !result.Changed || result.Foreign == nil || result.Foreign.Subject != "Faster" {
			t.Errorf("got %+v", result)
		}
		same(t, b.tree(t), map[string]string{"README.md": "two", "NOTES.md": "faster"})
		if log := b.repo.Log(t, ref); len(log) != 3 {
			t.Errorf("the history is %+v", log)
		}
	})
}

func TestRaceForTheFirstCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.repo.RaceNextPush(map[string]string{"NOTES.md": "faster"}, "Faster", gitserver.OnBranch("kupenstack-status"))
		publish(t, b.open(t), report("README.md", "one"))
		same(t, b.tree(t), map[string]string{"README.md": "one", "NOTES.md": "faster"})
	})
}

func TestLostAnswerMakesNoSecondCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		publish(t, branch, report("README.md", "one"))
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, Times: 1, CutAfter: 1})
		result := publish(t, branch, report("README.md", "two"))
		if log := b.repo.Log(t, ref); len(log) != 2 || result.Commit != log[0].Hash || !result.Changed {
			t.Errorf("got %+v, history %+v", result, log)
		}

		// The same when the process ends before it can look.
		b.options.Attempts = 1
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, Times: 1, CutAfter: 1})
		_, err := b.open(t).Publish(t.Context(), report("README.md", "three"), "Report", nil)
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("the lost answer gave %v", err)
		}
		publish(t, b.open(t), report("README.md", "three"))
		if log := b.repo.Log(t, ref); len(log) != 3 {
			t.Errorf("the history is %+v", log)
		}
	})
}

func TestGivesUpWhenTheServerRefuses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.repo.RejectPushes(t, "the branch is protected "+canary)
		_, err := b.open(t).Publish(t.Context(), report("README.md", "one"), "Report", nil)
		if gitrepo.KindOf(err) != gitrepo.Rejected || !strings.Contains(err.Error(), "pre-receive hook declined: the branch is protected ") {
			t.Errorf("got %v", err)
		}
		if strings.HasPrefix(b.watched.URL, "http") && strings.Contains(err.Error(), canary) {
			t.Error("the error repeats the credential that the server named")
		}
		if got := b.counts(); got.Push != 1 {
			t.Errorf("it pushed %d times", got.Push)
		}
		b.repo.AcceptPushes(t)
		publish(t, b.open(t), report("README.md", "one"))
	})
}

func TestBoundsAttempts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.options.Attempts = 3
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, Status: 503})
		_, err := b.open(t).Publish(t.Context(), report("README.md", "one"), "Report", nil)
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("got %v", err)
		}
		if got := b.counts(); got.Push < 1 || got.Push > 3 {
			t.Errorf("it pushed %d times: %v", got.Push, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.open(t).Publish(ctx, report("README.md", "one"), "Report", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("after cancelling: %v", err)
		}
	})
}

func TestRefusesTheWatchedBranch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.options.Branch = "main" // also the default branch, which only the server knows
		if _, err := b.open(t).Publish(t.Context(), report("README.md", "one"), "Report", nil); err == nil || !strings.Contains(err.Error(), `"main"`) {
			t.Errorf("got %v", err)
		}
		b.watched.Ref = "main"
		watched, err := gitrepo.Open(t.Context(), b.watched)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := statusbranch.New(watched, b.options); err == nil {
			t.Error("the watched branch was taken")
		}
		if got := b.counts(); got.Push != 0 {
			t.Errorf("it pushed")
		}
	})
}

func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.repo.DeleteRef(t, "refs/heads/main")
		if files, _, err := b.open(t).Read(t.Context()); err != nil || len(files) != 0 {
			t.Errorf("reading gives %v, %v", files, err)
		}
		_, err := b.open(t).Publish(t.Context(), report("README.md", "one"), "Report", nil)
		if gitrepo.KindOf(err) != gitrepo.NoRef || len(b.repo.Refs(t)) != 0 {
			t.Errorf("got %v, refs %v", err, b.repo.Refs(t))
		}
	})
}

func TestReplacesFilesByDirectories(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		publish(t, branch, report("a", "file", "b/c", "inner"))
		publish(t, branch, report("a/x", "inner", "b", "file"))
		same(t, b.tree(t), map[string]string{"a/x": "inner", "b": "file"})
		publish(t, branch, nil)
		same(t, b.tree(t), map[string]string{})
	})
}
