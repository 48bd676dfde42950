package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// keptFile names a commit of the cache that stays readable whatever is fetched later.
const keptFile = "kept"

// Keep has a commit that was fetched stay in the cache, in place of the one that was kept before, so
// that a later process can go on with it while a newer one is of no use. Another one may have been
// fetched meanwhile. Nothing happens when the cache does not have it any more, and for a directory.
func (s *Source) Keep(hash string) error {
	if s.dir != nil {
		return nil
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.at.placed(s.cache.keepCommit(hash))
}

// Kept returns the tree of the commit that was kept, without the network. It is an error when there
// is none, as for a directory.
func (s *Source) Kept(context.Context) (*Tree, error) {
	if s.dir != nil {
		return nil, &Error{Kind: Other, Where: s.at.display, Text: "a plain directory has no earlier revisions"}
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	tree, err := s.cache.kept()
	return tree, s.at.placed(err)
}

func (c *cache) keepCommit(hash string) error {
	if !c.loaded || c.tip.Hash != hash && c.open.complete(hash, c.options.MaxFiles) != nil {
		return nil //nolint:nilerr // what is not there any more is not kept
	}
	if kept, err := c.readKept(); err == nil && kept.Hash == hash && kept.Directory == c.tip.Directory {
		return nil
	}
	return c.writeKept(tip{Ref: c.tip.Ref, Hash: hash, Directory: c.tip.Directory})
}

func (c *cache) writeKept(kept tip) error {
	content, err := json.Marshal(kept)
	if err == nil {
		err = c.alone(func() error { return writeFile(filepath.Join(c.dir, keptFile), content) })
	}
	if err != nil {
		return fmt.Errorf("keeping a commit: %w", err)
	}
	return nil
}

func (c *cache) kept() (*Tree, error) {
	kept, open, err := c.reopen(c.readKept)
	if err != nil {
		return nil, err
	}
	if err := open.complete(kept.Hash, c.options.MaxFiles); err != nil {
		return nil, err
	}
	return open.tree(Revision{Ref: kept.Ref, Hash: kept.Hash}, c.options)
}

func (c *cache) readKept() (tip, error) {
	content, err := readBounded(filepath.Join(c.dir, keptFile), 64<<10)
	if errors.Is(err, os.ErrNotExist) {
		return tip{}, &Error{Kind: Other, Text: "no commit was kept yet"}
	}
	if err != nil {
		return tip{}, fmt.Errorf("reading the cache: %w", err)
	}
	var kept tip
	if err := json.Unmarshal(content, &kept); err != nil || !isHash(kept.Hash) || !isOurs(kept.Directory) {
		return tip{}, &Error{Kind: Broken, Text: "the record of the kept commit is damaged"}
	}
	return kept, nil
}
