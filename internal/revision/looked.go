package revision

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"sync"
)

// look is one look at a tree.
type look struct {
	what string // open, list, stat, lstat or link
	name string
}

// digest is what a look led to.
type digest [sha256.Size]byte

// looks are what something depends on besides its arguments: with another tree in which each of them
// leads to the same, it would do the same.
type looks map[look]digest

// same tells whether they lead to the same in a tree.
func (l looks) same(tree fs.FS) bool {
	again := &looked{FS: tree, found: looks{}}
	for at, before := range l {
		switch at.what {
		case "open":
			// A pipe would never let go.
			if info, err := fs.Stat(tree, at.name); err == nil && !info.Mode().IsRegular() {
				return false
			}
			if f, err := again.Open(at.name); err == nil {
				_ = f.Close() // only read
			}
		case "list":
			_, _ = again.ReadDir(at.name) // an error is part of what is noted
		case "stat":
			_, _ = again.Stat(at.name)
		case "lstat":
			_, _ = again.Lstat(at.name)
		default:
			_, _ = again.ReadLink(at.name)
		}
		if again.found[at] != before {
			return false
		}
	}
	return true
}

// looked notes the looks at a tree until it is told to stop. It is safe for concurrent use.
type looked struct {
	fs.FS
	mutex sync.Mutex
	found looks // nil after the end
}

// stop ends the noting and returns the looks.
func (l *looked) stop() looks {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	found := l.found
	l.found = nil
	return found
}

// note keeps what a look led to; tell writes it, and is not called for an error.
func (l *looked) note(what, name string, err error, tell func(hash.Hash)) {
	if !l.noting() {
		return
	}
	h := sha256.New()
	if err != nil {
		fmt.Fprintf(h, "error %t", errors.Is(err, fs.ErrNotExist))
	} else {
		tell(h)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.found != nil {
		l.found[look{what, name}] = digest(h.Sum(nil))
	}
}

func (l *looked) noting() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.found != nil
}

// Open implements fs.FS. What is in a file is read once more for the note.
func (l *looked) Open(name string) (fs.File, error) {
	f, err := l.FS.Open(name)
	if l.noting() {
		l.note("open", name, err, func(h hash.Hash) { l.content(h, name) })
	}
	return f, err
}

// content writes what is in a file, up to more than anything reads of one.
func (l *looked) content(h hash.Hash, name string) {
	f, err := l.FS.Open(name)
	if err != nil {
		return
	}
	const most = 16 << 20
	n, err := io.Copy(h, io.LimitReader(f, most))
	err = errors.Join(err, f.Close())
	fmt.Fprintf(h, " %d %t", n, err != nil)
}

// ReadDir implements fs.ReadDirFS.
func (l *looked) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(l.FS, name)
	l.note("list", name, err, func(h hash.Hash) {
		for _, e := range entries {
			fmt.Fprintf(h, "%q %v\n", e.Name(), e.Type())
		}
	})
	return entries, err
}

// Stat implements fs.StatFS.
func (l *looked) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(l.FS, name)
	l.note("stat", name, err, func(h hash.Hash) { describe(h, info) })
	return info, err
}

// Lstat implements fs.ReadLinkFS.
func (l *looked) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(l.FS, name)
	l.note("lstat", name, err, func(h hash.Hash) { describe(h, info) })
	return info, err
}

// ReadLink implements fs.ReadLinkFS.
func (l *looked) ReadLink(name string) (string, error) {
	to, err := fs.ReadLink(l.FS, name)
	l.note("link", name, err, func(h hash.Hash) { fmt.Fprintf(h, "%q", to) })
	return to, err
}

// describe leaves the time out, which nothing depends on, and the size, which tells nothing of a
// directory.
func describe(h hash.Hash, info fs.FileInfo) {
	fmt.Fprintf(h, "%v", info.Mode().Type())
	if info.Mode().IsRegular() {
		fmt.Fprintf(h, " %d", info.Size())
	}
}
