package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
)

// directory is a configuration that is in no repository, or in one whose commits do not matter.
type directory struct {
	path    string
	options Options
}

func (d *directory) head(ctx context.Context) (Revision, error) {
	root, err := d.open()
	if err != nil {
		return Revision{}, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return d.revision(ctx, root)
}

// tree opens the directory for reading. Its root is closed by the garbage collector, as nobody
// knows when the last reader of a tree is done.
func (d *directory) tree(ctx context.Context) (*Tree, error) {
	root, err := d.open()
	if err != nil {
		return nil, err
	}
	rev, err := d.revision(ctx, root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Tree{Revision: rev, dir: root, limit: d.options.MaxFileBytes}, nil
}

func (d *directory) open() (*os.Root, error) {
	if info, err := os.Stat(d.path); err == nil && !info.IsDir() { // opening a pipe would never come to an end
		return nil, &Error{Kind: NoRepository, Where: d.path, Text: "it is no directory"}
	}
	root, err := os.OpenRoot(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Kind: NoRepository, Where: d.path, Text: "there is no such directory"}
	}
	if err != nil {
		return nil, &Error{Kind: Other, Where: d.path, Text: fmt.Sprintf("opening the directory: %v", err)}
	}
	return root, nil
}

// revision is a digest of names and contents. Links count with their target's name: what they
// point to is either here too, or cannot be read.
func (d *directory) revision(ctx context.Context, root *os.Root) (Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	digest := sha256.New()
	files, left := 0, d.options.MaxBytes
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && name != ".":
			return nil // it vanished while we looked
		case err != nil:
			return err
		case entry.Name() == ".git" && entry.IsDir():
			return fs.SkipDir
		case entry.Name() == ".git" || entry.IsDir():
			return nil
		}
		if files++; files > d.options.MaxFiles {
			return &Error{Kind: TooLarge, Where: d.path, Text: fmt.Sprintf("the directory has more than %d files", d.options.MaxFiles)}
		}
		err = add(digest, root, name, entry.Type(), &left)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	switch {
	case errors.Is(err, errTooLarge):
		return Revision{}, &Error{Kind: TooLarge, Where: d.path, Text: fmt.Sprintf("the files of the directory have more than %d bytes", d.options.MaxBytes)}
	case err != nil:
		return Revision{}, fmt.Errorf("reading the directory %s: %w", d.path, err)
	}
	return Revision{Hash: "sha256:" + hex.EncodeToString(digest.Sum(nil))}, nil
}

// add puts one file into the digest, each part with its length before it.
func add(digest hash.Hash, root *os.Root, name string, kind fs.FileMode, left *int64) error {
	switch {
	case kind&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(digest, "link %d %s %d %s", len(name), name, len(target), target)
		return nil
	case !kind.IsRegular():
		return nil // sockets and the like are no configuration
	}
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	content := sha256.New()
	n, err := io.Copy(content, io.LimitReader(file, *left+1))
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 {
		return errTooLarge
	}
	fmt.Fprintf(digest, "file %d %s %x", len(name), name, content.Sum(nil))
	return nil
}
