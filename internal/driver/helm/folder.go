package helm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
)

const (
	// maxEntries bounds the files and directories of a chart in a folder. The largest of OpenStack-Helm has some
	// hundreds.
	maxEntries = 20_000
	// maxLinked bounds how deep links to directories may lead into each other.
	maxLinked = 4
)

// folder is a walk through the files of a chart, with what it has come by.
type folder struct {
	tree          fs.FS
	entries, size int
	visit         func(name string, data []byte) error
}

// walk visits all files below a directory, named from there, and in the place of links what they lead to: the
// tree follows none that leads out of it. What is no file, such as a submodule, is an error.
func (f *folder) walk(at, name string, links int) error {
	return fs.WalkDir(f.tree, at, func(file string, entry fs.DirEntry, err error) error {
		if f.entries++; f.entries > maxEntries {
			return fmt.Errorf("it has more than %d files and directories", maxEntries)
		}
		if err != nil || entry.IsDir() {
			return err
		}
		here := path.Join(name, strings.TrimPrefix(strings.TrimPrefix(file, at), "/"))
		info, err := fs.Stat(f.tree, file)
		switch {
		case err != nil:
			return err
		case info.IsDir() && links >= maxLinked:
			return fmt.Errorf("%s: symbolic links lead too deep", file)
		case info.IsDir(): // by a link, or it would be walked through anyway
			below, err := fs.ReadDir(f.tree, file)
			for i := 0; i < len(below) && err == nil; i++ {
				err = f.walk(path.Join(file, below[i].Name()), path.Join(here, below[i].Name()), links+1)
			}
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory", file)
		}
		if info.Size() > int64(maxChart-f.size) {
			return fmt.Errorf("it is larger than %d MiB", maxChart>>20)
		}
		data, err := fs.ReadFile(f.tree, file)
		if err != nil {
			return err
		}
		f.size += len(data)
		return f.visit(here, data)
	})
}

// walkFolder visits the files of a folder.
func walkFolder(tree fs.FS, at string, visit func(name string, data []byte) error) error {
	return (&folder{tree: tree, visit: visit}).walk(at, "", 0)
}

// digestOf covers the names and contents of all files of a folder.
func digestOf(tree fs.FS, at string) (string, error) {
	sum := sha256.New()
	err := walkFolder(tree, at, func(name string, data []byte) error {
		fmt.Fprintf(sum, "%d /%s %d ", len(name)+1, name, len(data)) // a hash never returns an error
		sum.Write(data)
		return nil
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// unpacked reads a chart's files as Helm does, with .helmignore, which Helm can only do on disk. No links get
// there, as they would lead to files of this machine.
func (c *charts) unpacked(tree fs.FS, at string) ([]*loader.BufferedFile, error) {
	if err := os.MkdirAll(c.options.CacheDir, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(c.options.CacheDir, "chart-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	copied := filepath.Join(dir, path.Base(at))
	err = walkFolder(tree, at, func(name string, data []byte) error {
		file := filepath.Join(copied, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o600)
	})
	if err != nil {
		return nil, withoutPath(err, dir)
	}
	loaded, err := loader.LoadDir(copied)
	if err != nil {
		return nil, withoutPath(err, dir)
	}
	return buffered(loaded), nil
}

func buffered(loaded *chart.Chart) []*loader.BufferedFile {
	files := make([]*loader.BufferedFile, 0, len(loaded.Raw))
	for _, file := range loaded.Raw {
		files = append(files, &loader.BufferedFile{Name: file.Name, Data: file.Data})
	}
	return files
}

// withoutPath keeps the name of a temporary directory out of messages, which would differ each time.
func withoutPath(err error, dir string) error {
	return errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
}
