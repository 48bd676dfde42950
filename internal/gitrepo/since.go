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

// LargeCommit says of a commit that it is larger than one that is read as Git hashes it.
type LargeCommit struct{ Hash string }

func (*LargeCommit) Error() string {
	return fmt.Sprintf("is larger than %d MiB, and is not looked at", maxCommit>>20)
}

// Since has each called for every commit that is in the history of a commit of the ref, itself included, and not
// in that of another one, as Git hashes it and in no order that means anything. When its history does not have the
// other one, which it then does not come after, the error is of kind Rewound. An error of each ends the call and is
// returned as it is, and so does a commit that is not read: a [LargeCommit]. The history is fetched for this and not kept: some of it, and all only where a commit that may be
// new leads further, without the files where the server can leave them out. When the ref is at another commit by now whose
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
	now, err := from.downloadCommits(ctx, Revision{Ref: c.options.Ref, Hash: hash}, depth, fresh)
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

// news returns what the history of a commit has and that of another one in it lacks. What the other one reaches is
// found first, as far as it is here, so that the way of a branch that was not rebased before it was merged ends where
// it left, and not where history is cut off. Whatever is not known to be reached is news. The error is errCutOff when
// such a commit follows one that is not here, which may be news, too, or when its way leads past what is known to
// where all began, and so came out of what the other one reaches beyond the cut.
func (s *store) news(after, hash plumbing.Hash) ([]plumbing.Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[plumbing.Hash]bool{}
	old, err := s.walk(after, known)
	if err != nil {
		return nil, err
	}
	news, err := s.walk(hash, known)
	if err == nil && (news.cut || news.root && old.cut) {
		err = errCutOff
	}
	return news.commits, err
}

// walked is what a walk came to.
type walked struct {
	commits []plumbing.Hash // that are here
	cut     bool            // others are not here
	root    bool            // one follows none
}

// walk goes from a commit to its ancestors, but for those that are known and that only come behind them. All that it
// comes to is known from then on, be it here or not. The lock is held.
func (s *store) walk(from plumbing.Hash, known map[plumbing.Hash]bool) (w walked, err error) {
	for queue := []plumbing.Hash{from}; len(queue) > 0; queue = queue[1:] {
		hash := queue[0]
		if known[hash] {
			continue
		}
		known[hash] = true
		commit, err := object.GetCommit(s.objects, hash)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			w.cut = true
		case err != nil:
			return w, broken("commit", err)
		default:
			w.commits, w.root = append(w.commits, hash), w.root || len(commit.ParentHashes) == 0
			queue = append(queue, commit.ParentHashes...)
		}
	}
	return w, nil
}

// commit returns a commit as Git hashes it; a large one is a [LargeCommit].
func (s *store) commit(hash plumbing.Hash) (_ []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoded, err := s.genuine(plumbing.CommitObject, hash)
	if err != nil {
		return nil, broken("commit", err)
	}
	if encoded.Size() > maxCommit {
		return nil, &LargeCommit{hash.String()}
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, broken("commit", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return io.ReadAll(io.LimitReader(reader, maxCommit))
}
