package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
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
// [fs.ReadDirFS], [fs.ReadFileFS], [fs.StatFS] and [fs.ReadLinkFS].
//
// Symbolic links are followed within the tree; one that leads out of it or around in circles is an
// error when it is used. So are pointers to Git LFS content, and in a repository what is in submodules and files larger than the
// limit, whose errors say so. In a plain directory the checkout of a submodule is listed as one.
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
		files, ok := t.dir.FS().(rootFS)
		if !ok {
			return nil, errors.New("the files of a directory cannot be listed") // os says that they can
		}
		all = folderFS{files, checkoutOf(t.dir.Name())}
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

// Files returns the plain files of a directory of a repository's tree, named from the top, by their names, with
// the hashes that [Tree.Blob] takes. There are none where there is no such directory.
func (t *Tree) Files(directory string) (map[string]string, error) {
	hash, mode, err := t.lookup(directory)
	if errors.Is(err, fs.ErrNotExist) || err == nil && mode != filemode.Dir {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := t.store.entries(hash)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, entry := range entries {
		if entry.Mode.IsRegular() {
			files[entry.Name] = entry.Hash.String()
		}
	}
	return files, nil
}

// Find returns the hash of a file of a repository's tree, named from the top. Links are not followed: the hash
// is that of the link. Where there is no file, the error is [fs.ErrNotExist].
func (t *Tree) Find(name string) (string, error) {
	hash, mode, err := t.lookup(name)
	if err != nil {
		return "", err
	}
	if mode == filemode.Dir || mode == filemode.Submodule {
		return "", fs.ErrNotExist
	}
	return hash.String(), nil
}

// lookup returns what there is under a name. Nothing is followed.
func (t *Tree) lookup(name string) (plumbing.Hash, filemode.FileMode, error) {
	if t.store == nil {
		return plumbing.ZeroHash, 0, errNoObjects
	}
	hash, mode := t.root, filemode.Dir
	for part := range strings.SplitSeq(name, "/") {
		if mode != filemode.Dir {
			return plumbing.ZeroHash, 0, fs.ErrNotExist
		}
		entry, found, err := t.store.entry(hash, part)
		if err != nil {
			return plumbing.ZeroHash, 0, err
		}
		if !found {
			return plumbing.ZeroHash, 0, fs.ErrNotExist
		}
		hash, mode = entry.Hash, entry.Mode
	}
	return hash, mode, nil
}

// Raw returns the commit of a repository's tree as Git hashes it, with its signature. One that is too large for that is a
// [LargeCommit].
func (t *Tree) Raw() ([]byte, error) {
	if t.store == nil {
		return nil, errNoObjects
	}
	return t.store.commit(plumbing.NewHash(t.Revision.Hash))
}

// Blob returns a file's content by its hash. When that has more bytes than limit, the error is [ErrFileTooLarge], and
// nothing of it was read.
func (t *Tree) Blob(hash string, limit int64) ([]byte, error) {
	if t.store == nil {
		return nil, errNoObjects
	}
	return t.store.content(plumbing.NewHash(hash), limit)
}

// BlobHash returns the hash that a file with this content has.
func BlobHash(content []byte) string {
	return plumbing.ComputeHash(plumbing.BlobObject, content).String()
}

var errNoObjects = errors.New("a plain directory has no Git objects")
