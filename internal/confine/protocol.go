package confine

import (
	"errors"
	"io/fs"
	"time"
)

// start is the first message to the child.
type start struct {
	Job       string
	Arguments []string
	Limits    Limits
}

// op is what the child asks for.
type op uint8

const (
	opReady    op = iota + 1 // it is up and limited; answered by start
	opOpen                   // a file or directory as a whole
	opStat                   // what a name is, links followed
	opLstat                  // the same of a link itself
	opReadLink               // where a link leads
	opPhase                  // no answer
	opDone                   // no answer
)

// request is a message from the child.
type request struct {
	Op     op
	Name   string // of a file, or of the phase
	Answer []byte
	Peak   int64
	CPU    time.Duration
}

// reply is what a request for a file leads to.
type reply struct {
	Error   string
	Missing bool // the error is that there is no such file
	Info    info
	Data    []byte
	Entries []info // of a directory
	Link    string
}

func (r reply) err(operation, name string) error {
	switch {
	case r.Missing:
		return &fs.PathError{Op: operation, Path: name, Err: fs.ErrNotExist}
	case r.Error != "":
		return &fs.PathError{Op: operation, Path: name, Err: errors.New(r.Error)}
	default:
		return nil
	}
}

// info is a fs.FileInfo and a fs.DirEntry that can be sent.
type info struct {
	Base string
	Len  int64
	Bits fs.FileMode
	Time time.Time
}

func infoOf(i fs.FileInfo) info {
	return info{Base: i.Name(), Len: i.Size(), Bits: i.Mode(), Time: i.ModTime()}
}

func (i info) Name() string               { return i.Base }
func (i info) Size() int64                { return i.Len }
func (i info) Mode() fs.FileMode          { return i.Bits }
func (i info) Type() fs.FileMode          { return i.Bits.Type() }
func (i info) ModTime() time.Time         { return i.Time }
func (i info) IsDir() bool                { return i.Bits.IsDir() }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
