package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// extension is what the names of configuration files end with.
const extension = ".hcl"

// files returns the names of the configuration files below dir in order. Hidden files and
// directories are passed over.
func (l *loader) files(fsys fs.FS, dir string) []string {
	var names []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && strings.HasPrefix(path.Base(name), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case path.Ext(name) != extension:
		case entry.Type().IsRegular():
			names = append(names, name)
		case entry.Type()&fs.ModeSymlink != 0:
			// Passing it over in silence would take away what it is meant to hold.
			l.config.Partial = true
			l.fail(codeFiles, startOf(name), "file is a link", "links are not followed, as they could lead out of the repository", "put the file itself here")
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fail(codeFiles, hcl.Range{}, "no such directory", fmt.Sprintf("there is no directory %q in this revision", dir), "")
	case err != nil:
		l.fail(codeFiles, hcl.Range{}, "files cannot be listed", fmt.Sprintf("reading the directory %q failed: %v", dir, err), "")
	case len(names) == 0:
		l.fail(codeFiles, hcl.Range{}, "no configuration", fmt.Sprintf("there is no file whose name ends with %s in %q", extension, dir), "")
	case len(names) > l.limits.Files:
		l.fail(codeLimit, hcl.Range{}, "too many files", fmt.Sprintf("there are %d configuration files, and at most %d can be read", len(names), l.limits.Files), "")
		return nil
	}
	return names
}

// parse reads one file and returns its body, or nil after telling why there is none.
func (l *loader) parse(fsys fs.FS, name string) *hclsyntax.Body {
	start := startOf(name)
	src, err := readFile(fsys, name, l.limits.FileBytes)
	if err != nil {
		l.fail(codeFiles, start, "file cannot be read", fmt.Sprintf("%s cannot be read: %v", name, err), "")
		return nil
	}
	if int64(len(src)) > l.limits.FileBytes {
		l.fail(codeLimit, start, "file is too large", fmt.Sprintf("a configuration file can have at most %d bytes", l.limits.FileBytes), "split the file; all files of the directory are one configuration")
		return nil
	}
	if l.bytes += int64(len(src)); l.bytes > l.limits.TotalBytes {
		if l.bytes-int64(len(src)) <= l.limits.TotalBytes {
			l.fail(codeLimit, start, "configuration is too large", fmt.Sprintf("all files together can have at most %d bytes; this file and those after it are left out", l.limits.TotalBytes), "")
		}
		return nil
	}
	l.sources[name] = src
	if where, bad := notText(src, name); bad {
		l.fail(codeSyntax, where, "not a text file", "the file has bytes that are not text in UTF-8", "")
		return nil
	}
	found, diags := guard(src, name, l.limits)
	if found != nil {
		l.fail(codeLimit, found.where, "too deep", fmt.Sprintf("there can be at most %d %s", found.limit, found.what), "give a part of the expression a name with locals")
		return nil
	}
	if len(diags) > l.limits.FileErrors {
		l.syntax(diags)
		return nil
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	l.syntax(diags)
	if diags.HasErrors() {
		return nil
	}
	body, _ := file.Body.(*hclsyntax.Body)
	return body
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
	src, err := io.ReadAll(io.LimitReader(f, limit+1))
	return src, errors.Join(err, f.Close())
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
