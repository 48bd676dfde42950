package revision_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// vaster is a repository of which more came since a commit than is looked at.
type vaster struct{ *gitrepo.Source }

func (v *vaster) Since(context.Context, string, string, func(string, []byte) error) error {
	return &gitrepo.Error{Kind: gitrepo.TooLarge, Text: "the answer is larger than the limit"}
}

// TestInForceElsewhereBesideOneThatCannotBeRead has a daemon that starts with an empty cache go on with what is in force
// where the newest commit cannot be had whole, whatever the reason.
func TestInForceElsewhereBesideOneThatCannotBeRead(t *testing.T) {
	for _, name := range []string{"unsigned", "unsigned, message of 1.2 MB", "unsigned, too many files", "signed, history too large"} {
		t.Run(name, func(t *testing.T) {
			p, who, cache := newPods(t), &people{}, t.TempDir()
			ada := gitserver.NewKey(t)
			who.trust(t, ada)
			first := p.commit(one, gitserver.SignedBy(ada))
			history := strings.Contains(name, "history")
			open := func(cache string) *revision.Tracker {
				source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: cache, MaxFiles: 50})
				if err != nil {
					t.Fatal(err)
				}
				var from revision.Source = source
				if history {
					from = &vaster{source}
				}
				tracker := revision.NewTracker(from, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{Language: schema.New()})
				tracker.Ledger, tracker.Trust = p.ledger, &revision.Trust{Signers: who.signers, History: history}
				return tracker
			}
			tracker := open(cache)
			p.keep(tracker, poll(t, tracker, "project.one").ID)
			files, message, opts := map[string]string{"main.hcl": two}, "Change", []gitserver.CommitOption{}
			switch {
			case strings.Contains(name, "message"):
				message = strings.Repeat("x", 1_200_000)
			case strings.Contains(name, "files"):
				for i := range 100 {
					files[fmt.Sprintf("f%d", i)] = "x"
				}
			case history:
				opts = append(opts, gitserver.SignedBy(ada))
			}
			p.repository.Commit(t, files, message, opts...)
			for what, c := range map[string]string{"its cache": cache, "elsewhere": t.TempDir()} {
				again := open(c)
				for i := range 2 {
					got, err := again.Poll(t.Context())
					if s := again.State(); s.InForce.Hash != first && (got == nil || got.ID != first) && (i > 0 || got == nil) || i > 0 && got != nil {
						t.Errorf("%s, poll %d: %v, %v; in force is %q, want %q", what, i, got, err, s.InForce.Hash, first)
					}
				}
			}
		})
	}
}
