package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// maxLinks is how many links a way may have; more go around in circles.
const maxLinks = 40

// way is how a path leads to a directory.
type way struct {
	root  string          // the directory, without links
	names map[string]bool // the links, the directory and those above, which others can come in the place of
}

// wayTo follows the links of an absolute path.
func wayTo(path string) (way, error) {
	w := way{names: map[string]bool{}}
	for range maxLinks {
		link, rest, err := firstLink(path)
		if err != nil {
			return way{}, err
		}
		last := path
		if link != "" {
			last = link
		}
		for at := last; at != filepath.Dir(at); at = filepath.Dir(at) {
			w.names[at] = true // also what leads there: another directory may come in its place
		}
		if link == "" {
			w.root, w.names[path] = path, true
			return w, nil
		}
		target, err := os.Readlink(link)
		if err != nil {
			return way{}, err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, rest)
	}
	return way{}, &fs.PathError{Op: "follow", Path: path, Err: errors.New("too many links")}
}

// firstLink returns the first part of a path that is a link, and what comes after it; "" for none.
func firstLink(path string) (link, rest string, err error) {
	for at := 1; at <= len(path); at++ {
		if at < len(path) && path[at] != filepath.Separator {
			continue
		}
		info, err := os.Lstat(path[:at])
		if err != nil {
			return "", "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return path[:at], path[at:], nil
		}
	}
	return "", "", nil
}

// turns tells whether the way may lead elsewhere after an event.
func (w way) turns(event fsnotify.Event) bool {
	return w.names[filepath.Clean(event.Name)] && (event.Has(fsnotify.Create) || event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename))
}

// within tells whether a name is that of the directory or of something below it, and not only beside the way.
func (w way) within(name string) bool {
	name = filepath.Clean(name) // of what lies in the root it has two slashes
	return name == w.root || strings.HasPrefix(name, strings.TrimSuffix(w.root, string(filepath.Separator))+string(filepath.Separator))
}
