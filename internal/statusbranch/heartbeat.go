package statusbranch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// heartbeats is where [Branch.Beat] leaves word for the default branch. It is no branch: forges do not show it,
// and nothing that watches branches hears of it.
const heartbeats = "refs/kupenstack/heartbeat"

// HeartbeatRef returns the ref where [Branch.Beat] leaves word for a status branch, so that clouds which report
// to different branches of a repository do not overwrite each other's.
func HeartbeatRef(branch string) string {
	if branch = strings.TrimPrefix(branch, branches); branch == DefaultBranch {
		return heartbeats
	}
	return heartbeats + "-of/" + branch // a ref cannot lie below another one
}

// vouches makes sure that the report is not another cloud's, from what is kept of the branch as far as it has not moved.
func (b *Branch) vouches(ctx context.Context, refs gitrepo.Refs) error {
	us, err := b.identify(ctx)
	if err != nil {
		return err
	}
	tree, err := b.tip(ctx, refs)
	if err == nil {
		_, err = b.claim(us, tree)
	}
	return err
}

// heartbeatFile is the only file of a heartbeat's commit.
const heartbeatFile = "observed-until"

// Beat says until when the world was observed, in place of what was said before: one commit without a
// parent, so that nothing piles up. The status branch stays as it is. Unlike the other methods it may be
// called at any time. Where the report is that of another cloud, the error is a [TakenError]: the word would vouch for
// what this cloud does not see.
func (b *Branch) Beat(ctx context.Context, until time.Time) error {
	refs, err := b.look(ctx)
	if err != nil {
		return err
	}
	if refs.Len() == 0 {
		return b.empty()
	}
	if err := b.vouches(ctx, refs); err != nil {
		return err
	}
	said := until.UTC().Format(time.RFC3339)
	draft, err := gitrepo.NewDraft(nil, map[string][]byte{heartbeatFile: []byte(said + "\n")}, nil)
	if err != nil {
		return fmt.Errorf("build the heartbeat: %w", err)
	}
	if _, err := draft.Commit(b.author(until.UTC()), "Observed until "+said+"\n", b.options.Sign); err != nil {
		return fmt.Errorf("build the heartbeat: %w", err)
	}
	ref := HeartbeatRef(b.ref)
	if err := b.watched.Push(ctx, gitrepo.Update{Ref: ref, Old: refs.Hash(ref), Draft: draft, Guard: b.options.Guard}); err != nil {
		return fmt.Errorf("push the heartbeat: %w", err)
	}
	return nil
}
