package statusbranch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// builder makes the tree of a report out of another tree. Only directories that change are read,
// and only objects that the other tree lacks are made.
type builder struct {
	base   *gitrepo.Tree // nil for none
	fresh  *memory.Storage
	hashes []plumbing.Hash
}

// folder is a directory that has been read.
type folder struct {
	was     plumbing.Hash
	entries map[string]object.TreeEntry
	inner   map[string]*folder
}

func (b *builder) load(hash plumbing.Hash) (*folder, error) {
	f := &folder{was: hash, entries: map[string]object.TreeEntry{}, inner: map[string]*folder{}}
	if hash.IsZero() {
		return f, nil
	}
	entries, err := b.base.Entries(hash)
	if err != nil {
		return nil, fmt.Errorf("reading the status branch: %w", err)
	}
	for _, entry := range entries {
		f.entries[entry.Name] = entry
	}
	return f, nil
}

// build returns the hash of the tree that has these files, none of the former ones besides, and
// all others of the base.
func (b *builder) build(files map[string][]byte, former []string) (plumbing.Hash, error) {
	var start plumbing.Hash
	if b.base != nil {
		start = b.base.RootHash()
	}
	root, err := b.load(start)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	for _, name := range former {
		if _, stays := files[name]; stays {
			continue
		}
		if err := b.remove(root, strings.Split(name, "/")); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := b.put(root, strings.Split(name, "/"), files[name]); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	return b.write(root)
}

// step returns a directory's directory, nil when there is none.
func (b *builder) step(in *folder, name string) (*folder, error) {
	if next := in.inner[name]; next != nil {
		return next, nil
	}
	entry, ok := in.entries[name]
	if !ok || entry.Mode != filemode.Dir {
		return nil, nil
	}
	next, err := b.load(entry.Hash)
	if err == nil {
		in.inner[name] = next
	}
	return next, err
}

func (b *builder) put(in *folder, way []string, content []byte) error {
	name := way[0]
	if len(way) > 1 {
		next, err := b.step(in, name)
		if err != nil {
			return err
		}
		if next == nil { // or somebody's file stands where our directory belongs
			if next, err = b.load(plumbing.ZeroHash); err != nil {
				return err
			}
			in.inner[name] = next
		}
		return b.put(next, way[1:], content)
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, content)
	if old, ok := in.entries[name]; !ok || old.Hash != hash {
		if err := b.store(plumbing.BlobObject, content); err != nil {
			return err
		}
	}
	delete(in.inner, name)
	in.entries[name] = object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: hash}
	return nil
}

func (b *builder) remove(in *folder, way []string) error {
	name := way[0]
	if len(way) > 1 {
		next, err := b.step(in, name)
		if err != nil || next == nil {
			return err
		}
		return b.remove(next, way[1:])
	}
	if entry, ok := in.entries[name]; ok && entry.Mode != filemode.Dir {
		delete(in.entries, name)
	}
	return nil
}

// write makes the objects of a directory and those in it; an empty directory has the zero hash, as
// Git keeps none, but for the root.
func (b *builder) write(f *folder) (plumbing.Hash, error) {
	for name, inner := range f.inner {
		hash, err := b.write(inner)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if hash.IsZero() {
			delete(f.entries, name)
			continue
		}
		f.entries[name] = object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash}
	}
	if len(f.entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	tree := object.Tree{Entries: slices.Collect(maps.Values(f.entries))}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	encoded := b.fresh.NewEncodedObject()
	if err := tree.Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("building a directory of the report: %w", err)
	}
	if encoded.Hash() == f.was {
		return f.was, nil
	}
	return encoded.Hash(), b.add(encoded)
}

// commit makes the commit of a tree.
func (b *builder) commit(tree plumbing.Hash, parent plumbing.Hash, author object.Signature, message string) (plumbing.Hash, error) {
	commit := object.Commit{Author: author, Committer: author, Message: message, TreeHash: tree}
	if !parent.IsZero() {
		commit.ParentHashes = []plumbing.Hash{parent}
	}
	encoded := b.fresh.NewEncodedObject()
	if err := commit.Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("building the report's commit: %w", err)
	}
	return encoded.Hash(), b.add(encoded)
}

func (b *builder) store(kind plumbing.ObjectType, content []byte) error {
	encoded := b.fresh.NewEncodedObject()
	encoded.SetType(kind)
	writer, err := encoded.Writer()
	if err == nil {
		_, err = writer.Write(content)
		err = errors.Join(err, writer.Close())
	}
	if err != nil {
		return fmt.Errorf("building a file of the report: %w", err)
	}
	return b.add(encoded)
}

func (b *builder) add(encoded plumbing.EncodedObject) error {
	if b.fresh.HasEncodedObject(encoded.Hash()) == nil {
		return nil
	}
	hash, err := b.fresh.SetEncodedObject(encoded)
	if err != nil {
		return fmt.Errorf("building the report: %w", err)
	}
	b.hashes = append(b.hashes, hash)
	return nil
}

// find returns a file's entry in a tree, errNotFound when there is none.
func find(tree *gitrepo.Tree, name string) (plumbing.Hash, error) {
	hash := tree.RootHash()
	parts := strings.Split(name, "/")
	for i, part := range parts {
		entries, err := tree.Entries(hash)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		at := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == part })
		if at < 0 || (entries[at].Mode == filemode.Dir) != (i < len(parts)-1) || entries[at].Mode == filemode.Submodule {
			return plumbing.ZeroHash, errNotFound
		}
		hash = entries[at].Hash
	}
	return hash, nil
}
