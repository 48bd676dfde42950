package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

const (
	maxLinks  = 40   // on the way to one file, as in Linux
	maxTarget = 4096 // bytes of a link, as in Linux
)

// node is one entry of a tree.
type node struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

// lookup is what following a path needs to know of a tree.
type lookup interface {
	// child returns an entry of a directory, fs.ErrNotExist when there is none.
	child(directory node, name string) (node, error)
	// target returns where a link points.
	target(link node) (string, error)
}

// follow walks from root along path, through links, and returns what is there. The last part's
// link is returned itself unless last is set. It never leaves root, and takes a bounded number of
// steps whatever the tree holds.
func follow(tree lookup, root node, path string, last bool) (node, error) {
	way := []node{root}
	pending := strings.Split(path, "/")
	for links := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		here := way[len(way)-1]
		if here.mode != filemode.Dir {
			if here.mode == filemode.Submodule {
				return node{}, errSubmodule(here.name)
			}
			return node{}, fs.ErrNotExist // as below a file
		}
		switch part {
		case "", ".":
			continue
		case "..":
			if len(way) == 1 {
				return node{}, errors.New("a symbolic link leads out of the repository")
			}
			way = way[:len(way)-1]
			continue
		}
		next, err := tree.child(here, part)
		if err != nil {
			return node{}, err
		}
		if next.mode != filemode.Symlink || (len(pending) == 0 && !last) {
			way = append(way, next)
			continue
		}
		if links++; links > maxLinks {
			return node{}, errors.New("symbolic links lead in circles")
		}
		target, err := tree.target(next)
		switch {
		case err != nil:
			return node{}, err
		case target == "":
			return node{}, fmt.Errorf("the symbolic link %q is empty", next.name)
		case strings.HasPrefix(target, "/"):
			return node{}, errors.New("a symbolic link leads out of the repository")
		}
		pending = append(strings.Split(target, "/"), pending...)
	}
	return way[len(way)-1], nil
}

func errSubmodule(name string) error {
	return fmt.Errorf("%q is a Git submodule, and submodules are not fetched: put the files into this repository", name)
}
