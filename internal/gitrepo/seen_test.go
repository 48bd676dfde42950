package gitrepo_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// The refs that the last list told are known without a request, to branches of the source as well, and a
// push is part of them. A list that fails changes nothing.
func TestSeen(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		source := b.open(t)
		other, err := source.Branch("refs/heads/reports")
		if err != nil {
			t.Fatal(err)
		}
		if refs, ok := source.Seen(); ok || refs.Len() != 0 {
			t.Errorf("before any list: %v", refs)
		}
		side := b.repo.Commit(t, map[string]string{"a": "b"}, "Side", gitserver.OnBranch("side"))
		if _, err := source.Head(t.Context()); err != nil {
			t.Fatal(err)
		}
		knows := func(want map[string]string) {
			t.Helper()
			before := b.counts()
			for _, s := range []*gitrepo.Source{source, other} {
				refs, ok := s.Seen()
				all := map[string]string{}
				for name, hash := range refs.All() {
					all[name] = hash
				}
				if !ok || len(all) != len(want) {
					t.Errorf("known are %v, want %v", all, want)
				}
				for name, hash := range want {
					if all[name] != hash {
						t.Errorf("%s is at %q, want %s", name, all[name], hash)
					}
				}
			}
			if got := b.counts(); got != before {
				t.Errorf("that took %+v after %+v", got, before)
			}
		}
		knows(map[string]string{"refs/heads/main": b.first, "refs/heads/side": side})

		draft, err := gitrepo.NewDraft(nil, map[string][]byte{"README.md": []byte("all is well")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		commit, err := draft.Commit(gitrepo.Author{Name: "Us", Email: "us@localhost"}, "Report\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Push(t.Context(), gitrepo.Update{Ref: "refs/heads/reports", Draft: draft}); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{"refs/heads/main": b.first, "refs/heads/side": side, "refs/heads/reports": commit}
		knows(all)

		b.repo.DeleteRef(t, "refs/heads/side")
		b.server.SetFaults(gitserver.Faults{On: gitserver.ListRefs, Times: 1, CutAfter: 1})
		if _, err := source.Head(t.Context()); err == nil {
			t.Fatal("the list was not cut")
		}
		all["refs/heads/side"] = side
		knows(all)
	})
}

// A commit tells which ones it follows, though the cache has none of them.
func TestParents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		if tree := pull(t, b.open(t)); tree.Commit.Parents != "" {
			t.Errorf("the first commit follows %q", tree.Commit.Parents)
		}
		b.repo.Commit(t, map[string]string{"a": "b"}, "Second")
		if tree := pull(t, b.open(t)); tree.Commit.Parents != b.first {
			t.Errorf("the second commit follows %q, want %s", tree.Commit.Parents, b.first)
		}
	})
}
