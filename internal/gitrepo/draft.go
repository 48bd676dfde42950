package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

// Author is who makes a commit, and when.
type Author struct {
	Name, Email string // without angle brackets and line breaks
	When        time.Time
}

// Draft is a commit that is made out of another one, to be pushed by [Source.Push]. Only directories that
// change are read, and only objects that the other one lacks are made. One goroutine at a time uses it.
type Draft struct {
	base   *Tree // nil for none
	root   plumbing.Hash
	commit plumbing.Hash
	fresh  *memory.Storage
	hashes []plumbing.Hash
}

// NewDraft returns what a commit on top of base has: these files, by their paths from the top, none of those
// without besides, and all others of base, which is nil for a first commit. Files are plain ones; where a file
// of base stands in the way of a directory it goes. The error is one of reading base; another attempt may
// succeed.
func NewDraft(base *Tree, files map[string][]byte, without []string) (*Draft, error) {
	d := &Draft{base: base, fresh: memory.NewStorage()}
	var start plumbing.Hash
	if base != nil {
		start = base.root
	}
	root, err := d.load(start)
	if err != nil {
		return nil, err
	}
	for _, name := range without {
		if _, stays := files[name]; stays {
			continue
		}
		if err := d.remove(root, strings.Split(name, "/")); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := d.put(root, strings.Split(name, "/"), files[name]); err != nil {
			return nil, err
		}
	}
	d.root, err = d.write(root)
	return d, err
}

// Changed tells whether the draft's files differ from those of its base.
func (d *Draft) Changed() bool { return d.base == nil || d.root != d.base.root }

// Commit makes the commit, whose parent is the base, and returns its hash. It is called once. sign returns the
// signature of a raw commit in armor; nil for none.
func (d *Draft) Commit(author Author, message string, sign func(commit []byte) (string, error)) (string, error) {
	by := object.Signature{Name: author.Name, Email: author.Email, When: author.When}
	commit := object.Commit{Author: by, Committer: by, Message: message, TreeHash: d.root}
	if d.base != nil {
		commit.ParentHashes = []plumbing.Hash{plumbing.NewHash(d.base.Revision.Hash)}
	}
	if sign != nil {
		raw, err := unsigned(&commit)
		if err == nil {
			commit.PGPSignature, err = sign(raw) // of whatever kind: that is how the library calls it
		}
		if err != nil {
			return "", err
		}
	}
	encoded := d.fresh.NewEncodedObject()
	if err := commit.Encode(encoded); err != nil {
		return "", fmt.Errorf("making a commit: %w", err)
	}
	d.commit = encoded.Hash()
	return d.commit.String(), d.add(encoded)
}

// unsigned returns a commit as Git hashes it, without its signature.
func unsigned(commit *object.Commit) ([]byte, error) {
	encoded := &plumbing.MemoryObject{}
	if err := commit.EncodeWithoutSignature(encoded); err != nil {
		return nil, fmt.Errorf("making a commit: %w", err)
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, fmt.Errorf("making a commit: %w", err)
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

// folder is a directory that has been read.
type folder struct {
	was     plumbing.Hash
	entries map[string]object.TreeEntry
	inner   map[string]*folder
}

func (d *Draft) load(hash plumbing.Hash) (*folder, error) {
	f := &folder{was: hash, entries: map[string]object.TreeEntry{}, inner: map[string]*folder{}}
	if hash.IsZero() {
		return f, nil
	}
	entries, err := d.base.store.entries(hash)
	if err != nil {
		return nil, fmt.Errorf("reading a directory of Git: %w", err)
	}
	for _, entry := range entries {
		f.entries[entry.Name] = entry
	}
	return f, nil
}

// step returns a directory's directory, nil when there is none.
func (d *Draft) step(in *folder, name string) (*folder, error) {
	if next := in.inner[name]; next != nil {
		return next, nil
	}
	entry, ok := in.entries[name]
	if !ok || entry.Mode != filemode.Dir {
		return nil, nil
	}
	next, err := d.load(entry.Hash)
	if err == nil {
		in.inner[name] = next
	}
	return next, err
}

func (d *Draft) put(in *folder, way []string, content []byte) error {
	name := way[0]
	if len(way) > 1 {
		next, err := d.step(in, name)
		if err != nil {
			return err
		}
		if next == nil { // or somebody's file stands where our directory belongs
			if next, err = d.load(plumbing.ZeroHash); err != nil {
				return err
			}
			in.inner[name] = next
		}
		return d.put(next, way[1:], content)
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, content)
	if old, ok := in.entries[name]; !ok || old.Hash != hash {
		if err := d.store(plumbing.BlobObject, content); err != nil {
			return err
		}
	}
	delete(in.inner, name)
	in.entries[name] = object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: hash}
	return nil
}

func (d *Draft) remove(in *folder, way []string) error {
	name := way[0]
	if len(way) > 1 {
		next, err := d.step(in, name)
		if err != nil || next == nil {
			return err
		}
		return d.remove(next, way[1:])
	}
	if entry, ok := in.entries[name]; ok && entry.Mode != filemode.Dir {
		delete(in.entries, name)
	}
	return nil
}

// write makes the objects of a directory and those in it; an empty directory has the zero hash, as
// Git keeps none, but for the root.
func (d *Draft) write(f *folder) (plumbing.Hash, error) {
	for name, inner := range f.inner {
		hash, err := d.write(inner)
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
	encoded := d.fresh.NewEncodedObject()
	if err := tree.Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("making a directory of a commit: %w", err)
	}
	if encoded.Hash() == f.was {
		return f.was, nil
	}
	return encoded.Hash(), d.add(encoded)
}

func (d *Draft) store(kind plumbing.ObjectType, content []byte) error {
	encoded := d.fresh.NewEncodedObject()
	encoded.SetType(kind)
	writer, err := encoded.Writer()
	if err == nil {
		_, err = writer.Write(content)
		err = errors.Join(err, writer.Close())
	}
	if err != nil {
		return fmt.Errorf("making a file of a commit: %w", err)
	}
	return d.add(encoded)
}

func (d *Draft) add(encoded plumbing.EncodedObject) error {
	if d.fresh.HasEncodedObject(encoded.Hash()) == nil {
		return nil
	}
	hash, err := d.fresh.SetEncodedObject(encoded)
	if err != nil {
		return fmt.Errorf("making a commit: %w", err)
	}
	d.hashes = append(d.hashes, hash)
	return nil
}
