package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxPath is how many bytes the path of a file can have, as in Linux.
const maxPath = 4096

// Within returns the path in a tree of what is named in one of its directories. The error says why
// there is none: the language reaches nothing outside of the tree, and nothing of Git's own.
func Within(dir, name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty")
	case len(name) > maxPath:
		return "", fmt.Errorf("a path can have at most %d bytes", maxPath)
	case strings.HasPrefix(name, "/"):
		return "", fmt.Errorf("the path %q begins at the top of a file system: write it from the directory of the configuration, such as ./%s", name, path.Base(name))
	}
	full := path.Join(dir, name)
	switch {
	case full == ".." || strings.HasPrefix(full, "../"):
		return "", fmt.Errorf("the path %q leads out of the repository", name)
	case !fs.ValidPath(full) || strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the path %q is not a path of a file", name)
	case slices.ContainsFunc(strings.Split(full, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }):
		return "", fmt.Errorf("the path %q leads to what Git keeps for itself, which is no part of a revision", name)
	}
	return full, nil
}

// ReadWithin reads a file of a tree by its path there, through links within the tree. The error
// names the file and says why it cannot be read; it wraps [fs.ErrNotExist] when it is not there.
func ReadWithin(tree fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(tree, name) // before it is opened, as a pipe would never let go
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missingFile{name: name, hint: neighbour(tree, name)}
	case err != nil:
		return nil, fmt.Errorf("%q cannot be read: %w", name, Cause(err))
	case info.IsDir():
		return nil, fmt.Errorf("%q is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is %s, not a file", name, Irregular(info.Mode()))
	case info.Size() > limit:
		return nil, fmt.Errorf("%q has %d bytes, and a file can have at most %d", name, info.Size(), limit)
	}
	content, err := readFile(tree, name, limit)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q cannot be read: %w", name, Cause(err))
	case int64(len(content)) > limit: // it grew
		return nil, fmt.Errorf("%q has more than %d bytes", name, limit)
	}
	return content, nil
}

// Cause is an error of a file system without the path, which is told already.
func Cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err.Error() == "path escapes from parent" { // what os.Root says, which exports no such error
		return errors.New("it is, or lies behind, a link that leads out of the repository")
	}
	return err
}

// missingFile is a file that is not there.
type missingFile struct{ name, hint string }

func (e missingFile) Error() string {
	text := fmt.Sprintf("there is no file %q in this revision", e.name)
	if e.hint != "" {
		text += "; " + e.hint
	}
	return text
}

func (e missingFile) Unwrap() error { return fs.ErrNotExist }

// hintForDirectory says what may be meant by a directory that is not there.
func hintForDirectory(tree fs.FS, name string) string {
	if hint := neighbour(tree, name); hint != "" {
		return hint
	}
	return "check the path, which begins at the top of the repository; Git keeps no directory without files"
}

// neighbour finds the file of the same directory that was probably meant.
func neighbour(tree fs.FS, name string) string {
	const many = 1000 // comparing more of them takes longer than it helps
	entries, err := fs.ReadDir(tree, path.Dir(name))
	if err != nil || len(entries) > many {
		return ""
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return nearest(path.Base(name), names)
}
