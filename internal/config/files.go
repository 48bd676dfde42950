package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// extension is what the names of configuration files end with.
const extension = ".hcl"

// inJSON is what follows an extension when the file is written in HCL's JSON syntax. What is in such a file
// was meant to count, and is not read.
const inJSON = ".json"

// IsFile tells whether a file of that name is one of configuration.
func IsFile(name string) bool { return path.Ext(name) == extension }

// Irregular says what it is that is no regular file, as in "it is a pipe". Opening some of these never
// comes to an end.
func Irregular(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeIrregular != 0:
		return "a submodule of Git" // as which trees of Git have it
	default:
		return "something else"
	}
}

// files returns the names of the configuration files below dir in order. Hidden files and
// directories are passed over. What is wrong is told at the call of a module, if dir is one.
func (l *loader) files(fsys fs.FS, dir string, call hcl.Range) []string {
	var names []string
	passed := 0 // files that were told of
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && strings.HasPrefix(path.Base(name), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() && strings.Count(name, "/") >= l.limits.Nesting:
			// Finding a file takes a step for each of them, and finding all would never end.
			l.config.Partial = true
			passed++
			l.fail(codeLimit, call, "directories too deep", fmt.Sprintf("there can be at most %d directories inside each other, and there are more in %q", l.limits.Nesting, top(name)), "keep files further up")
			return fs.SkipAll
		case strings.HasSuffix(name, extension+inJSON) && !entry.IsDir():
			l.config.Partial = true
			passed++
			l.fail(codeFiles, startOf(name), "file in JSON", "only HCL's native syntax is read, and this file has the name of one in its JSON syntax", "write its blocks into a file whose name ends with "+extension+"; if it is no configuration, give it another name")
		case entry.Type()&fs.ModeIrregular != 0:
			// Who made one of a directory did not ask for what that holds to be deleted.
			l.config.Partial = true
			passed++
			l.fail(codeFiles, startOf(name), "submodule", fmt.Sprintf("%q is another repository, a submodule of Git, and submodules are not fetched: configuration may be in it", name), "put the files themselves here, or keep the configuration in a directory of its own, without submodules")
		case !IsFile(name) && leadsToDirectory(fsys, name, entry):
			l.config.Partial = true
			passed++
			l.fail(codeFiles, startOf(name), "directory is a link", fmt.Sprintf("%q is a link to a directory, and links are not followed: configuration may be behind it", name), "put the directory itself here, or the link where no configuration is")
		case !IsFile(name):
		case entry.Type().IsRegular():
			names = append(names, name)
		case entry.Type()&fs.ModeSymlink != 0:
			// Passing it over in silence would take away what it is meant to hold.
			l.config.Partial = true
			passed++
			l.fail(codeFiles, startOf(name), "file is a link", "links are not followed, as they could lead out of the repository", "put the file itself here")
		case !entry.IsDir():
			l.config.Partial = true
			passed++
			l.fail(codeFiles, startOf(name), "no regular file", fmt.Sprintf("its name is that of a configuration file, and it is %s", Irregular(entry.Type())), "put a file here, or give it another name")
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fail(codeFiles, call, "no such directory", fmt.Sprintf("there is no directory %q in this revision", dir), hintForDirectory(fsys, dir))
	case err != nil:
		l.fail(codeFiles, call, "files cannot be listed", fmt.Sprintf("reading the directory %q failed: %v", dir, err), "check that it can be read, and try again")
	case len(names) == 0 && passed == 0:
		l.fail(codeFiles, call, "no configuration", fmt.Sprintf("there is no file whose name ends with %s in %q", extension, dir), "check the path, which begins at the top of the repository")
	case len(names) > l.limits.Files:
		l.fail(codeLimit, call, "too many files", fmt.Sprintf("there are %d configuration files, and at most %d can be read", len(names), l.limits.Files), "join some of them, or keep them in another directory")
		return nil
	}
	return names
}

// leadsToDirectory tells whether something is a link to a directory of the tree.
func leadsToDirectory(fsys fs.FS, name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(fsys, name)
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeIrregular != 0)
}

