//go:build beds

package gitserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

func TestRejectedPush(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		pushed := commit(t, clone, "new.hcl", "new\n")
		b.repo.RejectPushes(t, "it's \"protected\"")
		if err := b.push(timeout(t), clone); err == nil || !strings.Contains(err.Error(), "pre-receive hook declined") {
			t.Errorf("rejected push: %v", err)
		}
		if got := b.repo.Hash(t, "main"); got != b.first {
			t.Errorf("the branch moved to %s", got)
		}
		dir := t.TempDir()
		b.mustRun(t, "", "clone", "--quiet", b.gitURL, dir)
		if out, err := b.run(t, dir, "push", "origin", "HEAD:refs/heads/other"); err == nil || !strings.Contains(out, "it's \"protected\"") {
			t.Errorf("the git client is not told the reason: %v: %s", err, out)
		}
		b.repo.AcceptPushes(t)
		if err := b.push(timeout(t), clone); err != nil {
			t.Errorf("accepted push: %v", err)
		}
		if got := b.repo.Hash(t, "main"); got != pushed {
			t.Errorf("the branch is at %s, want %s", got, pushed)
		}
	})
}

func TestLostRace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		mine := commit(t, clone, "mine.hcl", "mine\n")
		b.repo.RaceNextPush(map[string]string{"theirs.hcl": "theirs\n"}, "Theirs")
		lease := &git.PushOptions{
			Auth:           b.auth,
			RefSpecs:       []config.RefSpec{"+refs/heads/main:refs/heads/main"},
			ForceWithLease: &git.ForceWithLease{RefName: "refs/heads/main", Hash: plumbing.NewHash(b.first)},
		}
		if err := clone.PushContext(timeout(t), lease); err == nil || errors.Is(err, git.NoErrAlreadyUpToDate) {
			t.Errorf("the push that lost the race: %v, want an error", err)
		}
		log := b.repo.Log(t, "main")
		if len(log) != 2 || log[0].Message != "Theirs" || log[1].Hash != b.first {
			t.Fatalf("after the race the log is %+v", log)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 1, Fetch: 1, ListRefsToPush: 1, Push: 1})

		// The race happens once: with the new lease the second push wins.
		lease.ForceWithLease.Hash = plumbing.NewHash(log[0].Hash)
		if err := clone.PushContext(timeout(t), lease); err != nil {
			t.Errorf("the second push: %v", err)
		}
		if got := b.repo.Hash(t, "main"); got != mine {
			t.Errorf("the branch is at %s, want %s", got, mine)
		}
	})
}

func TestFailingPushHook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		commit(t, clone, "new.hcl", "new\n")
		b.repo.OnNextPush(func(context.Context) error { return errors.New("disk full") })
		if err := b.push(timeout(t), clone); err == nil {
			t.Error("the push succeeded")
		}
		if got := b.repo.Hash(t, "main"); got != b.first {
			t.Errorf("the branch moved to %s", got)
		}
		if err := b.push(timeout(t), clone); err != nil {
			t.Errorf("the next push: %v", err)
		}
	})
}

// A push whose answer is lost looks like a failure to the client and is none.
func TestPushWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		pushed := commit(t, clone, "new.hcl", "new\n")
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, CutAfter: 1})
		if err := b.push(timeout(t), clone); err == nil {
			t.Error("the client takes the push for a success")
		}
		b.server.Stop(t) // Git may still be at work: Stop waits for it
		if got := b.repo.Hash(t, "main"); got != pushed {
			t.Errorf("the branch is at %s, want %s", got, pushed)
		}
		b.server.Start(t)
		b.server.SetFaults(gitserver.Faults{})
		if err := b.push(timeout(t), clone); !errors.Is(err, git.NoErrAlreadyUpToDate) {
			t.Errorf("the second push: %v, want %v", err, git.NoErrAlreadyUpToDate)
		}
	})
}
