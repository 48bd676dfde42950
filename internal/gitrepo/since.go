package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// maxCommit is the size of a commit that is read as Git hashes it.
const maxCommit = 1 << 20

// Since has each called for every commit that is in the history of a commit of the ref, itself included, and not
// in that of another one, as Git hashes it and in no order that means anything. When its history does not have the
// other one, which it then does not come after, the error is of kind Rewound. An error of each ends the call and is
// returned as it is. The history is fetched for this and not kept. When the ref is at another commit by now whose
// history does not have the first, the error is of kind Lost. A directory has no history.
func (s *Source) Since(ctx context.Context, after, hash string, each func(hash string, raw []byte) error) error {
	if s.dir != nil {
		return &Error{Kind: Lost, Where: s.at.display, Text: "a plain directory has no history"}
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	err := s.cache.since(ctx, s.remote, after, hash, recentHistory, each)
	if errors.Is(err, errCutOff) {
		err = s.cache.since(ctx, s.remote, after, hash, wholeHistory, each)
	}
	return s.at.placed(err)
}

func (c *cache) since(ctx context.Context, from *remote, after, hash string, depth packp.DepthCommits, each func(string, []byte) error) (err error) {
	fresh, err := c.begin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh.dir)) }()
	now, err := from.download(ctx, Revision{Ref: c.options.Ref, Hash: hash}, plumbing.ZeroHash, depth, fresh)
	if err != nil {
		return err
	}
	switch found, cut, err := fresh.reaches(now.Hash, hash); {
	case err != nil:
		return err
	case !found && cut:
		return errCutOff
	case !found:
		return &Error{Kind: Lost, Text: fmt.Sprintf("the history of %s does not have the commit %s", now.Ref, hash)}
	}
	switch found, cut, err := fresh.reaches(hash, after); {
	case err != nil:
		return err
	case !found && cut:
		return errCutOff
	case !found:
		return &Error{Kind: Rewound, Text: fmt.Sprintf("the history of the commit %s does not have the commit %s", hash, after)}
	}
	news, err := fresh.news(plumbing.NewHash(after), plumbing.NewHash(hash))
	if err != nil {
		return err
	}
	for _, hash := range news {
		raw, err := fresh.commit(hash)
		if err != nil {
			return err
		}
		if err := each(hash.String(), raw); err != nil {
			return err
		}
	}
	return nil
}

// news returns what the history of a commit has and that of another one in it lacks. The error is errCutOff when
// what is here does not tell.
func (s *store) news(after, hash plumbing.Hash) ([]plumbing.Hash, error) {
	found, roots, err := s.walk(hash, map[plumbing.Hash]bool{after: true})
	if err != nil || !roots {
		return found, err // every way leads to the other one: none of these came before it
	}
	old, _, err := s.walk(after, nil)
	if err != nil {
		return nil, err
	}
	before := map[plumbing.Hash]bool{}
	for _, hash := range old {
		before[hash] = true
	}
	var news []plumbing.Hash
	for _, hash := range found {
		if !before[hash] {
			news = append(news, hash)
		}
	}
	return news, nil
}

// walk returns a commit and its ancestors, but for those that it stops at and that only come behind them. roots
// says that it came to where a history begins.
func (s *store) walk(from plumbing.Hash, stop map[plumbing.Hash]bool) (found []plumbing.Hash, roots bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[plumbing.Hash]bool{}
	for queue := []plumbing.Hash{from}; len(queue) > 0; queue = queue[1:] {
		hash := queue[0]
		if seen[hash] || stop[hash] {
			continue
		}
		seen[hash] = true
		commit, err := object.GetCommit(s.objects, hash)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound) && len(found) > 0:
			return nil, false, errCutOff
		case errors.Is(err, plumbing.ErrObjectNotFound):
			return nil, false, err
		case err != nil:
			return nil, false, broken("commit", err)
		}
		found, roots = append(found, hash), roots || len(commit.ParentHashes) == 0
		queue = append(queue, commit.ParentHashes...)
	}
	return found, roots, nil
}

// commit returns a commit as Git hashes it.
func (s *store) commit(hash plumbing.Hash) (_ []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoded, err := s.objects.EncodedObject(plumbing.CommitObject, hash)
	if err != nil {
		return nil, broken("commit", err)
	}
	if err := tooLarge(encoded.Size(), maxCommit); err != nil {
		return nil, err
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, broken("commit", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return io.ReadAll(io.LimitReader(reader, maxCommit))
}
