package unit

import (
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
)

// maxContent is how many bytes a file can have that becomes what is in an object, as a revision has no larger ones.
const maxContent = 16 << 20

// Content is a file of the configuration that becomes what is in an object, such as an image.
type Content struct {
	tree fs.FS
	name string
	sum  func() (string, error)
}

// tellsItself is the size from which a file is what it is. A smaller one may stand for content that is elsewhere, such as in Git
// LFS, which a tree tells when it is opened.
const tellsItself = 1024

// NewContent returns a file by its path from a directory of a tree. Nothing is read yet.
func NewContent(tree fs.FS, dir, name string) *Content {
	c := &Content{tree: tree, name: path.Join(dir, name)}
	c.sum = sync.OnceValues(c.digest)
	return c
}

// Check returns why the file cannot be taken, nil when it can.
func (c *Content) Check() error {
	info, err := fs.Stat(c.tree, c.name)
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %q in this revision", c.name)
	case errors.As(err, &at):
		return fmt.Errorf("the file %q cannot be read: %w", c.name, at.Err)
	case err != nil:
		return fmt.Errorf("the file %q cannot be read: %w", c.name, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is a directory, or something else that is no file", c.name)
	case info.Size() > maxContent:
		return fmt.Errorf("the file %q has %d bytes, and can have at most %d", c.name, info.Size(), maxContent)
	case info.Size() >= tellsItself:
		return nil
	}
	f, err := c.tree.Open(c.name)
	if err == nil {
		err = f.Close()
	}
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return fmt.Errorf("the file %q cannot be read: %w", c.name, err)
	}
	return nil
}

// Open returns the file, and how many bytes it has.
func (c *Content) Open() (io.ReadCloser, int64, error) {
	if err := c.Check(); err != nil {
		return nil, 0, err
	}
	f, err := c.tree.Open(c.name)
	if err != nil {
		return nil, 0, fmt.Errorf("the file %q cannot be read: %w", c.name, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("the file %q cannot be read: %w", c.name, err), f.Close())
	}
	return f, info.Size(), nil
}

// Sum returns the digest of the file, sha512:…, which is read for it once.
func (c *Content) Sum() (string, error) { return c.sum() }

func (c *Content) digest() (string, error) {
	f, _, err := c.Open()
	if err != nil {
		return "", err
	}
	sum := sha512.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxContent+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("the file %q cannot be read: %w", c.name, err)
	}
	if n > maxContent { // it grew
		return "", fmt.Errorf("the file %q has more than %d bytes", c.name, maxContent)
	}
	return "sha512:" + hex.EncodeToString(sum.Sum(nil)), nil
}
