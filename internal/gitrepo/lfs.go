package gitrepo

import (
	"bytes"
	"errors"
)

// maxPointer is the size below which a file can be a pointer; Git LFS itself takes 1024.
const maxPointer = 1024

// errLFS is what reading such a file gives.
var errLFS = errors.New("the file's content is in Git LFS and only a pointer to it is in the repository: commit the file itself")

// errLFSHere is that of a file in a plain directory.
var errLFSHere = errors.New("the file's content is in Git LFS and only a pointer to it is here: commit the file itself, or get it with git lfs pull")

// isLFSPointer tells whether a file's content stands for content in Git LFS
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
func isLFSPointer(content []byte) bool {
	if len(content) >= maxPointer {
		return false
	}
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	first = bytes.TrimSuffix(first, []byte("\r"))
	known := bytes.Equal(first, []byte("version https://git-lfs.github.com/spec/v1")) ||
		bytes.Equal(first, []byte("version https://hawser.github.com/spec/v1"))
	return known && bytes.Contains(rest, []byte("oid sha256:"))
}
