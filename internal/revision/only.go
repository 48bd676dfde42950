package revision

import (
	"io/fs"
	"path"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// only lists no configuration files of a tree but some.
type only struct {
	fs.FS
	names map[string]bool
}

// ReadDir implements fs.ReadDirFS.
func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	return slices.DeleteFunc(slices.Clone(entries), func(e fs.DirEntry) bool {
		return !e.IsDir() && config.IsFile(e.Name()) && !o.names[path.Join(name, e.Name())]
	}), err
}

// Stat implements fs.StatFS.
func (o only) Stat(name string) (fs.FileInfo, error) { return fs.Stat(o.FS, name) }

// Lstat implements fs.ReadLinkFS.
func (o only) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.FS, name) }

// ReadLink implements fs.ReadLinkFS.
func (o only) ReadLink(name string) (string, error) { return fs.ReadLink(o.FS, name) }
