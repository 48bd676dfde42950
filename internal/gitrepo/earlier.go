package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// recentHistory is how many generations are looked through before all of the history is fetched.
const recentHistory packp.DepthCommits = 64

// Earlier fetches a commit that the ref has had, and keeps it as [Source.Keep] does. Only what the
// history of the ref has on the server now counts: otherwise the error is of kind Lost. A directory
// has no history.
func (s *Source) Earlier(ctx context.Context, hash string) (*Tree, error) {
	if s.dir != nil {
		return nil, &Error{Kind: Lost, Where: s.at.display, Text: "a plain directory has no earlier revisions"}
	}
	if !isHash(hash) {
		return nil, &Error{Kind: Lost, Where: s.at.display, Text: fmt.Sprintf("%q is no commit", hash)}
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	rev := Revision{Ref: s.options.Ref, Hash: hash}
	tree, err := s.cache.dig(ctx, s.remote, rev, recentHistory)
	if errors.Is(err, errCutOff) {
		tree, err = s.cache.dig(ctx, s.remote, rev, wholeHistory)
	}
	return tree, s.at.placed(err)
}

// errCutOff says that the history that was fetched goes on at the server.
var errCutOff = errors.New("the history of the ref is not there as a whole")

// dig fetches the ref with some of its history and looks for a commit in there.
func (c *cache) dig(ctx context.Context, from *remote, rev Revision, depth packp.DepthCommits) (*Tree, error) {
	newer := false
	tree, err := c.aside(rev.Hash, func(fresh *store) (string, error) {
		now, err := from.download(ctx, rev, had{}, depth, fresh)
		if err != nil {
			return "", err
		}
		found, cut, err := fresh.reaches(now.Hash, rev.Hash)
		switch {
		case err != nil:
			return "", err
		case !found && cut:
			return "", errCutOff
		case !found:
			return "", &Error{Kind: Lost, Text: fmt.Sprintf("the history of %s does not have the commit %s", now.Ref, rev.Hash)}
		}
		_, _ = c.newest() // which may not have been read yet; without one nothing is newer
		newer, _, err = fresh.reaches(c.tip.Hash, rev.Hash)
		return now.Ref, err
	}, func(tree *Tree) error {
		if newer {
			return nil
		}
		// What was fetched last is older, or of another history: who begins without the network must not go back to that. That
		// would take the tip for newer than what is kept, so that the tip comes first: a process may be killed in between.
		_, err := c.record(tip{Ref: tree.Revision.Ref, Hash: rev.Hash, Directory: filepath.Base(tree.store.dir)}, tree.store)
		return err
	})
	return tree, err
}

// aside has a commit brought into a fresh repository, and keeps it beside the tip. bring returns the name of
// the ref; before is called with the tree before it is kept.
func (c *cache) aside(hash string, bring func(fresh *store) (string, error), before func(*Tree) error) (*Tree, error) {
	fresh, err := c.begin()
	if err != nil {
		return nil, err
	}
	tree, err := c.keepAside(fresh, hash, bring, before)
	if err != nil {
		if c.tip.Directory == filepath.Base(fresh.dir) {
			return nil, err // it is the tip by now
		}
		return nil, errors.Join(err, os.RemoveAll(fresh.dir))
	}
	c.sweep()
	return tree, nil
}

func (c *cache) keepAside(fresh *store, hash string, bring func(*store) (string, error), before func(*Tree) error) (*Tree, error) {
	ref, err := bring(fresh)
	if err != nil {
		return nil, err
	}
	if err := fresh.complete(hash, c.options.MaxFiles); err != nil {
		return nil, err
	}
	tree, err := fresh.tree(Revision{Ref: ref, Hash: hash}, c.options)
	if err == nil {
		err = before(tree)
	}
	if err != nil {
		return nil, err
	}
	return tree, c.writeKept(tip{Ref: ref, Hash: hash, Directory: filepath.Base(fresh.dir)})
}

// reaches tells whether a commit is another one or among its ancestors, and whether the history is cut
// off somewhere.
func (s *store) reaches(from, to string) (found, cut bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[plumbing.Hash]bool{}
	for queue := []plumbing.Hash{plumbing.NewHash(from)}; len(queue) > 0; queue = queue[1:] {
		hash := queue[0]
		if seen[hash] {
			continue
		}
		seen[hash] = true
		commit, err := object.GetCommit(s.objects, hash)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			cut = true
		case err != nil:
			return false, false, broken("commit", err)
		case hash.String() == to:
			return true, false, nil
		default:
			queue = append(queue, commit.ParentHashes...)
		}
	}
	return false, cut, nil
}
