package gitrepo_test

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// A process that was paused while it pushed, at any place, sends nothing more when somebody else is in charge by then.
func TestPushAsksWhereverItSends(t *testing.T) {
	t.Parallel()
	pushes := func(t *testing.T, b *bed) {
		source, lost := b.open(t), errors.New("the lease is lost")
		large := make([]byte, 1<<20)
		_, _ = rand.NewChaCha8([32]byte{7}).Read(large) // never fails, and cannot be made smaller
		push := func(ref string, against func(asked int64) bool) (int64, error) {
			draft, err := gitrepo.NewDraft(nil, map[string][]byte{"large": large}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := draft.Commit(gitrepo.Author{Name: "Us", Email: "us@localhost", When: time.Unix(1_700_000_000, 0)}, "Report\n", nil); err != nil {
				t.Fatal(err)
			}
			var asked atomic.Int64
			err = source.Push(t.Context(), gitrepo.Update{Ref: ref, Draft: draft, Guard: func() error {
				if against(asked.Add(1)) {
					return lost
				}
				return nil
			}})
			return asked.Load(), err
		}
		parts, err := push("refs/heads/whole", func(int64) bool { return false })
		if err != nil || parts < 30 || b.repo.Hash(t, "refs/heads/whole") == "" {
			t.Fatalf("asked %d times: %v", parts, err)
		}
		for _, test := range []struct {
			from int64 // so many answers later the lease is lost
			kind gitrepo.Kind
		}{{0, gitrepo.Withheld}, {1, gitrepo.Withheld}, {parts / 2, gitrepo.Unreachable}} {
			asked, err := push("refs/heads/lost", func(asked int64) bool { return asked > test.from })
			if !errors.Is(err, lost) || gitrepo.KindOf(err) != test.kind {
				t.Errorf("lost after %d of %d answers: asked %d times, and got %v", test.from, parts, asked, err)
			}
			if hash := b.repo.Hash(t, "refs/heads/lost"); hash != "" {
				t.Errorf("lost after %d of %d answers: the ref is at %s", test.from, parts, hash)
			}
		}
		if _, err := push("refs/heads/lost", func(int64) bool { return false }); err != nil || b.repo.Hash(t, "refs/heads/lost") == "" {
			t.Errorf("in charge again: %v", err)
		}
	}
	onBoth(t, pushes)
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		b, _ := newBed(t)
		b.options.URL = "file://" + b.repo.Dir
		pushes(t, b)
	})
}
