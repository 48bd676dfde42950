package statusbranch

import (
	"context"
	"fmt"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// HeartbeatRef is where [Branch.Beat] leaves word. It is no branch: forges do not show it, and nothing
// that watches branches hears of it.
const HeartbeatRef = "refs/kupenstack/heartbeat"

// heartbeatFile is the only file of a heartbeat's commit.
const heartbeatFile = "observed-until"

// Beat says until when the world was observed, in place of what was said before: one commit without a
// parent, so that nothing piles up. The status branch stays as it is. Unlike the other methods it may be
// called at any time.
func (b *Branch) Beat(ctx context.Context, until time.Time) error {
	refs, err := b.look(ctx)
	if err != nil {
		return err
	}
	if refs.Len() == 0 {
		return b.empty()
	}
	said := until.UTC().Format(time.RFC3339)
	build := &builder{fresh: memory.NewStorage()}
	root, err := build.build(map[string][]byte{heartbeatFile: []byte(said + "\n")}, nil)
	if err != nil {
		return err
	}
	author := object.Signature{Name: b.options.Name, Email: b.options.Email, When: until.UTC()}
	commit, err := build.commit(root, plumbing.ZeroHash, author, "Observed until "+said+"\n")
	if err != nil {
		return err
	}
	old, _ := refs.Hash(HeartbeatRef) // none before the first
	if err := b.watched.Push(ctx, gitrepo.Update{Ref: HeartbeatRef, Old: old, New: commit, Objects: build.fresh, Hashes: build.hashes}); err != nil {
		return fmt.Errorf("push the heartbeat: %w", err)
	}
	return nil
}