// top is the directory that a path begins with.
func top(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// parse reads one file and returns its body, or nil after telling why there is none. Of a file with
// mistakes of syntax the body has what can be relied on.
func (l *loader) parse(fsys fs.FS, name string) *hclsyntax.Body {
	start := startOf(name)
	src, err := readFile(fsys, name, l.limits.FileBytes)
	if err != nil {
		l.fail(codeFiles, start, "file cannot be read", fmt.Sprintf("%s cannot be read: %v", name, err), "check that it can be read, and try again")
		return nil
	}
	if l.tooLarge(src, name) {
		return nil
	}
	if l.bytes += int64(len(src)); l.bytes > l.limits.TotalBytes {
		if l.bytes-int64(len(src)) <= l.limits.TotalBytes {
			l.fail(codeLimit, start, "configuration is too large", fmt.Sprintf("all files together can have at most %d bytes; this file and those after it are left out", l.limits.TotalBytes), "describe objects that are alike in one block with for_each")
		}
		return nil
	}
	l.sources[name] = src
	if body := l.recall(name, src); body != nil {
		return body
	}
	body, mistakes := l.parseAll(src, name)
	if len(mistakes) > 0 {
		l.config.Partial = l.config.Partial || tears(mistakes)
		body = l.salvage(src, name, body, mistakes, l.beginsBlock)
	}
	if l.huge[name] == nil { // else it would have to be told again
		l.keep(name, src, body)
	}
	return body
}

// parseBody parses the content of a file behind the guards, and returns nil after telling what is wrong
// with it.
func (l *loader) parseBody(src []byte, name string) *hclsyntax.Body {
	body, mistakes := l.parseAll(src, name)
	if len(mistakes) > 0 {
		l.syntax(upToOpenQuote(mistakes))
	}
	if len(mistakes) > 0 || l.huge[name] != nil {
		return nil
	}
	return body
}

// parseAll parses the content of a file behind the guards. The mistakes are those of syntax, with which
// the body is what the parser makes of it; it is nil after telling what else keeps it from being parsed.
func (l *loader) parseAll(src []byte, name string) (*hclsyntax.Body, hcl.Diagnostics) {
	if where, bad := notText(src, name); bad {
		l.fail(codeSyntax, where, "not a text file", "the file has bytes that are not text in UTF-8", "save it as UTF-8; the first of these bytes is at the place shown")
		return nil, nil
	}
	delete(l.huge, name) // a formatter may come with another text under the same name
	cuts, plain := quick(src, l.limits)
	if !plain && !l.judged {
		if src = l.guarded(src, name); src == nil {
			return nil, nil
		}
	}
	if body := parsePieces(src, name, cuts); body != nil {
		return body, nil
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	body, _ := file.Body.(*hclsyntax.Body)
	if !diags.HasErrors() {
		return body, nil
	}
	return body, diags
}

func (l *loader) tooLarge(src []byte, name string) bool {
	if int64(len(src)) <= l.limits.FileBytes {
		return false
	}
	l.fail(codeLimit, startOf(name), "file is too large", fmt.Sprintf("a configuration file can have at most %d bytes", l.limits.FileBytes),
		"split the file; all files of the directory are one configuration")
	return true
}

// guarded returns a file that is not plain as it can be parsed without harm, or nil after telling why there
// is no such thing. Numbers that are too long are told, and are zeros in it.
func (l *loader) guarded(src []byte, name string) []byte {
	tokens, diags := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	g := newGuardian(l.limits)
	if found := g.run(tokens); found != nil {
		summary, hint := "too deep", "give a part of the expression a name with locals"
		if found.what == ofPieces {
			summary, hint = "text is too long", "keep it in a file of its own, and write: file(…)"
		}
		l.fail(codeLimit, found.where, summary, fmt.Sprintf("there can be at most %d %s", found.limit, found.what), hint)
		return nil
	}
	if diags = upToOpenQuote(diags); len(diags) > l.limits.FileErrors {
		l.syntax(diags)
		return nil
	}
	if len(g.huge) == 0 {
		return src
	}
	src = slices.Clone(src)
	for _, where := range g.huge[:min(len(g.huge), l.limits.FileErrors)] {
		// A few digits can say it with an exponent.
		l.fail(codeLimit, where, "number out of range", fmt.Sprintf("a number can have at most %d digits, and an exponent from -%[1]d to %[1]d", l.limits.Digits), "write a number of a size that something can have")
	}
	for _, where := range g.huge {
		for at := where.Start.Byte; at < where.End.Byte; at++ {
			src[at] = '0'
		}
	}
	if l.huge == nil {
		l.huge = map[string][]hcl.Range{}
	}
	l.huge[name] = g.huge
	return src
}

// hasHuge tells whether a number that is too long stands in an expression, which was told.
func (l *loader) hasHuge(e hcl.Expression) bool {
	at := e.Range()
	return slices.ContainsFunc(l.huge[at.Filename], func(where hcl.Range) bool {
		return where.Start.Byte >= at.Start.Byte && where.End.Byte <= at.End.Byte
	})
}

func startOf(name string) hcl.Range {
	return hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

// readFile reads at most one byte more than limit, which is how the caller knows of an excess.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	var src bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		src.Grow(int(min(max(info.Size(), 0), limit)) + bytes.MinRead) // so that it need not grow bit by bit
	}
	_, err = src.ReadFrom(io.LimitReader(f, limit+1))
	return src.Bytes(), errors.Join(err, f.Close())
}

// notText finds the first byte that is no UTF-8, or a NUL, which no editor shows.
func notText(src []byte, name string) (hcl.Range, bool) {
	at := bytes.IndexByte(src, 0)
	if !utf8.Valid(src) {
		for i := 0; i < len(src) && (at < 0 || i < at); {
			r, size := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && size == 1 {
				at = i
				break
			}
			i += size
		}
	}
	if at < 0 {
		return hcl.Range{}, false
	}
	line := bytes.Count(src[:at], []byte("\n")) + 1
	column := utf8.RuneCount(src[bytes.LastIndexByte(src[:at], '\n')+1:at]) + 1
	pos := hcl.Pos{Line: line, Column: column, Byte: at}
	return hcl.Range{Filename: name, Start: pos, End: pos}, true
}
