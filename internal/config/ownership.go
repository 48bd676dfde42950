package config

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// ownership finds out which file belongs to which module. A file belongs to the nearest directory above
// it that is the source of a call, or the root. As a source is relative to the directory of the
// module that the file with the call belongs to, files and sources are looked at again until
// nothing changes any more.
type ownership struct {
	l      *loader
	fsys   fs.FS
	root   string
	listed map[string]bool            // directories whose files were read
	bodies map[string]*hclsyntax.Body // by file; nil for a file that cannot be read
	order  []string                   // of the files; those of outer directories first
	owners map[string]bool            // the directories of modules, the root among them
	faults map[string]string          // by directory: what is wrong with it, "" if nothing is
	plain  map[string]bool            // directories that are no links, and were looked at
}

// maxRounds bounds how often files and sources are looked at. Every round but the last finds a
// module that is further away from the root, unless a directory is a module exactly if it is none.
const maxRounds = 100

func newOwnership(l *loader, fsys fs.FS, root string) *ownership {
	return &ownership{
		l: l, fsys: fsys, root: root, listed: map[string]bool{}, bodies: map[string]*hclsyntax.Body{},
		owners: map[string]bool{root: true}, faults: map[string]string{}, plain: map[string]bool{},
	}
}

// read finds and reads all files, and reports whether it is clear to which module each belongs.
func (t *ownership) read() bool {
	t.list(t.root, hcl.Range{})
	for range maxRounds {
		found := t.sources()
		if maps.Equal(found, t.owners) {
			return true
		}
		t.owners = found
	}
	return false
}

// list reads the files below a directory that were not read yet.
func (t *ownership) list(dir string, call hcl.Range) {
	if t.listed[dir] {
		return
	}
	t.listed[dir] = true
	t.l.dirs = append(t.l.dirs, dir)
	names := slices.DeleteFunc(t.l.files(t.fsys, dir, call), func(name string) bool {
		_, known := t.bodies[name]
		return known
	})
	if most := t.l.limits.Files; len(t.order)+len(names) > most {
		t.l.config.Partial = true
		t.l.fail(codeLimit, call, "too many files", fmt.Sprintf("with this module there are more configuration files than the %d that can be read", most), "join some of them, or keep them in another directory")
		return
	}
	for _, name := range names {
		if len(t.l.diags) > t.l.limits.Errors || t.l.full {
			t.l.config.Partial = true // the rest would be left out anyway
			return
		}
		body := t.l.parse(t.fsys, name)
		if body != nil {
			t.l.count(body, startOf(name))
		}
		t.bodies[name] = body
		t.l.config.Partial = t.l.config.Partial || body == nil
	}
	t.order = append(t.order, names...)
	slices.SortStableFunc(t.order, func(a, b string) int { return depth(path.Dir(a)) - depth(path.Dir(b)) })
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// sources returns the directories of modules as the calls in all files say, when each file belongs
// to the nearest of those that were known before or are found on the way.
func (t *ownership) sources() map[string]bool {
	found := map[string]bool{t.root: true}
	before := maps.Clone(t.owners)
	for _, name := range slices.Clone(t.order) {
		body, owner := t.bodies[name], t.owner(name)
		if body == nil || owner == "" {
			continue
		}
		for _, b := range slices.Concat(body.Blocks, hclsyntax.Blocks(t.l.tornBlocks[name])) {
			if b.Type != schema.ModuleKind || b.Body.Attributes["source"] == nil {
				continue
			}
			source := b.Body.Attributes["source"]
			if dir, fault, _ := t.target(owner, source); fault == "" {
				found[dir], t.owners[dir] = true, true
				t.list(dir, source.Expr.Range())
			}
		}
	}
	t.owners = before
	return found
}

// owner is the directory of the module that a file belongs to; "" for none.
func (t *ownership) owner(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if t.owners[dir] {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

// target is the directory that a source means, or what is wrong with the source and what to do.
func (t *ownership) target(caller string, a *hclsyntax.Attribute) (dir, fault, hint string) {
	const example = `write, for example: source = "./modules/edge"`
	source, ok := literal(a.Expr)
	switch {
	case !ok:
		return "", "the source of a module is read before anything is evaluated, so it is a text in quotes without anything to compute", example
	case path.IsAbs(source):
		return "", "the source of a module is a path from the directory of the calling module, and this is absolute", example
	case strings.ContainsAny(source, "\x00\\") || strings.Contains(source, "://") || strings.Contains(source, "::"):
		return "", "a module is a directory of this repository, and this is no path of one", example
	case source != "." && source != ".." && !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../"):
		return "", "the source of a module is a path that begins with ./ or ../", fmt.Sprintf("if this is meant as a path, write: source = %q", "./"+source)
	}
	dir = path.Join(caller, source)
	if dir == ".." || strings.HasPrefix(dir, "../") {
		return "", "this path leads out of the repository", "a module has to lie in the repository; where only a directory of it is given, give the whole and name the directory with --path"
	}
	if _, known := t.faults[dir]; !known {
		t.faults[dir] = t.fault(dir)
	}
	if fault := t.faults[dir]; fault != "" {
		return dir, fault, orElse(neighbour(t.fsys, dir), "check the path, which begins at the directory of the calling module")
	}
	return dir, "", ""
}

func orElse(hint, otherwise string) string {
	if hint == "" {
		return otherwise
	}
	return hint
}

// fault tells what is wrong with the directory of a module. Every directory on the way is looked
// at, as a link could lead out of the repository.
func (t *ownership) fault(dir string) string {
	for end := range len(dir) + 1 {
		if end < len(dir) && dir[end] != '/' || t.plain[dir[:end]] {
			continue
		}
		name := dir[:end]
		info, err := fs.Lstat(t.fsys, name)
		switch {
		case err != nil:
			return fmt.Sprintf("there is no directory %q in this revision", dir)
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Sprintf("%q is a link, and links are not followed, as they could lead out of the repository", name)
		case !info.IsDir():
			kind := "a file"
			if !info.Mode().IsRegular() {
				kind = Irregular(info.Mode())
			}
			return fmt.Sprintf("%q is %s, and a module is a directory", name, kind)
		}
		t.plain[name] = true
	}
	return ""
}
