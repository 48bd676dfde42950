package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// maxPacks is after how many fetches and pushes a cache begins anew, as each adds a pack and nothing
// else removes what became unreachable.
const maxPacks = 32

// tipFile names the repository in use and the newest commit in it.
const tipFile = "tip"

// cache keeps what was fetched of one ref of one repository below dir: a bare repository in a
// directory of its own, and the file "tip" that names it and the newest commit in it. A tree that
// is in use keeps the repository before the newest one alive.
type cache struct {
	mu      sync.Mutex // held by whoever calls a method
	dir     string
	options Options

	tip    tip
	loaded bool
	open   *store // of tip.Directory, when it was opened
}

// tip is the content of the file of that name.
type tip struct {
	Ref       string `json:"ref"`
	Hash      string `json:"hash"`
	Directory string `json:"directory"`
	Former    string `json:"former,omitempty"`
}

func newCache(options Options, at location) (*cache, error) {
	// Several repositories and refs can share the directory of the options.
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", at.display, options.Ref))
	dir, err := filepath.Abs(filepath.Join(options.CacheDir, hex.EncodeToString(key[:8])))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("making the cache of %s: %w", at.display, err)
	}
	return &cache{dir: dir, options: options}, nil
}

// fetch returns the tree of rev, from disk if it is there.
func (c *cache) fetch(ctx context.Context, from *remote, rev Revision) (*Tree, error) {
	if !isHash(rev.Hash) || rev.Ref == "" {
		return nil, &Error{Kind: Other, Text: "a revision of a repository has a ref and a commit"}
	}
	if tree, err := c.newest(); err == nil {
		if tree.Revision.Hash == rev.Hash {
			tree.Revision.Ref = rev.Ref
			return tree, nil
		}
		if c.open.packs() < maxPacks {
			tree, err := c.extend(ctx, from, rev)
			if kind := KindOf(err); err == nil || kind == Unreachable || kind == Refused || kind == UnknownHost || kind == NoRepository || kind == NoRef || kind == TooLarge || ctx.Err() != nil {
				return tree, err
			}
			// After history was rewritten, or with a damaged cache, only a clean clone helps.
		}
	}
	return c.clone(ctx, from, rev)
}

// extend fetches into the present repository what it lacks.
func (c *cache) extend(ctx context.Context, from *remote, rev Revision) (*Tree, error) {
	open, err := openStore(c.open.dir) // readers of former trees go on with the present one
	if err != nil {
		return nil, err
	}
	if rev, err = from.download(ctx, rev, plumbing.NewHash(c.tip.Hash), noHistory, open.objects); err != nil {
		return nil, err
	}
	if err := open.complete(rev.Hash, c.options.MaxFiles); err != nil {
		return nil, err
	}
	return c.record(tip{Ref: rev.Ref, Hash: rev.Hash, Directory: c.tip.Directory, Former: c.tip.Former}, open)
}

// clone fetches into a fresh repository, and forgets the one before the present one.
func (c *cache) clone(ctx context.Context, from *remote, rev Revision) (*Tree, error) {
	if _, err := os.Stat(filepath.Join(c.dir, tipFile)); c.loaded || errors.Is(err, os.ErrNotExist) {
		c.sweep() // or processes that are killed here one after the other fill the disk
	}
	dir, err := os.MkdirTemp(c.dir, "repository-*")
	if err != nil {
		return nil, fmt.Errorf("making a cache: %w", err)
	}
	fresh, err := openStore(dir)
	if err == nil {
		rev, err = from.download(ctx, rev, plumbing.ZeroHash, noHistory, fresh.objects)
	}
	if err == nil {
		err = fresh.complete(rev.Hash, c.options.MaxFiles)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	next := tip{Ref: rev.Ref, Hash: rev.Hash, Directory: filepath.Base(dir), Former: c.tip.Directory}
	tree, err := c.record(next, fresh)
	if err != nil {
		return nil, err
	}
	c.sweep()
	return tree, nil
}

// keep adds what was pushed on top of the present tip, or begins with a first commit. It is an
// optimisation: when it fails, the commit will be fetched. So a cache with as many packs as it may
// have takes no more: the fetch that follows finds it so, and begins anew with the newest commit alone.
func (c *cache) keep(rev Revision, base string, pack []byte) {
	next := tip{Ref: rev.Ref, Hash: rev.Hash}
	if base == "" {
		dir, err := os.MkdirTemp(c.dir, "repository-*")
		if err != nil {
			return
		}
		next.Directory, next.Former = filepath.Base(dir), c.tip.Directory
	} else {
		if _, err := c.newest(); err != nil || c.tip.Hash != base || c.tip.Ref != rev.Ref || c.open.packs() >= maxPacks {
			return
		}
		next.Directory, next.Former = c.tip.Directory, c.tip.Former
	}
	open, err := openStore(filepath.Join(c.dir, next.Directory))
	if err != nil {
		return
	}
	if packfile.UpdateObjectStorage(open.objects, bytes.NewReader(pack)) != nil || open.complete(rev.Hash, c.options.MaxFiles) != nil {
		return
	}
	if _, err := c.record(next, open); err == nil {
		c.sweep()
	}
}

// newest returns the tree of the tip.
func (c *cache) newest() (*Tree, error) {
	if !c.loaded {
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	return c.open.tree(Revision{Ref: c.tip.Ref, Hash: c.tip.Hash}, c.options)
}

func (c *cache) load() error {
	content, err := readBounded(filepath.Join(c.dir, tipFile), 64<<10)
	if errors.Is(err, os.ErrNotExist) {
		return &Error{Kind: Other, Text: "nothing was fetched yet"}
	}
	if err != nil {
		return fmt.Errorf("reading the cache: %w", err)
	}
	var read tip
	if err := json.Unmarshal(content, &read); err != nil || !isHash(read.Hash) || !isOurs(read.Directory) {
		return &Error{Kind: Broken, Text: "the cache is damaged; the next fetch makes a new one"}
	}
	open, err := openStore(filepath.Join(c.dir, read.Directory))
	if err != nil {
		return err
	}
	if err := open.complete(read.Hash, c.options.MaxFiles); err != nil {
		return err
	}
	c.tip, c.open, c.loaded = read, open, true
	return nil
}

// record makes t the tip, on disk first.
func (c *cache) record(t tip, open *store) (*Tree, error) {
	tree, err := open.tree(Revision{Ref: t.Ref, Hash: t.Hash}, c.options)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(t)
	if err == nil {
		err = writeFile(filepath.Join(c.dir, tipFile), content)
	}
	if err != nil {
		return nil, fmt.Errorf("recording the fetched commit: %w", err)
	}
	c.tip, c.open, c.loaded = t, open, true
	return tree, nil
}

// sweep removes repositories that nobody uses, and what a process that was killed left half written.
// What cannot be removed is tried again next time.
func (c *cache) sweep() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	kept, _ := c.readKept() // without one there is nothing to spare
	for _, entry := range entries {
		name := entry.Name()
		if isOurs(name) && name != c.tip.Directory && name != c.tip.Former && name != kept.Directory || strings.HasPrefix(name, unfinished) {
			_ = os.RemoveAll(filepath.Join(c.dir, name)) // see above
		}
	}
}

func isOurs(name string) bool {
	return strings.HasPrefix(name, "repository-") && filepath.Base(name) == name
}

// unfinished is how the names of files begin that are being written.
const unfinished = ".new-"

// writeFile replaces a file by one that is complete whenever somebody reads it.
func writeFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
