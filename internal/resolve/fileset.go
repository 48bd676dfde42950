package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

const maxPattern = 4 << 10 // bytes of a pattern, for names of files or for texts

// match returns the paths of the files below a directory that a pattern matches, relative to it and
// in order. Links to files count as files; linked directories are not entered, as they could lead
// around in circles: where the pattern reaches into one, which files there are is not known. A directory that is not there has no files, as Git knows no empty ones. pay is
// asked before each entry.
func (f *files) match(dir, pattern string, pay func() bool) ([]string, error) {
	root, err := config.Within(f.dir, dir)
	if err != nil {
		return nil, err
	}
	matches, err := compileGlob(pattern)
	if err != nil {
		return nil, err
	}
	below, err := f.list(root)
	if err != nil {
		return nil, err
	}
	var found []string
	above := newBeginnings(pattern)
	for _, e := range below {
		if !pay() {
			return nil, errTooLarge
		}
		if e.link && above.reaches(e.name) {
			full := path.Join(root, e.name)
			if err := f.look(full); err != nil {
				return nil, err
			}
			if info, err := fs.Stat(f.tree, full); err == nil && info.IsDir() {
				return nil, fmt.Errorf("%q is a link to a directory, and such links are not followed: which files there are is not known; put the directory itself there", full)
			}
		}
		if !e.file && !e.link || !matches.MatchString(e.name) {
			continue
		}
		if e.link {
			target, err := f.linked(path.Join(root, e.name))
			if err != nil {
				return nil, err
			}
			if !target {
				continue
			}
		}
		if found = append(found, e.name); len(found) > maxElements {
			return nil, fmt.Errorf("the pattern matches more than %d files", maxElements)
		}
	}
	return found, nil
}

// beginnings tell of a pattern whether it may match something below a directory. Of braces with several parts of a path in them they
// know nothing.
type beginnings struct {
	parts []string
	of    map[int]*regexp.Regexp // so many parts, nil where these are no pattern: each is made once, however many links there are
}

func newBeginnings(pattern string) beginnings {
	return beginnings{parts: strings.Split(strings.TrimPrefix(pattern, "./"), "/"), of: map[int]*regexp.Regexp{}}
}

func (b beginnings) reaches(dir string) bool {
	names := strings.Split(dir, "/")
	n := min(len(b.parts), len(names))
	for i := range n {
		if b.parts[i] == "**" { // whatever follows
			n = i
			break
		}
	}
	if n == 0 {
		return true
	}
	if n == len(b.parts) {
		return false
	}
	above, made := b.of[n]
	if !made {
		if re, err := compileGlob(strings.Join(b.parts[:n], "/")); err == nil {
			above = re
		}
		b.of[n] = above
	}
	return above != nil && above.MatchString(strings.Join(names[:n], "/"))
}

// listing is everything below a directory, in order, or why that cannot be listed.
type listing struct {
	entries []listed
	err     error
}

// listed is one entry of a directory or of one below that.
type listed struct {
	name string // from the directory on
	file bool
	link bool
}

// list returns what is below a directory, which it walks through once.
func (f *files) list(root string) ([]listed, error) {
	l := f.listed[root]
	if l == nil && f.before != nil {
		l = f.before.listed[root]
	}
	if l == nil {
		l = &listing{}
		l.entries, l.err = f.walk(root)
		f.listed[root] = l
	}
	return l.entries, l.err
}

func (f *files) walk(root string) ([]listed, error) {
	var all []listed
	err := fs.WalkDir(f.tree, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.EqualFold(entry.Name(), ".git"):
			return fs.SkipDir
		case entry.Type()&fs.ModeIrregular != 0:
			return fmt.Errorf("%q is %s, and submodules are not fetched: which files there are is not known", name, config.Irregular(entry.Type()))
		case entry.IsDir():
			if strings.Count(name, "/") >= maxBelow {
				return fmt.Errorf("there can be at most %d directories inside each other, and there are more in %q", maxBelow, root)
			}
			if err := f.look(name); err != nil {
				return err
			}
		default:
			if err := f.look(""); err != nil { // it came with its directory
				return err
			}
		}
		relative := name
		if root != "." {
			relative = strings.TrimPrefix(name, root+"/")
		}
		all = append(all, listed{name: relative, file: entry.Type().IsRegular(), link: entry.Type()&fs.ModeSymlink != 0})
		return nil
	})
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &at):
		return nil, fmt.Errorf("%q cannot be read: %w", at.Path, at.Err)
	}
	return all, err
}

