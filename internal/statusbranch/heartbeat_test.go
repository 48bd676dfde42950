package statusbranch_test

import (
	"cmp"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// A heartbeat takes the place of the one before, and touches neither branch.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		branch := b.open(t)
		if _, err := branch.Publish(t.Context(), report("README.md", "one\n"), "One", nil); err != nil {
			t.Fatal(err)
		}
		reports, configuration := b.repo.Hash(t, ref), b.repo.Hash(t, "refs/heads/main")
		beats := statusbranch.HeartbeatRef(statusbranch.DefaultBranch)
		pushes := b.counts().Push
		for _, at := range []string{"2026-01-02T03:04:05Z", "2026-01-02T04:04:05Z"} {
			until, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			if err := branch.Beat(t.Context(), until.In(time.FixedZone("", 3600))); err != nil {
				t.Fatal(err)
			}
			log, err := exec.CommandContext(t.Context(), "git", "-C", b.repo.Dir, "log", "--format=%s %cI", beats).Output()
			if want := "Observed until " + at + " " + strings.Replace(at, "Z", "+00:00", 1) + "\n"; err != nil || string(log) != want && string(log) != "Observed until "+at+" "+at+"\n" {
				t.Errorf("the log is %q, %v; want %q", log, err, want)
			}
			file, err := exec.CommandContext(t.Context(), "git", "-C", b.repo.Dir, "show", beats+":observed-until").Output()
			if err != nil || string(file) != at+"\n" {
				t.Errorf("observed-until has %q, %v", file, err)
			}
		}
		if n := b.counts().Push - pushes; n != 2 {
			t.Errorf("%d pushes for two heartbeats", n)
		}
		if b.repo.Hash(t, ref) != reports || b.repo.Hash(t, "refs/heads/main") != configuration {
			t.Error("a branch moved")
		}
		// Reports go on as before, from what is kept of the branch.
		fetches := b.counts().Fetch
		if result, err := branch.Publish(t.Context(), report("README.md", "two\n"), "Two", nil); err != nil || !result.Changed {
			t.Errorf("%+v, %v", result, err)
		}
		if n := b.counts().Fetch - fetches; n != 0 {
			t.Errorf("%d fetches for a report after a heartbeat", n)
		}
	})
}

// Clouds that report to branches of their own leave word beside each other.
func TestHeartbeatOfEachBranch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		said := map[string]string{}
		for n, branch := range []string{"", "status/test", "status/prod"} {
			b.options.Branch = branch
			if err := b.open(t).Beat(t.Context(), time.Date(2026, 1, 2, n, 0, 0, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
			name := cmp.Or(branch, statusbranch.DefaultBranch)
			said[statusbranch.HeartbeatRef(name)] = b.repo.Hash(t, statusbranch.HeartbeatRef("refs/heads/"+name))
		}
		if len(said) != 3 || said["refs/kupenstack/heartbeat"] == "" {
			t.Fatalf("heartbeats went to %v", said)
		}
		for ref, hash := range said {
			if now := b.repo.Hash(t, ref); now == "" || now != hash {
				t.Errorf("%s is at %q, and was at %q", ref, now, hash)
			}
		}
	})
}

func TestHeartbeatHasNowhereToGo(t *testing.T) {
	t.Parallel()
	store := gitserver.NewStore(t)
	repo := store.Create(t, "cloud")
	options := gitrepo.Options{URL: "file://" + repo.Dir, CacheDir: t.TempDir()}
	watched, err := gitrepo.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := statusbranch.New(watched, statusbranch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := branch.Beat(t.Context(), time.Now()); gitrepo.KindOf(err) != gitrepo.NoRef {
		t.Errorf("an empty repository: %v", err)
	}
	options.Ref = statusbranch.HeartbeatRef("other")
	if watched, err = gitrepo.Open(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if _, err := statusbranch.New(watched, statusbranch.Options{}); err == nil {
		t.Error("the configuration would be written over")
	}
}

// TestHeartbeatBesideTheReportOfAnotherCloud: a cloud whose report is not the one that people read vouches for nothing, and
// leaves the word of the one whose it is.
func TestHeartbeatBesideTheReportOfAnotherCloud(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		one, two := b.as(t, "clouds/prod", "one"), b.as(t, "clouds/prod", "two")
		publish(t, one, report("README.md", "converged"))
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := one.Beat(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		beats := statusbranch.HeartbeatRef(statusbranch.DefaultBranch)
		said := b.repo.Hash(t, beats)
		for _, other := range []*statusbranch.Branch{two, b.as(t, "clouds/test", "one")} {
			err := other.Beat(t.Context(), at.AddDate(0, 6, 0))
			if taken := (*statusbranch.TakenError)(nil); !errors.As(err, &taken) || b.repo.Hash(t, beats) != said {
				t.Errorf("another cloud: %v", err)
			}
		}
		// Word of reports and word of the heart go side by side.
		var group sync.WaitGroup
		defer group.Wait()
		group.Go(func() {
			if _, err := one.Publish(t.Context(), report("README.md", "drifted"), "Report", nil); err != nil {
				t.Error(err)
			}
		})
		if err := one.Beat(t.Context(), at.AddDate(0, 0, 1)); err != nil {
			t.Error(err)
		}
	})
}
