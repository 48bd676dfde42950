package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// writeAll puts the files into the directory, unless there are some of an earlier export that would stay beside them: what
// is in those may be in the new ones as well, under the same names. They are not taken away here, as a configuration may
// manage by them what no export writes any more. Where one manages some of the objects, it may be by such files, and none
// of them is replaced either. Those of kinds that our user may not list stay, as this export knows nothing of them.
func (e *exporting) writeAll(files []convert.File, managed int, refused []string) error {
	if managed > 0 {
		ours, err := e.left(nil, refused)
		if err != nil {
			return err
		}
		if len(ours) > 0 {
			return fmt.Errorf("%s in %s: an earlier export wrote that, and a configuration manages %d of the objects by now and deletes those whose blocks are taken out; nothing was written: give another directory", strings.Join(ours, ", "), e.out, managed)
		}
	}
	files, err := e.kept(files)
	if err != nil {
		return err
	}
	left, err := e.left(files, refused)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("%s in %s: an earlier export wrote that and this one has no such file, so blocks would be there twice, or of what is gone, and nothing was written: delete it, or give another directory", strings.Join(left, ", "), e.out)
	}
	headed := make([]convert.File, len(files))
	for i, f := range files {
		headed[i] = convert.File{Name: f.Name, Content: append([]byte(export.Header), f.Content...)}
	}
	return e.write(headed)
}

// kept are the files with those data blocks of an export of other kinds that what stays in the directory refers to. Where this
// export looks nothing up, such files stay as they are.
func (e *exporting) kept(files []convert.File) ([]convert.File, error) {
	looked := regexp.MustCompile(`^data(-[0-9]+)?\.hcl$`)
	i := slices.IndexFunc(files, func(f convert.File) bool { return looked.MatchString(f.Name) })
	if i < 0 || len(e.Kinds) == 0 || !e.force {
		return files, nil
	}
	entries, err := os.ReadDir(e.out) // a pattern would take signs in the directory's name for its own
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var others [][]byte
	var earlier []export.File
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".hcl" || entry.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(e.out, name))
		if err != nil {
			return nil, err
		}
		written := slices.ContainsFunc(files, func(f convert.File) bool { return f.Name == name })
		switch {
		case looked.MatchString(name) && (written || bytes.HasPrefix(content, []byte(export.Header))):
			earlier = append(earlier, export.File{Name: name, Content: content})
		case !written:
			others = append(others, content)
		}
	}
	all, written := slices.Clone(files), make([]export.File, len(files))
	for i, f := range files {
		written[i] = export.File(f)
	}
	for _, old := range earlier {
		at := slices.IndexFunc(all, func(f convert.File) bool { return f.Name == old.Name })
		var later []byte
		if at >= 0 {
			later = all[at].Content
		}
		content, err := export.Keep(old, later, written, others)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w, and nothing was written: give another directory", e.out, err)
		case at >= 0:
			all[at].Content = content
		case len(content) > 0: // else it is told as one that is left
			all = append(all, convert.File{Name: old.Name, Content: content})
		}
	}
	return all, nil
}

// left are the files in the directory of an earlier export, of kinds that this one is about and that were not refused, which it
// does not write.
func (e *exporting) left(files []convert.File, refused []string) ([]string, error) {
	entries, err := os.ReadDir(e.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	written := func(name string) bool {
		return slices.ContainsFunc(files, func(f convert.File) bool { return f.Name == name })
	}
	root, err := os.OpenRoot(e.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing is written through it
	numbered := regexp.MustCompile(`^([a-z_]+)(-[0-9]+)?\.hcl$`)
	var left []string
	for _, entry := range entries {
		parts := numbered.FindStringSubmatch(entry.Name())
		if parts == nil || !entry.Type().IsRegular() || written(entry.Name()) {
			continue
		}
		kind := parts[1]
		if slices.Contains(refused, kind) {
			continue // what is in it is not known to be gone
		}
		if len(e.Kinds) > 0 && !slices.Contains(e.Kinds, kind) && (kind != "data" || !written("data.hcl")) {
			continue // it is of an export of other kinds, which may well be beside this one
		}
		content, err := root.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(content, []byte(export.Header)) {
			left = append(left, entry.Name())
		}
	}
	return left, nil
}
