package gitrepo

import (
	"context"
	"errors"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// Exactly returns the tree of a commit by its hash, wherever the ref is now, and keeps it as [Source.Keep]
// does. It reaches no network for what the cache has. Servers that hand out single commits are asked for this
// one alone; from others it is fetched as [Source.Earlier] does. A commit that is not to be had is an error
// of kind Lost. A directory has no commits.
func (s *Source) Exactly(ctx context.Context, hash string) (*Tree, error) {
	if s.dir == nil && isHash(hash) {
		tree, found, err := s.exactly(ctx, hash)
		if found || err != nil {
			return tree, s.at.placed(err)
		}
	}
	return s.Earlier(ctx, hash)
}

// exactly returns false when the server does not hand out single commits.
func (s *Source) exactly(ctx context.Context, hash string) (*Tree, bool, error) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	for _, read := range []func() (*Tree, error){s.cache.newest, s.cache.kept} {
		if tree, err := read(); err == nil && tree.Revision.Hash == hash {
			return tree, true, nil
		}
	}
	tree, err := s.cache.aside(hash, func(fresh *store) (string, error) {
		offered, err := s.remote.pick(ctx, hash, fresh)
		if err == nil && !offered {
			err = errNotOffered
		}
		return s.options.Ref, err
	}, func(*Tree) error { return nil })
	if errors.Is(err, errNotOffered) {
		return nil, false, nil
	}
	return tree, true, err
}

// errNotOffered says that a server gives no commit that no ref is at.
var errNotOffered = errors.New("the server hands out no single commits")

// pick brings one commit without its history into store. It returns false when the server hands out only
// what a ref is at, and none is at this one.
func (r *remote) pick(ctx context.Context, hash string, store *store) (offered bool, err error) {
	err = r.converse(ctx, transport.UploadPackServiceName, "fetching the commit "+hash, func(ctx context.Context, c *connection, advertised *packp.AdvRefs) error {
		want, isRef := c.refs.want(hash)
		offered = isRef || advertised.Capabilities.Supports(capability.AllowReachableSHA1InWant)
		if !offered {
			return nil
		}
		err := receive(ctx, c, advertised, want, had{}, noHistory, "", store)
		if err != nil && strings.Contains(err.Error(), "not our ref") { // Git has no code for it
			return &Error{Kind: Lost, Where: r.at.display, Text: "the server does not have the commit " + hash + ", or not any more"}
		}
		return err
	})
	return offered, err
}

// want returns what to ask a server for to get a commit: an annotated tag where that is the only ref at it, else
// the commit. False means that no ref is at it.
func (r Refs) want(hash string) (plumbing.Hash, bool) {
	commit := plumbing.NewHash(hash)
	want, found := commit, commit == r.detached
	for at := range r.commits {
		if found && want == commit {
			break
		}
		if r.commits[at] == commit {
			want, found = r.offered(at), true
		}
	}
	return want, found
}
