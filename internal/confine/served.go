package confine

import (
	"bytes"
	"io/fs"
	"path"
)

// Files is a tree of files that have been read, by their paths; it lists nothing.
type Files map[string][]byte

// Open implements fs.FS.
func (m Files) Open(name string) (fs.File, error) {
	content, known := m[name]
	if !known {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{Reader: bytes.NewReader(content), info: info{Base: path.Base(name), Len: int64(len(content)), Bits: 0o444}}, nil
}
