package revision

import (
	"context"
	"errors"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// firstLook is how long a source has to tell what is newest.
func (t *Tracker) firstLook() time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.begun || t.FirstLook == 0 {
		return headLimit
	}
	return t.FirstLook
}

// newest asks the source for its newest revision, and does not wait long for a source that hangs: what is in the cache
// is not looked at before.
func (t *Tracker) newest(ctx context.Context, limit time.Duration) (gitrepo.Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return t.source.Head(ctx)
}

// reached notes that the source has told what its newest revision is, and tells whether that one was looked into already.
func (t *Tracker) reached(head gitrepo.Revision, signers *trusted) (known bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.state.Unreachable = nil
	return head == t.head && signers.digest() == t.signers
}

// Unchanged tells whether a poll would go well now and find nothing new. It takes up nothing, for a process that is about to
// end, and waits no longer than the context and the first poll do.
func (t *Tracker) Unchanged(ctx context.Context) bool {
	t.polling.Lock()
	defer t.polling.Unlock()
	signers, err := t.Trust.signers()
	if err != nil {
		return false
	}
	if t.Reread != nil {
		if options, err := t.Reread(); err != nil || !t.options.equal(options) {
			return false
		}
	}
	limit := headLimit
	if t.FirstLook > 0 {
		limit = t.FirstLook
	}
	head, err := t.newest(ctx, limit)
	return err == nil && t.reached(head, signers)
}

// fetch gets the files of the newest revision. Where something was fetched before, a source has little time for that before this
// process has begun; it tells whether that was too little.
func (t *Tracker) fetch(ctx context.Context, head gitrepo.Revision) (tree *gitrepo.Tree, hurried bool, err error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	if first := t.firstLook(); first != headLimit {
		if t.hasFetched(ctx) {
			limited, cancel = context.WithTimeout(ctx, first)
			defer cancel()
		}
	}
	tree, err = t.source.Fetch(limited, head)
	return tree, err != nil && limited.Err() != nil, err
}

// hasFetched tells whether there is something that was fetched before.
func (t *Tracker) hasFetched(ctx context.Context) bool {
	_, err := t.source.Cached(ctx)
	if err != nil {
		_, err = t.source.Kept(ctx)
	}
	return err == nil
}

// meanwhile tells whether this process begins with what was fetched before, as the source takes too long, or is over.
func (t *Tracker) meanwhile(ctx context.Context, signers *trusted, err error) (begins bool, found *engine.Revision, cause error) {
	found, cause = t.offline(ctx, signers, err)
	return t.firstLook() == headLimit || ctx.Err() != nil, found, cause
}

// unfetched goes on with what is there already when the newest revision cannot be had.
func (t *Tracker) unfetched(ctx context.Context, head gitrepo.Revision, signers *trusted, err error) (*engine.Revision, error) {
	if gitrepo.KindOf(err) != gitrepo.Unreachable {
		if revision, err := t.goOn(ctx, head.Hash, signers, err); revision != nil {
			return revision, err
		}
	}
	return t.offline(ctx, signers, err)
}

// offline keeps what is known; at the start it takes the last revision that was ever fetched, unless
// that is older than what is in force, or cannot be read: then it takes what is in force, if that was kept. While nothing is in
// force it tries that again when others are trusted, or the options are others: who puts these right need not wait for the source.
func (t *Tracker) offline(ctx context.Context, signers *trusted, cause error) (*engine.Revision, error) {
	t.mutex.Lock()
	t.state.Unreachable = cause
	anew := t.loaded == nil && t.admitted == nil && (t.other || t.signers != signers.digest())
	begun := t.begun && !anew
	t.mutex.Unlock()
	if begun {
		return nil, cause
	}
	tree, unread := t.source.Cached(ctx)
	if unread != nil {
		if gitrepo.KindOf(unread) == gitrepo.Broken {
			cause = errors.Join(cause, unread)
		}
		// That there is nothing in the cache says nothing new. Where it is damaged what was kept may be whole.
		var err error
		if tree, err = t.source.Kept(ctx); err != nil {
			return nil, cause
		}
	}
	id, err := t.recorded(ctx)
	switch {
	case err != nil:
		return nil, errors.Join(cause, err)
	case unread != nil && id != tree.Revision.Hash:
		return nil, cause
	case id != "" && id != tree.Revision.Hash:
		// What was fetched here after the one in force is newer than that; anything else may be older.
		if kept, err := t.source.Kept(ctx); err != nil || kept.Revision.Hash != id {
			return nil, cause
		}
	}
	revision, err := t.take(ctx, tree, gitrepo.Revision{}, signers)
	if err != nil {
		return t.goOn(ctx, tree.Revision.Hash, signers, err)
	}
	return revision, cause
}
