package gitrepo

import (
	"context"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Revision is one state of a configuration.
type Revision struct {
	Ref  string // full name; empty for a directory
	Hash string // of the commit; of a directory "sha256:" and the digest of its files
}

// Commit is what a report says about a revision. It is empty for a directory.
type Commit struct {
	Hash    string
	Author  string
	Email   string
	When    time.Time // when it was written, as its author says
	Subject string    // the first line of its message
	Parents string    // the hashes of up to 16 commits that it follows, with spaces between
}

// Source is one configuration's place. It may be used by many goroutines; calls that use the cache
// wait for each other.
type Source struct {
	options Options
	at      location
	remote  *remote    // nil for a directory
	cache   *cache     // nil for a directory
	dir     *directory // nil for a repository
}

// Open checks the options and returns a source. It connects to nothing; a retry does not help.
func Open(_ context.Context, options Options) (*Source, error) {
	at, err := parseLocation(options.URL)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: err.Error()}
	}
	options = options.withDefaults()
	if err := options.check(at); err != nil {
		return nil, at.placed(&Error{Kind: Invalid, Text: err.Error()})
	}
	s := &Source{options: options, at: at}
	if at.scheme == schemeDir {
		s.dir = &directory{path: at.path, options: options}
		return s, nil
	}
	s.remote = &remote{at: at, options: options}
	if s.cache, err = newCache(options, at); err != nil {
		return nil, err
	}
	return s, nil
}

// Branch returns a source for another ref of the same repository, with a cache of its own. A
// directory has no branches: that is an error.
func (s *Source) Branch(ref string) (*Source, error) {
	if s.dir != nil {
		return nil, &Error{Kind: NoRef, Where: s.at.display, Text: "a plain directory has no branches"}
	}
	options := s.options
	options.Ref = ref
	if err := checkRef(ref); err != nil {
		return nil, s.at.placed(&Error{Kind: NoRef, Text: err.Error()})
	}
	cache, err := newCache(options, s.at)
	if err != nil {
		return nil, err
	}
	return &Source{options: options, at: s.at, remote: s.remote, cache: cache}, nil
}

// String returns the URL without user and password.
func (s *Source) String() string { return s.at.display }

// Ref returns the ref as the options have it.
func (s *Source) Ref() string { return s.options.Ref }

// IsDirectory tells whether this is a plain directory, which has no refs and no commits.
func (s *Source) IsDirectory() bool { return s.dir != nil }

// Head returns the present revision: one ls-remote, or for a directory one look at its files.
func (s *Source) Head(ctx context.Context) (Revision, error) {
	if s.dir != nil {
		return s.dir.head(ctx)
	}
	refs, err := s.Refs(ctx)
	if err != nil {
		return Revision{}, err
	}
	rev, err := refs.Resolve(s.options.Ref)
	return rev, s.at.placed(err)
}

// Refs returns all refs of the repository: one ls-remote. A directory has none.
func (s *Source) Refs(ctx context.Context) (Refs, error) {
	if s.dir != nil {
		return Refs{}, nil
	}
	refs, err := s.remote.list(ctx)
	return refs, s.at.placed(err)
}

// Seen returns what the newest ls-remote told, whoever asked for it, with what was pushed since; it makes
// no request. False means that none has succeeded yet. A source shares this with its [Source.Branch].
func (s *Source) Seen() (Refs, bool) {
	if s.dir != nil {
		return Refs{}, false
	}
	return s.remote.seen()
}

// Fetch returns the tree of a revision that Head returned. Without a change since the last call it
// reaches no network. When the ref or the directory has changed since Head, it returns the newer
// tree; [Tree.Revision] says which. History that was rewritten is no error.
func (s *Source) Fetch(ctx context.Context, rev Revision) (*Tree, error) {
	if s.dir != nil {
		return s.dir.tree(ctx)
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	tree, err := s.cache.fetch(ctx, s.remote, rev)
	return tree, s.at.placed(err)
}

// Cached returns the tree that was fetched last, also by an earlier process, without the network;
// of a directory the present one. It is an error when there is none.
func (s *Source) Cached(ctx context.Context) (*Tree, error) {
	if s.dir != nil {
		return s.dir.tree(ctx)
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	tree, err := s.cache.newest()
	return tree, s.at.placed(err)
}

// Push sends a commit and moves a ref to it, if on the server that still is at update.Old; otherwise the
// error is of kind Moved or Rejected. After any other error the push may have happened all the
// same: look at the ref before trying again. A source for the ref that is pushed to keeps what was
// sent, and need not fetch it; others keep nothing.
func (s *Source) Push(ctx context.Context, update Update) error {
	if s.dir != nil {
		return &Error{Where: s.at.display, Text: "a plain directory takes no pushes"}
	}
	if update.Draft == nil || update.Draft.commit.IsZero() {
		return &Error{Where: s.at.display, Text: "there is no commit to push"}
	}
	pack, err := s.remote.push(ctx, update)
	if err != nil {
		return s.at.placed(err)
	}
	s.remote.moved(update)
	if s.options.Ref != update.Ref {
		return nil
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.keep(ctx, Revision{Ref: update.Ref, Hash: update.Draft.commit.String()}, update.Old, pack)
	return nil
}

func isHash(s string) bool { return plumbing.IsHash(s) }
