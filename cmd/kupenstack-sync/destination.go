package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
)

// destination is where a command puts the configuration that it makes.
type destination struct {
	out   string // "" is standard output
	force bool
}

// register adds the flags to a set. files are those that come into the directory.
func (c *destination) register(set *pflag.FlagSet, files string) {
	set.StringVar(&c.out, "out", "", "the directory for "+files+" (default: all to standard output)")
	set.BoolVar(&c.force, "force", false, "replace files in the directory that are there already")
}

// write puts the files into the directory. Without --force all of them must be new, or none is
// written.
func (c *destination) write(files []convert.File) error {
	if err := os.MkdirAll(c.out, 0o755); err != nil { //nolint:gosec // a configuration is for everybody to read
		return err
	}
	root, err := os.OpenRoot(c.out)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it that is not closed already
	for _, f := range files {
		if _, err := root.Lstat(f.Name); err == nil && !c.force {
			return fmt.Errorf("%s is in %s already, and nothing was written: give another directory, or --force to replace it", f.Name, c.out)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, f := range files {
		if err := c.writeFile(root, f); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
	}
	return nil
}

// writeFile writes a file whole or not at all: what is there stays until the new one is complete.
func (c *destination) writeFile(root *os.Root, f convert.File) (err error) {
	temporary := "." + f.Name + ".new"
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		if c.force {
			err = root.Rename(temporary, f.Name)
		} else {
			err = root.Link(temporary, f.Name) // which fails when somebody else has been faster
		}
	}
	if removed := root.Remove(temporary); err == nil && removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		return removed
	}
	return err
}
