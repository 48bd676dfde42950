package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// damagedFile marks a repository of the cache in which something was found damaged, for all processes that use it. It is
// read no more, and goes with the others that nobody uses.
const damagedFile = "damaged"

// errOtherContent says that what was read is not what its hash stands for.
var errOtherContent = errors.New("its content is not that of its hash")

// errNoFile says that a commit has something else in the place of a file, which Git never writes.
var errNoFile = errors.New("in its place the repository has another kind of object")

// judge returns the error of reading an object of a tree that was complete once. Unless it is the reader's or passes, the
// copy on this disk is damaged: then the repository is given up, and the next fetch makes a new one.
func (s *store) judge(what string, err error) error {
	if err == nil || errors.Is(err, ErrFileTooLarge) || errors.Is(err, errNoFile) || passes(err) {
		return err
	}
	hurt := &Error{Kind: Broken, Text: fmt.Sprintf("the cache is damaged, and the next fetch makes a new one: a %s cannot be read: %v", what, err)}
	s.hurt.Store(hurt)
	// A disk that takes nothing any more leaves it to this process, and to each that comes upon the damage.
	_ = os.WriteFile(filepath.Join(s.dir, damagedFile), nil, 0o600)
	return hurt
}

// passes tells whether an error is of the system and not of the disk: too many files are open, say.
func passes(err error) bool {
	var local *fs.PathError
	return errors.As(err, &local) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.EIO)
}

// isDamaged tells whether anybody found the repository damaged.
func (s *store) isDamaged() bool {
	if s.hurt.Load() != nil {
		return true
	}
	_, err := os.Stat(filepath.Join(s.dir, damagedFile))
	return err == nil
}

// Damage returns what was found damaged in the copy of a repository that the tree is read from, an error of kind Broken,
// and nil for nothing. Whoever reads files through [Tree.FS] may have taken that for a mistake of the files.
func (t *Tree) Damage() error {
	if t.store == nil {
		return nil
	}
	if hurt := t.store.hurt.Load(); hurt != nil {
		return hurt
	}
	return nil
}
