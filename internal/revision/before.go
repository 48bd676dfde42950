package revision

import (
	"context"
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// inForce is a revision that was admitted.
type inForce struct {
	loaded *Loaded // nil when there is none that still makes sense
	commit gitrepo.Commit
	lost   error // why it cannot be had
}

// before returns what was in force before this process began. The ledger says which revision that is,
// and without one what this machine kept. Its files come from the newest revision, from what was kept,
// or from the history of the source. The error says that a retry may help; good tells that the newest
// can do without.
func (t *Tracker) before(ctx context.Context, newest *Loaded, commit gitrepo.Commit, good bool, signers *trusted) (inForce, error) {
	id, err := t.recorded(ctx)
	if err != nil {
		return inForce{}, err
	}
	if id != "" && id == commit.Hash {
		return same(newest, commit), nil
	}
	tree, err := t.source.Kept(ctx)
	switch {
	case id == "" && err != nil:
		return inForce{}, nil //nolint:nilerr // nothing is on record, and nothing was kept
	case id == "" || err == nil && tree.Revision.Hash == id:
		return t.read(ctx, tree, newest, signers)
	}
	tree, err = t.source.Earlier(ctx, id)
	switch kind := gitrepo.KindOf(err); {
	case err == nil:
		return t.read(ctx, tree, newest, signers)
	case good || kind == gitrepo.Lost || kind == gitrepo.TooLarge:
		return inForce{lost: fmt.Errorf("the last good one cannot be had: %w", err)}, nil
	default:
		return inForce{}, fmt.Errorf("fetch the last good revision %s: %w", id, err)
	}
}

// goOn has a process that begins go on with the revision in force by the ledger, as it was kept, when a newer one cannot
// be looked into: what led to that one may be needed, and be too large or out of reach. The next poll tries it again. The
// error is the cause, as that one is not known to be taken or refused.
func (t *Tracker) goOn(ctx context.Context, newer string, signers *trusted, cause error) (*engine.Revision, error) {
	t.mutex.Lock()
	begun := t.begun
	t.mutex.Unlock()
	if begun {
		return nil, cause
	}
	id, err := t.recorded(ctx)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if id == "" || id == newer {
		return nil, cause
	}
	kept, err := t.source.Kept(ctx)
	if err != nil || kept.Revision.Hash != id {
		if kept, err = t.source.Earlier(ctx, id); err != nil {
			return nil, cause // that nothing else is at hand says nothing new
		}
	}
	revision, err := t.take(ctx, kept, gitrepo.Revision{}, signers)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	return revision, cause
}

// same is for a newest revision that was in force before.
func same(newest *Loaded, commit gitrepo.Commit) inForce {
	if newest == nil {
		return inForce{lost: errors.New("it was in force before: the values from outside are others, or those who are trusted, or the program is")}
	}
	return inForce{loaded: newest, commit: commit}
}

// read reads a revision that was in force.
func (t *Tracker) read(ctx context.Context, tree *gitrepo.Tree, newest *Loaded, signers *trusted) (inForce, error) {
	commit := commitOf(tree)
	if newest != nil && newest.ID == commit.Hash {
		return same(newest, commit), nil
	}
	switch why, err := signers.check(tree); {
	case err != nil:
		return inForce{}, err
	case why != nil:
		return inForce{lost: fmt.Errorf("the last good one, %s, %w", commit.Hash, why)}, nil
	}
	files, err := tree.FS(".")
	if damage := tree.Damage(); damage != nil {
		return inForce{}, damage
	}
	if err != nil {
		return inForce{lost: fmt.Errorf("the last good one, %s, cannot be read: %w", commit.Hash, err)}, nil
	}
	loaded, _, err := t.Reader.Load(ctx, commit.Hash, files, t.path, t.options)
	switch damage := tree.Damage(); {
	case damage != nil:
		return inForce{}, damage
	case err != nil:
		return inForce{}, err
	case loaded == nil:
		return inForce{lost: fmt.Errorf("the last good one, %s, has mistakes, too, as this process reads it", commit.Hash)}, nil
	}
	return inForce{loaded: loaded, commit: commit}, nil
}

// Problem says why no revision is in force; "" when one is, or none was looked into yet.
func (s State) Problem() string {
	if s.Bad == nil || s.Applied.Hash != "" {
		return ""
	}
	why := "none before it is at hand"
	if s.Lost != nil {
		why = s.Lost.Error()
	}
	return "no revision is in force, and nothing is changed: the newest has mistakes or is not trusted, and " + why
}

// commitOf returns what a tree is a commit of; for a directory the digest of its content stands for that.
func commitOf(tree *gitrepo.Tree) gitrepo.Commit {
	commit := tree.Commit
	if commit.Hash == "" {
		commit.Hash = tree.Revision.Hash
	}
	return commit
}
