package confine

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

// remote is the tree of files as the child sees it: every look is a question to the parent.
type remote struct {
	mutex sync.Mutex // one question at a time
	to    *gob.Encoder
	from  *gob.Decoder
}

// ask ends the process when the parent is gone: nobody waits for the result any more.
func (r *remote) ask(q request) reply {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found reply
	err := r.to.Encode(q)
	if err == nil {
		err = r.from.Decode(&found)
	}
	if err != nil {
		os.Exit(codeAlone)
	}
	return found
}

func (r *remote) tell(q request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.to.Encode(q); err != nil {
		os.Exit(codeAlone)
	}
}

// Open implements fs.FS.
func (r *remote) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	found := r.ask(request{Op: opOpen, Name: name})
	if err := found.err("open", name); err != nil {
		return nil, err
	}
	if found.Info.IsDir() {
		return &directory{info: found.Info, left: found.Entries}, nil
	}
	return &file{Reader: bytes.NewReader(found.Data), info: found.Info}, nil
}

// ReadDir implements fs.ReadDirFS.
func (r *remote) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	d, is := f.(*directory)
	if !is {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is no directory")}
	}
	return d.ReadDir(-1)
}

// Stat implements fs.StatFS.
func (r *remote) Stat(name string) (fs.FileInfo, error) { return r.info(opStat, "stat", name) }

// Lstat implements fs.ReadLinkFS.
func (r *remote) Lstat(name string) (fs.FileInfo, error) { return r.info(opLstat, "lstat", name) }

func (r *remote) info(what op, operation, name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: operation, Path: name, Err: fs.ErrInvalid}
	}
	found := r.ask(request{Op: what, Name: name})
	return found.Info, found.err(operation, name)
}

// ReadLink implements fs.ReadLinkFS.
func (r *remote) ReadLink(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	found := r.ask(request{Op: opReadLink, Name: name})
	return found.Link, found.err("readlink", name)
}

// file is one that was read as a whole.
type file struct {
	*bytes.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

// directory is one that was listed as a whole.
type directory struct {
	info info
	left []info
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *directory) Close() error               { return nil }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Base, Err: errors.New("is a directory")}
}

// ReadDir implements fs.ReadDirFile.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.left)
	} else if len(d.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.left))
	entries := make([]fs.DirEntry, n)
	for i, e := range d.left[:n] {
		entries[i] = e
	}
	d.left = d.left[n:]
	return entries, nil
}
