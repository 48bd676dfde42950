package gitrepo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// treeFS shows the objects of a commit as files.
type treeFS struct {
	store *store
	root  plumbing.Hash // of the repository, which links may not leave
	base  string        // the directory below root that names begin at
	time  time.Time     // of every file, as Git knows no other
	limit int64
}

// Open implements fs.FS. A file is read as a whole, so that its error names it.
func (t *treeFS) Open(name string) (fs.File, error) {
	found, err := t.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if found.mode == filemode.Dir {
		list, err := t.list(found)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &openDir{info: t.info(found, 0), name: name, left: list}, nil
	}
	content, err := t.read(found)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{Reader: bytes.NewReader(content), info: t.info(found, int64(len(content)))}, nil
}

// ReadFile implements fs.ReadFileFS.
func (t *treeFS) ReadFile(name string) ([]byte, error) {
	found, err := t.find("read", name, true)
	if err != nil {
		return nil, err
	}
	if found.mode == filemode.Dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	content, err := t.read(found)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return content, nil
}

// ReadDir implements fs.ReadDirFS. Links are listed as links.
func (t *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := t.find("readdir", name, true)
	if err == nil && found.mode != filemode.Dir {
		err = &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is no directory")}
	}
	if err != nil {
		return nil, err
	}
	list, err := t.list(found)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	return list, nil
}

// Stat implements fs.StatFS and follows links.
func (t *treeFS) Stat(name string) (fs.FileInfo, error) { return t.stat("stat", name, true) }

// Lstat implements fs.ReadLinkFS.
func (t *treeFS) Lstat(name string) (fs.FileInfo, error) { return t.stat("lstat", name, false) }

// ReadLink implements fs.ReadLinkFS.
func (t *treeFS) ReadLink(name string) (string, error) {
	found, err := t.find("readlink", name, false)
	if err != nil {
		return "", err
	}
	if found.mode != filemode.Symlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, err := t.target(found)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return target, nil
}

func (t *treeFS) stat(op, name string, last bool) (fs.FileInfo, error) {
	found, err := t.find(op, name, last)
	if err != nil {
		return nil, err
	}
	info, err := t.sized(found)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return info, nil
}

// find returns the entry that a name of the file system means, under the name's last part.
func (t *treeFS) find(op, name string, last bool) (node, error) {
	if !fs.ValidPath(name) {
		return node{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	found, err := follow(t, node{name: ".", mode: filemode.Dir, hash: t.root}, path.Join(t.base, name), last)
	if err == nil && last && found.mode == filemode.Submodule {
		err = errSubmodule(found.name)
	}
	if err != nil {
		return node{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	found.name = path.Base(name)
	return found, nil
}

func (t *treeFS) child(directory node, name string) (node, error) {
	entry, found, err := t.store.entry(directory.hash, name)
	switch {
	case err != nil:
		return node{}, err
	case !found:
		return node{}, fs.ErrNotExist
	}
	return node{name: name, mode: entry.Mode, hash: entry.Hash}, nil
}

func (t *treeFS) target(link node) (string, error) {
	content, err := t.store.within(link.hash, maxTarget)
	return string(content), err
}

func (t *treeFS) read(file node) ([]byte, error) {
	content, err := t.store.within(file.hash, t.limit)
	if err == nil && isLFSPointer(content) {
		err = errLFS
	}
	return content, err
}

// list returns a directory's entries by name; Git sorts directories as if they ended in a slash.
func (t *treeFS) list(directory node) ([]fs.DirEntry, error) {
	entries, err := t.store.entries(directory.hash)
	if err != nil {
		return nil, err
	}
	list := make([]fs.DirEntry, 0, len(entries))
	for _, entry := range entries {
		if !fs.ValidPath(entry.Name) || entry.Name == "." || strings.Contains(entry.Name, "/") {
			return nil, errors.New("the directory has an entry whose name is no name of a file")
		}
		list = append(list, dirEntry{fs: t, node: node{name: entry.Name, mode: entry.Mode, hash: entry.Hash}})
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

func (t *treeFS) sized(n node) (fs.FileInfo, error) {
	if n.mode == filemode.Dir || n.mode == filemode.Submodule {
		return t.info(n, 0), nil
	}
	size, err := t.store.size(n.hash)
	return t.info(n, size), err
}

func (t *treeFS) info(n node, size int64) fs.FileInfo {
	return fileInfo{node: n, size: size, time: t.time}
}

// fileInfo implements fs.FileInfo.
type fileInfo struct {
	node node
	size int64
	time time.Time
}

func (i fileInfo) Name() string       { return i.node.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) ModTime() time.Time { return i.time }
func (i fileInfo) IsDir() bool        { return i.node.mode == filemode.Dir }
func (i fileInfo) Sys() any           { return nil }

func (i fileInfo) Mode() fs.FileMode {
	switch i.node.mode {
	case filemode.Dir:
		return fs.ModeDir | 0o555
	case filemode.Symlink:
		return fs.ModeSymlink | 0o444
	case filemode.Submodule:
		return fs.ModeIrregular | 0o444
	case filemode.Executable:
		return 0o555
	default:
		return 0o444
	}
}

// dirEntry implements fs.DirEntry.
type dirEntry struct {
	fs   *treeFS
	node node
}

func (d dirEntry) Name() string               { return d.node.name }
func (d dirEntry) IsDir() bool                { return d.node.mode == filemode.Dir }
func (d dirEntry) Type() fs.FileMode          { return fileInfo{node: d.node}.Mode().Type() }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.fs.sized(d.node) }
func (d dirEntry) String() string             { return fs.FormatDirEntry(d) }

type openFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info fs.FileInfo
	name string
	left []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.left) {
		n = len(d.left)
	}
	list := d.left[:n:n]
	d.left = d.left[n:]
	return list, nil
}

var (
	_ fs.ReadDirFS  = (*treeFS)(nil)
	_ fs.ReadFileFS = (*treeFS)(nil)
	_ fs.StatFS     = (*treeFS)(nil)
	_ fs.ReadLinkFS = (*treeFS)(nil)
)
