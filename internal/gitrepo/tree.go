package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Tree is all files of one revision. It may be used by many goroutines.
type Tree struct {
	Revision Revision
	Commit   Commit

	store *store // of a repository
	root  plumbing.Hash
	limit int64
	dir   *os.Root // of a directory
}

// FS returns the files below a directory of the tree, "." or "" for all of them. It implements
// [fs.ReadDirFS], [fs.ReadFileFS], [fs.StatFS] and, for a repository, [fs.ReadLinkFS].
//
// Symbolic links are followed within the tree; one that leads out of it or around in circles is an
// error when it is used. So are submodules, Git LFS content and files larger than the limit, whose
// errors say so.
func (t *Tree) FS(path string) (fs.FS, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		path = "."
	}
	if !fs.ValidPath(path) {
		return nil, fmt.Errorf("the path %q does not lie within the configuration: write it from the top, without dots", path)
	}
	var all fs.FS
	if t.dir != nil {
		all = t.dir.FS()
	} else {
		all = &treeFS{store: t.store, root: t.root, base: ".", time: t.Commit.When, limit: t.limit}
	}
	info, err := fs.Stat(all, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no directory %q in this revision: %w", path, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%q is no directory in this revision", path)
	}
	if ours, ok := all.(*treeFS); ok {
		below := *ours
		below.base = path
		return &below, nil
	}
	return fs.Sub(all, path)
}

// RootHash returns the hash of the tree's top directory; zero for a plain directory.
func (t *Tree) RootHash() plumbing.Hash { return t.root }

// Entries returns the entries of a directory of the tree by the directory's hash.
func (t *Tree) Entries(directory plumbing.Hash) ([]object.TreeEntry, error) {
	if t.store == nil {
		return nil, errors.New("a plain directory has no Git objects")
	}
	return t.store.entries(directory)
}

// Blob returns a file's content by its hash, at most limit bytes.
func (t *Tree) Blob(hash plumbing.Hash, limit int64) ([]byte, error) {
	if t.store == nil {
		return nil, errors.New("a plain directory has no Git objects")
	}
	return t.store.content(hash, limit)
}
