package format

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// read returns at most one byte more than the limit, which is how the caller knows of an excess.
func read(root *os.Root, name string, limit int64) ([]byte, error) {
	// The caller has looked what it is. Should a pipe stand there since, opening it does not wait.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(file, limit+1))
	return src, errors.Join(err, file.Close())
}

// replace puts a new content in the place of a file at once: whoever reads it meanwhile has the old
// one or the new one, also after a crash. A link that came to stand there is replaced, not followed.
func replace(root *os.Root, name string, mode fs.FileMode, content []byte) error {
	temporary := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()+".tmp")
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	// Only now, as the mode may forbid to write.
	err = errors.Join(err, file.Chmod(mode), file.Sync())
	if err = errors.Join(err, file.Close()); err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}
