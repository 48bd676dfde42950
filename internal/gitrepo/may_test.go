package gitrepo_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// A process that was paused while it asked, at any place, asks nothing more when somebody else is in charge by then.
func TestAsksWhereverItSends(t *testing.T) {
	t.Parallel()
	asks := func(t *testing.T, b *bed) {
		lost := errors.New("the lease is lost")
		var asked, last atomic.Int64
		b.options.May = func() error {
			if asked.Add(1) > last.Load() {
				return lost
			}
			return nil
		}
		do := map[string]func() error{}
		source := b.open(t)
		do["list"] = func() error { _, err := source.Refs(t.Context()); return err }
		do["fetch"] = func() error {
			b.options.CacheDir = t.TempDir()
			fresh := b.open(t)
			_, err := fresh.Fetch(t.Context(), gitrepo.Revision{Ref: "refs/heads/main", Hash: b.first})
			return err
		}
		do["push"] = func() error {
			return source.Push(t.Context(), gitrepo.Update{Ref: fmt.Sprintf("refs/heads/pushed-%d", last.Load()), Draft: draftOf(t)})
		}
		for _, name := range []string{"list", "fetch", "push"} {
			asked.Store(0)
			last.Store(1 << 40)
			if name != "push" {
				if err := do[name](); err != nil || asked.Load() < 2 {
					t.Fatalf("%s: asked %d times: %v", name, asked.Load(), err)
				}
			}
			for n := range int64(2) { // before the connection, and when it is there
				before := b.counts()
				asked.Store(0)
				last.Store(n)
				err := do[name]()
				if !errors.Is(err, lost) || gitrepo.KindOf(err) != gitrepo.Withheld {
					t.Errorf("%s, lost after %d answers: %v", name, n, err)
				}
				if after := b.counts(); after != before {
					t.Errorf("%s, lost after %d answers: the server was asked: %+v, then %+v", name, n, before, after)
				}
			}
			before := b.counts()
			for n := int64(2); ; n++ { // it is cut off somewhere, or done
				asked.Store(0)
				last.Store(n)
				err := do[name]()
				if err == nil {
					break
				}
				if !errors.Is(err, lost) {
					t.Errorf("%s, lost after %d answers: asked %d times, and got %v", name, n, asked.Load(), err)
				}
			}
			if b.counts() == before {
				t.Errorf("%s never came about", name)
			}
		}
	}
	onBoth(t, asks)
}

func draftOf(t *testing.T) *gitrepo.Draft {
	t.Helper()
	draft, err := gitrepo.NewDraft(nil, map[string][]byte{"README.md": []byte("well\n")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Commit(gitrepo.Author{Name: "Us", Email: "us@localhost"}, "Report\n", nil); err != nil {
		t.Fatal(err)
	}
	return draft
}
