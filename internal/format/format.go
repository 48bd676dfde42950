package format

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// extensions are what the names of files end with that hold HCL: configuration, and values of
// variables.
func extensions() []string { return []string{".hcl", ".hclvars"} }

// The codes of what keeps a file from being formatted.
const (
	codeFile  diag.Code = "format.file"  // it cannot be read or written
	codeLimit diag.Code = "format.limit" // there are too many
)

// File is a file whose layout was not the canonical one.
type File struct {
	Name   string // as the caller reaches it, with slashes
	Before []byte
	After  []byte
}

// Formatter formats files.
type Formatter struct {
	Limits config.Limits
	// Write has the files replaced.
	Write bool
	// Layout formats files as the function [Layout] does, which does it when this is nil. Files may be
	// hostile, so that it may take more than this process should have to bear.
	Layout func(files []File) (Result, error)

	changed []File
	diags   diag.Diagnostics
	sources map[string][]byte // of the files that diagnostics are about
}

// Changed returns the files whose layout was not the canonical one, in the order in which they were
// looked at.
func (f *Formatter) Changed() []File { return f.changed }

// Findings returns what could not be formatted, and why.
func (f *Formatter) Findings() diag.Sourced {
	return diag.Sourced{Diagnostics: f.diags.Sorted(), Source: func(name string) ([]byte, bool) {
		source, ok := f.sources[name]
		return source, ok
	}}
}

// Path looks at a file, or at all files of configuration below a directory; hidden ones are passed
// over. The error says that there is no such thing, that the file is of another kind, or is that of
// Layout.
func (f *Formatter) Path(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return fmt.Errorf("format %s: %w", name, errors.Unwrap(err))
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		// A directory that is named may be a link; where a file really is must be told by its name.
		if info, err = os.Stat(name); err != nil {
			return fmt.Errorf("format %s: %w", name, errors.Unwrap(err))
		}
		if !info.IsDir() {
			f.fail(name, "file is a link", "links are not followed", "name the file itself")
			return nil
		}
	}
	dir, base := name, "."
	if !info.IsDir() {
		if !slices.Contains(extensions(), filepath.Ext(name)) {
			return fmt.Errorf("format %s: only files whose names end with %s can be formatted", name, strings.Join(extensions(), " or "))
		}
		dir, base = filepath.Split(name)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is closed
	if base != "." {
		return f.files(root, dir, []string{base})
	}
	return f.directory(root, dir)
}

// Text formats what has no file, such as standard input; the name is for the diagnostics. With
// errors among the findings it returns the text as it is. The error is that of Layout.
func (f *Formatter) Text(name string, src []byte) ([]byte, error) {
	result, err := f.layout([]pending{{File: File{Name: name, Before: src}}})
	if text, changed := result.Texts[0]; changed {
		return text, err
	}
	return src, err
}

func (f *Formatter) directory(root *os.Root, dir string) error {
	var names []string
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case slices.Contains(extensions(), path.Ext(name)) && !entry.IsDir():
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the files below %s: %w", dir, err)
	}
	if len(names) > f.Limits.Files {
		f.diags.Append(diag.Diagnostic{
			Code: codeLimit, Summary: "too many files",
			Detail: fmt.Sprintf("there are %d files below %s, and at most %d are formatted", len(names), dir, f.Limits.Files), Hint: "name directories further down",
		})
		return nil
	}
	return f.files(root, dir, names)
}

// pending is a file that was read and is to be formatted.
type pending struct {
	File
	path string // below the root
	mode fs.FileMode
}

// files formats files below a root: all of them, or none when they are too much.
func (f *Formatter) files(root *os.Root, dir string, names []string) error {
	var batch []pending
	var size int64
	for _, name := range names {
		file, ok := f.read(root, dir, name)
		if !ok {
			continue
		}
		if size += int64(len(file.Before)); size > f.Limits.TotalBytes {
			f.diags.Append(diag.Diagnostic{
				Code: codeLimit, Summary: "too much at once",
				Detail: fmt.Sprintf("the files below %s have more than the %d bytes that are formatted at once, so none of them is", dir, f.Limits.TotalBytes), Hint: "name directories further down",
			})
			return nil
		}
		batch = append(batch, file)
	}
	result, err := f.layout(batch)
	if err != nil {
		return err
	}
	for i, file := range batch {
		if text, changed := result.Texts[i]; changed {
			file.After = text
			f.change(root, file)
		}
	}
	return nil
}

// layout has files formatted, and notes what is wrong with them.
func (f *Formatter) layout(batch []pending) (Result, error) {
	if len(batch) == 0 {
		return Result{}, nil
	}
	files := make([]File, len(batch))
	for i := range batch {
		files[i] = batch[i].File
	}
	var result Result
	if f.Layout == nil {
		result = Layout(len(files), func(i int) (string, []byte) { return files[i].Name, files[i].Before }, f.Limits)
	} else {
		var err error
		if result, err = f.Layout(files); err != nil {
			return Result{}, err
		}
	}
	f.diags.Append(result.Diagnostics...)
	f.show(result.Diagnostics, files)
	return result, nil
}

// show keeps the files that diagnostics are about, to show lines of them.
func (f *Formatter) show(diags diag.Diagnostics, files []File) {
	if f.sources == nil {
		f.sources = map[string][]byte{}
	}
	about := map[string]bool{}
	for _, d := range diags {
		if d.Subject != nil {
			about[d.Subject.File] = true
		}
	}
	for i := range files {
		if about[files[i].Name] {
			f.sources[files[i].Name] = files[i].Before
		}
	}
}

// read reads a file below a root, or tells why it is left alone.
func (f *Formatter) read(root *os.Root, dir, name string) (pending, bool) {
	shown := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		f.unreadable(shown, err)
		return pending{}, false
	case info.Mode()&fs.ModeSymlink != 0:
		f.fail(shown, "file is a link", "links are not followed, as they could lead out of the directory", "format the file that it leads to")
		return pending{}, false
	case !info.Mode().IsRegular():
		f.fail(shown, "no regular file", "it is "+config.Irregular(info.Mode()), "give it a name that does not end like that of a configuration file")
		return pending{}, false
	}
	src, err := read(root, name, f.Limits.FileBytes)
	if err != nil {
		f.unreadable(shown, err)
		return pending{}, false
	}
	return pending{File: File{Name: shown, Before: src}, path: name, mode: info.Mode().Perm()}, true
}

// change notes a file below a root that has another layout now, and replaces it if asked.
func (f *Formatter) change(root *os.Root, file pending) {
	if f.Write {
		if err := replace(root, file.path, file.mode, file.After); err != nil {
			f.fail(file.Name, "file cannot be written", fmt.Sprintf("writing it failed: %v", withoutPath(err)), "see to the rights of the file and its directory, and to the space on the disk; the file is as it was")
			return
		}
	}
	f.changed = append(f.changed, file.File)
}

func (f *Formatter) unreadable(name string, err error) {
	f.fail(name, "file cannot be read", fmt.Sprintf("reading it failed: %v", withoutPath(err)), "see to its name and its rights")
}

func (f *Formatter) fail(name, summary, detail, hint string) {
	first := diag.Pos{Line: 1, Column: 1}
	f.diags.Append(diag.Diagnostic{
		Code: codeFile, Summary: summary, Detail: detail, Hint: hint,
		Subject: &diag.Range{File: filepath.ToSlash(name), Start: first, End: first},
	})
}

// withoutPath takes the name out of an error, which is told anyway.
func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
