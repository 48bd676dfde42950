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
)

const (
	// maxPacks is after how many fetches and pushes a cache begins anew, as each adds a pack and nothing
	// else removes what became unreachable.
	maxPacks = 32
	// maxReceipts is how many times [Options.MaxBytes] of packs it may have before that: commits that change much, and servers that
	// send all files again, would fill the disk long before there are so many packs.
	maxReceipts = 2
)

// tipFile names the repository in use and the newest commit in it.
const tipFile = "tip"

// cache keeps what was fetched of one ref of one repository below dir: a bare repository in a
// directory of its own, and the file "tip" that names it and the newest commit in it. Several processes may
// share the directory: each knows its own newest commit, and the file has that of whoever wrote last. A
// tree that is in use keeps its repository.
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
	tree, err := c.newest()
	if errors.Is(err, errInUse) {
		return nil, err
	}
	if err == nil {
		if tree.Revision.Hash == rev.Hash {
			tree.Revision.Ref = rev.Ref
			return tree, nil
		}
		if !c.full() {
			tree, err := c.extend(ctx, from, rev)
			if kind := KindOf(err); err == nil || kind == Unreachable || kind == Refused || kind == UnknownHost || kind == NoRepository || kind == NoRef || kind == TooLarge || errors.Is(err, errInUse) || ctx.Err() != nil {
				return tree, err
			}
			// After history was rewritten, or with a damaged cache, only a clean clone helps.
		}
	}
	return c.clone(ctx, from, rev)
}

