package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

const (
	maxFile  = 1 << 20 // bytes of a file that a function reads
	maxFiles = 8 << 20 // bytes of all files that are read at the first stage, or later for one resource
	maxLooks = 20_000  // files and directories that are looked for or listed, counted in the same way
	maxBelow = 64      // directories inside each other that are listed
)

// files reads files of the configuration's tree for one pass of evaluation, each once. Paths begin
// at dir, the directory of the configuration, in whatever module they are written. What the first stage has read is not read again at the second, so the two always see the
// same; and how much one resource may read does not depend on the others.
type files struct {
	tree      fs.FS
	dir       string
	before    *files // of the first stage, not changed any more; nil at that
	own       map[string]*file
	parsed    map[*file]*config.Template
	opened    map[*file]opened // encrypted ones
	manifests map[*file]parsedManifest
	listed    map[string]*listing // by directory
	found     map[string]presence // what was only looked for
	left      int64
	looks     int
}

type file struct {
	content []byte
	err     error
}

// presence is whether there is a file of a name, or why that cannot be said.
type presence struct {
	there bool
	err   error
}

func newFiles(cfg *config.Config, before *files) *files {
	return &files{
		tree: cfg.Tree, dir: cfg.Dir, before: before, own: map[string]*file{}, parsed: map[*file]*config.Template{}, opened: map[*file]opened{}, manifests: map[*file]parsedManifest{},
		listed: map[string]*listing{}, found: map[string]presence{}, left: maxFiles, looks: maxLooks,
	}
}

// look pays for looking at something in the tree that was not looked at before. Whoever serves the tree
// goes through every directory on the way, so what is deep costs more.
func (f *files) look(full string) error {
	if f.looks -= 1 + strings.Count(full, "/"); f.looks < 0 {
		return errTooManyLooks
	}
	return nil
}

// errTooManyLooks says what a function cannot do any more.
var errTooManyLooks = fmt.Errorf("functions look at too many files and directories: %d is the most, where each counts once more for every directory that it lies in", maxLooks)

// wayTo is the path of a directory of the tree from another one.
func wayTo(from, to string) string {
	split := func(dir string) []string {
		return slices.DeleteFunc(strings.Split(dir, "/"), func(part string) bool { return part == "." })
	}
	up, down := split(from), split(to)
	for len(up) > 0 && len(down) > 0 && up[0] == down[0] {
		up, down = up[1:], down[1:]
	}
	return path.Join(append(slices.Repeat([]string{".."}, len(up)), append(down, ".")...)...)
}

// besideModule makes of the error about a file that is not there one that points to the file of that
// name in the directory of the module, if it is there.
func (s *scope) besideModule(name string, err error) error {
	if s.module == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	full, problem := config.Within(s.module.site.config.Dir, name)
	if problem != nil {
		return err
	}
	if info, problem := fs.Stat(s.files.tree, full); problem != nil || !info.Mode().IsRegular() {
		return err
	}
	return fmt.Errorf("a path begins at the directory of the configuration, and there is no file %q there; did you mean \"${path.module}/%s\"?", name, name)
}

// read returns a file by the path that the configuration gives for it.
func (f *files) read(name string) (*file, error) {
	full, err := config.Within(f.dir, name)
	if err != nil {
		return nil, err
	}
	found := f.own[full]
	if found == nil && f.before != nil {
		found = f.before.own[full]
	}
	if found == nil {
		if err := f.look(full); err != nil {
			return nil, err
		}
		found = &file{}
		found.content, found.err = config.ReadWithin(f.tree, full, maxFile)
		if f.left -= int64(len(found.content)); f.left < 0 && found.err == nil {
			found.content, found.err = nil, fmt.Errorf("with %q, the files that functions read have more than %d bytes together", full, maxFiles)
		}
		f.own[full] = found
	}
	return found, found.err
}

// text returns a file that has to be text.
func (f *files) text(name string) (*file, error) {
	found, err := f.read(name)
	if err == nil && !utf8.Valid(found.content) {
		return nil, fmt.Errorf("%q is not text in UTF-8; filebase64 takes any file", name)
	}
	return found, err
}

// template returns a file as a template. The budget pays for parsing it once.
func (f *files) template(name string, budget *config.Budget) (*config.Template, error) {
	found, err := f.text(name)
	if err != nil {
		return nil, err
	}
	if t := f.parsed[found]; t != nil {
		return t, nil
	}
	if f.before != nil && f.before.parsed[found] != nil {
		return f.before.parsed[found], nil
	}
	full, err := config.Within(f.dir, name)
	if err != nil {
		return nil, err
	}
	t, err := config.ParseTemplate(found.content, full, config.DefaultLimits(), budget)
	if err != nil {
		return nil, err
	}
	f.parsed[found] = t
	return t, nil
}

// exists tells whether there is a file.
func (f *files) exists(name string) (bool, error) {
	full, err := config.Within(f.dir, name)
	if err != nil {
		return false, err
	}
	known, ok := f.found[full]
	if !ok && f.before != nil {
		known, ok = f.before.found[full]
	}
	if !ok {
		if err := f.look(full); err != nil {
			return false, err
		}
		known = f.presence(full)
		f.found[full] = known
	}
	return known.there, known.err
}

func (f *files) presence(full string) presence {
	info, err := fs.Stat(f.tree, full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return presence{}
	case err != nil:
		return presence{err: fmt.Errorf("%q cannot be looked at: %w", full, config.Cause(err))}
	case info.Mode().IsRegular():
		return presence{there: true}
	default:
		return presence{err: fmt.Errorf("%q is a directory, or something else that is no file", full)}
	}
}
