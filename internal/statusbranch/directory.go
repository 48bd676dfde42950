package statusbranch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// Directory publishes to a directory, for configurations that are in none of the repositories.
type Directory struct {
	path     string
	maxBytes int64
}

// NewDirectory returns a publisher to the directory at path, which the first report makes. It
// fails when that lies within the directory that holds the configuration, as each report would
// then be a new configuration.
func NewDirectory(at string, watched *gitrepo.Source) (*Directory, error) {
	absolute, err := filepath.Abs(at)
	if err != nil {
		return nil, fmt.Errorf("making the path of the report absolute: %w", err)
	}
	if watched != nil && watched.IsDirectory() {
		below, err := filepath.Rel(real(watched.String()), real(absolute))
		if err == nil && (below == "." || !strings.HasPrefix(below+"/", "../")) {
			return nil, fmt.Errorf("the report's directory %s lies in the configuration's: each report would be a new configuration", absolute)
		}
	}
	return &Directory{path: absolute, maxBytes: Options{}.withDefaults().MaxBytes}, nil
}

// real resolves the links of as much of a path as exists.
func real(name string) string {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		return resolved
	}
	if parent := filepath.Dir(name); parent != name {
		return filepath.Join(real(parent), filepath.Base(name))
	}
	return name
}

// Publish makes the directory have these files, each replaced as a whole. Files of ours that the
// report lacks are removed, others stay. Nothing is written when all is there already. The message
// and the commits that were merged are for branches.
func (d *Directory) Publish(ctx context.Context, files map[string][]byte, _ string, _ []string) (Result, error) {
	if err := check(files, d.maxBytes); err != nil {
		return Result{}, err
	}
	all, err := withManifest(files, nil)
	if err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(d.path, 0o755); err != nil { //nolint:gosec // a report is for everybody to read
		return Result{}, fmt.Errorf("making the report's directory: %w", err)
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return Result{}, fmt.Errorf("opening the report's directory: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read through, or what it holds is synced
	result, err := d.replace(ctx, root, all)
	if err != nil {
		err = fmt.Errorf("writing the report to %s: %w", d.path, err)
	}
	return result, err
}

// Plans returns none: where there are no refs there are no reviews.
func (d *Directory) Plans(context.Context, []string) ([]report.OpenPlan, error) { return nil, nil }

// Moved tells of nothing: who writes into the directory of reports is not heard of.
func (d *Directory) Moved() bool { return false }

func (d *Directory) replace(ctx context.Context, root *os.Root, files map[string][]byte) (result Result, _ error) {
	old, err := listed(root)
	if err != nil {
		return result, err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return name == Manifest })
	if !slices.Equal(old, names) {
		// Before anything else, list the old and the new files, so that after a crash in between
		// the next report still knows all that is ours.
		both := append(slices.Clone(names), old...)
		slices.Sort(both)
		list, err := newManifest(slices.Compact(both), nil)
		if err == nil {
			_, err = d.write(root, Manifest, list)
		}
		if err != nil {
			return result, err
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return result, err
		}
		written, err := d.write(root, name, files[name])
		if err != nil {
			return result, err
		}
		result.Changed = result.Changed || written
	}
	for _, name := range old {
		if _, stays := files[name]; stays {
			continue
		}
		if err := root.Remove(name); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return result, err
		}
		result.Changed = true
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil {
				break // it is not empty
			}
		}
	}
	written, err := d.write(root, Manifest, files[Manifest])
	result.Changed = result.Changed || written
	return result, err
}

// write replaces one file unless it has the content already.
func (d *Directory) write(root *os.Root, name string, content []byte) (bool, error) {
	present, err := readFile(root, name, int64(len(content)))
	if err == nil && bytes.Equal(present, content) {
		return false, nil
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return false, err
	}
	// Always the same name, so that crashes leave one such file at most.
	temporary := path.Join(path.Dir(name), ".kupenstack.new")
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return false, err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return false, errors.Join(err, root.Remove(temporary))
	}
	return true, nil
}

// listed returns the paths of our files.
func listed(root *os.Root) ([]string, error) {
	content, err := readFile(root, Manifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return parseManifest(content), err
}

// readFile reads at most one byte more than limit.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// Read returns our files in the directory; a directory has no commits.
func (d *Directory) Read(ctx context.Context) (map[string][]byte, gitrepo.Commit, error) {
	files := map[string][]byte{}
	root, err := os.OpenRoot(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return files, gitrepo.Commit{}, nil
	}
	if err != nil {
		return nil, gitrepo.Commit{}, fmt.Errorf("opening the report's directory: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read through, or what it holds is synced
	names, err := listed(root)
	left := d.maxBytes
	for _, name := range names {
		var content []byte
		if content, err = readFile(root, name, left); errors.Is(err, fs.ErrNotExist) {
			err = nil
			continue
		}
		if left -= int64(len(content)); err == nil && left < 0 {
			err = fmt.Errorf("the report has more than %d bytes", d.maxBytes)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			break
		}
		files[name] = content
	}
	if err != nil {
		return nil, gitrepo.Commit{}, fmt.Errorf("reading the report in %s: %w", d.path, err)
	}
	return files, gitrepo.Commit{}, nil
}