// linked tells whether a link leads to a file.
func (f *files) linked(full string) (bool, error) {
	if err := f.look(full); err != nil {
		return false, err
	}
	info, err := fs.Stat(f.tree, full)
	var at *fs.PathError
	switch {
	case errors.As(err, &at):
		return false, fmt.Errorf("%q cannot be read: %w", at.Path, at.Err)
	case err != nil:
		return false, err
	}
	return info.Mode().IsRegular(), nil
}

// compileGlob turns a pattern for paths into a regular expression, whose time is linear in the path
// whatever the pattern: * and ? within a name, ** for any directories, [a-z] and {a,b}.
func compileGlob(pattern string) (*regexp.Regexp, error) {
	switch {
	case pattern == "" || len(pattern) > maxPattern:
		return nil, fmt.Errorf("the pattern must have from 1 to %d bytes", maxPattern)
	case strings.HasPrefix(pattern, "/") || strings.HasPrefix(path.Clean(pattern)+"/", "../"):
		return nil, fmt.Errorf("the pattern %q leads out of the directory: write it from there", pattern)
	}
	g := glob{rest: strings.TrimPrefix(pattern, "./")}
	g.out.WriteString(`(?s)\A`)
	for g.rest != "" {
		g.step()
	}
	if g.bad || g.open > 0 {
		return nil, fmt.Errorf("the pattern %q has a bracket, a brace or a backslash that is not complete", pattern)
	}
	g.out.WriteString(`\z`)
	re, err := regexp.Compile(g.out.String())
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is not valid", pattern)
	}
	return re, nil
}

// glob translates a pattern from the left to the right.
type glob struct {
	rest string
	out  strings.Builder
	open int // braces
	bad  bool
	late bool // something of the current name was written
}

func (g *glob) step() {
	at := len(g.rest) // how much is taken
	switch c := g.rest[0]; {
	case !g.late && strings.HasPrefix(g.rest, "**/"):
		g.out.WriteString(`(?:[^/]+/)*`)
		g.rest = g.rest[3:]
		return
	case !g.late && g.rest == "**":
		g.out.WriteString(`.*`)
	case c == '*':
		g.out.WriteString(`[^/]*`)
		at = 1
	case c == '?':
		g.out.WriteString(`[^/]`)
		at = 1
	case c == '[':
		at = g.class()
	case c == '{':
		g.open++
		g.out.WriteString(`(?:`)
		at = 1
	case c == '}' && g.open > 0:
		g.open--
		g.out.WriteString(`)`)
		at = 1
	case c == ',' && g.open > 0:
		g.out.WriteString(`|`)
		at = 1
	case c == '\\':
		if len(g.rest) == 1 {
			g.bad = true
			break
		}
		g.rest = g.rest[1:]
		fallthrough
	default:
		for i := range g.rest { // to the end of the first character
			if at = len(g.rest); i > 0 {
				at = i
				break
			}
		}
		g.out.WriteString(regexp.QuoteMeta(g.rest[:at]))
	}
	g.late = g.rest[at-1] != '/'
	g.rest = g.rest[at:]
}

// class takes [a-z], [!a-z] or [^a-z], which never match a slash.
func (g *glob) class() int {
	end := strings.IndexByte(g.rest, ']')
	if end < 2 {
		g.bad = true
		return len(g.rest)
	}
	inside, negated := g.rest[1:end], false
	if inside[0] == '!' || inside[0] == '^' {
		inside, negated = inside[1:], true
	}
	if inside == "" || strings.ContainsAny(inside, `/[\`) {
		g.bad = true
		return len(g.rest)
	}
	if negated {
		g.out.WriteString(`[^/` + inside + `]`)
	} else {
		g.out.WriteString(`[` + inside + `]`)
	}
	return end + 1
}