// extend fetches into the present repository what it lacks.
func (c *cache) extend(ctx context.Context, from *remote, rev Revision) (*Tree, error) {
	open, err := c.add(func(store *store) (err error) {
		rev, err = from.download(ctx, rev, had{plumbing.NewHash(c.tip.Hash), c.open, c.options.MaxBytes}, noHistory, store)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := open.complete(rev.Hash, c.options.MaxFiles); err != nil {
		return nil, err
	}
	return c.record(tip{Ref: rev.Ref, Hash: rev.Hash, Directory: c.tip.Directory}, open)
}

// clone fetches into a fresh repository.
func (c *cache) clone(ctx context.Context, from *remote, rev Revision) (*Tree, error) {
	c.sweep() // or processes that are killed here one after the other fill the disk
	fresh, err := c.begin()
	if err != nil {
		return nil, err
	}
	rev, err = from.download(ctx, rev, had{}, noHistory, fresh)
	if err == nil {
		err = fresh.complete(rev.Hash, c.options.MaxFiles)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(fresh.dir))
	}
	next := tip{Ref: rev.Ref, Hash: rev.Hash, Directory: filepath.Base(fresh.dir)}
	tree, err := c.record(next, fresh)
	if err != nil {
		return nil, err
	}
	c.sweep()
	return tree, nil
}

// begin makes a fresh repository, which nobody takes for one that is not in use.
func (c *cache) begin() (*store, error) {
	var fresh *store
	err := c.alone(func() error {
		dir, err := os.MkdirTemp(c.dir, repositories+"*")
		if err != nil {
			return fmt.Errorf("making a cache: %w", err)
		}
		fresh, err = openStore(dir)
		return err
	})
	return fresh, err
}

// add has the present repository get what bring puts into a store, and opens it anew, as readers of former
// trees go on with the store that they have. Others may use the repository, so that it gets whole files only:
// the library writes indexes in place.
func (c *cache) add(bring func(*store) error) (*store, error) {
	fresh, err := c.begin()
	if err != nil {
		return nil, err
	}
	if err = bring(fresh); err == nil {
		err = c.alone(func() error { return movePacks(fresh.dir, c.open.dir) })
	}
	if err = errors.Join(err, os.RemoveAll(fresh.dir)); err != nil {
		return nil, err
	}
	return openStore(c.open.dir)
}

// movePacks moves packs that are complete, each after its index: without that nobody can read it.
func movePacks(from, to string) error {
	for _, ending := range []string{"idx", "pack"} {
		files, err := filepath.Glob(filepath.Join(from, packs, "*."+ending))
		if err != nil {
			return err
		}
		for _, file := range files {
			// One of this name has the same content.
			if err := os.Rename(file, filepath.Join(to, packs, filepath.Base(file))); err != nil {
				return fmt.Errorf("adding to the cache: %w", err)
			}
		}
	}
	return nil
}

// keep adds what was pushed on top of the present tip, or begins with a first commit. It is an
// optimisation: when it fails, the commit will be fetched. So a cache with as much as it may
// have takes no more: the fetch that follows finds it so, and begins anew with the newest commit alone.
func (c *cache) keep(ctx context.Context, rev Revision, base string, pack []byte) {
	bring := func(to *store) error { return to.unpack(ctx, nil, bytes.NewReader(pack), had{}) }
	var open *store
	var err error
	if base == "" {
		if open, err = c.begin(); err == nil {
			err = bring(open)
		}
	} else {
		if _, err := c.newest(); err != nil || c.tip.Hash != base || c.tip.Ref != rev.Ref || c.full() {
			return
		}
		open, err = c.add(bring)
	}
	if err != nil || open.complete(rev.Hash, c.options.MaxFiles) != nil {
		return
	}
	if _, err := c.record(tip{Ref: rev.Ref, Hash: rev.Hash, Directory: filepath.Base(open.dir)}, open); err == nil {
		c.sweep()
	}
}

// full tells whether the repository takes no further pack.
func (c *cache) full() bool {
	n, bytes := c.open.packs()
	return n >= maxPacks || bytes >= maxReceipts*c.options.MaxBytes
}

// newest returns the tree of the tip.
func (c *cache) newest() (*Tree, error) {
	if c.loaded && (c.open.isLost() || c.open.isDamaged()) {
		c.loaded, c.open, c.tip = false, nil, tip{}
	}
	if !c.loaded {
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	return c.open.tree(Revision{Ref: c.tip.Ref, Hash: c.tip.Hash}, c.options)
}

func (c *cache) load() error {
	read, open, err := c.reopen(c.readTip)
	if err != nil {
		return err
	}
	if err := open.complete(read.Hash, c.options.MaxFiles); err != nil {
		return err
	}
	c.tip, c.open, c.loaded = read, open, true
	return nil
}

// reopen opens the repository that a file of the cache names, while nobody removes it.
func (c *cache) reopen(read func() (tip, error)) (t tip, open *store, err error) {
	err = c.alone(func() error {
		if t, err = read(); err != nil {
			return err
		}
		open, err = openStore(filepath.Join(c.dir, t.Directory))
		return err
	})
	return t, open, err
}

func (c *cache) readTip() (tip, error) {
	content, err := readBounded(filepath.Join(c.dir, tipFile), 64<<10)
	if errors.Is(err, os.ErrNotExist) {
		return tip{}, &Error{Kind: Other, Text: "nothing was fetched yet"}
	}
	if err != nil {
		return tip{}, fmt.Errorf("reading the cache: %w", err)
	}
	var read tip
	if err := json.Unmarshal(content, &read); err != nil || !isHash(read.Hash) || !isOurs(read.Directory) {
		return tip{}, &Error{Kind: Broken, Text: "the cache is damaged; the next fetch makes a new one"}
	}
	return read, nil
}

// record makes t the tip, on disk first.
func (c *cache) record(t tip, open *store) (*Tree, error) {
	tree, err := open.tree(Revision{Ref: t.Ref, Hash: t.Hash}, c.options)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(t)
	if err == nil {
		err = open.sync()
	}
	if err == nil {
		err = c.alone(func() error { return writeFile(filepath.Join(c.dir, tipFile), content) })
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
	_ = c.alone(func() error {
		entries, err := os.ReadDir(c.dir)
		if err != nil {
			return err
		}
		newest, _ := c.readTip() // without one there is nothing to spare
		kept, _ := c.readKept()
		for _, entry := range entries {
			switch name := entry.Name(); {
			case isOurs(name) && name != newest.Directory && name != kept.Directory:
				removeUnused(filepath.Join(c.dir, name))
			case strings.HasPrefix(name, unfinished):
				_ = os.Remove(filepath.Join(c.dir, name)) // see above
			}
		}
		return nil
	}) // see above
}

// repositories is how the names of their directories begin.
const repositories = "repository-"

func isOurs(name string) bool {
	return strings.HasPrefix(name, repositories) && filepath.Base(name) == name
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
