package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxCopies is how many copies of a commit there are on this disk at most: that of the newest fetch, and the one that is kept.
const maxCopies = 2

// whole loads a chart from a commit that get brings. Where the copy of the repository on this disk turns out to be damaged,
// what was read of it is neither the chart nor a mistake of the chart, and the commit is brought once more: from another
// copy, or fetched anew.
func (c *charts) whole(ctx context.Context, get func() (*gitrepo.Tree, error), wanted unit.Chart) (tree *gitrepo.Tree, loaded *source, err error) {
	for range maxCopies + 1 {
		if tree, err = get(); err != nil {
			return nil, nil, err
		}
		loaded, err = c.checkedOut(ctx, tree, wanted)
		damage := tree.Damage()
		if damage == nil {
			break
		}
		loaded, err = nil, damage
	}
	return tree, loaded, err
}

// checkedOut loads a chart from a commit of a Git repository, together with the charts that it depends on, which
// get where Helm's own commands put them. Its digest covers all these files, as they are without what
// .helmignore names: so it is the same in every commit that leaves the chart alone.
func (c *charts) checkedOut(ctx context.Context, tree *gitrepo.Tree, wanted unit.Chart) (*source, error) {
	at, err := chartlock.ParseGit(wanted.Repository)
	if err != nil {
		return nil, unit.Blocked(fmt.Sprintf("the repository of chart %s must be %v", wanted.Name, err))
	}
	files, err := tree.FS(".")
	if err != nil {
		return nil, err
	}
	// What cannot be read is not taken for one that is not there.
	if _, err := fs.Stat(files, path.Join(at.Directory, wanted.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	loaded, err := c.find(ctx, unit.Chart{Name: wanted.Name, Repository: at.Directory, Version: wanted.Version, Tree: files})
	if err != nil {
		return nil, err
	}
	all, err := loaded.flat()
	if err != nil {
		return nil, err
	}
	return &source{digest: digestOfFiles(all), files: all}, nil
}

// flat returns the files of a chart and of those that it depends on, by their names.
func (s *source) flat() ([]*loader.BufferedFile, error) {
	all := slices.Clone(s.files)
	for _, dependency := range s.dependencies {
		loaded, err := dependency.chart()
		if err != nil {
			return nil, err
		}
		below, err := dependency.flat()
		if err != nil {
			return nil, err
		}
		for _, file := range below {
			all = append(all, &loader.BufferedFile{Name: path.Join("charts", loaded.Name(), file.Name), Data: file.Data})
		}
	}
	slices.SortFunc(all, byName)
	// A chart may depend on another one twice, under two names.
	all = slices.CompactFunc(all, func(a, b *loader.BufferedFile) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) })
	for i := range len(all) - 1 {
		if all[i].Name == all[i+1].Name {
			return nil, unit.Blocked(fmt.Sprintf("two charts that it depends on have the same name: %s is in both", all[i].Name))
		}
	}
	return all, nil
}

func byName(a, b *loader.BufferedFile) int { return strings.Compare(a.Name, b.Name) }

// digestOfFiles covers names and contents of files that are sorted. It is written into lock files: it stays as it is.
func digestOfFiles(files []*loader.BufferedFile) string {
	texts := make([]string, 0, 2*len(files))
	for _, file := range files {
		texts = append(texts, file.Name, string(file.Data))
	}
	return hashOf(texts...)
}

// bringGit reads a chart of a Git repository from the commit that was locked.
func (c *charts) bringGit(wanted unit.Chart) (*source, error) {
	name, locked := nameOf(wanted), strings.TrimPrefix(wanted.Digest, digestPrefix)
	ctx := context.Background() // whoever asks may leave: gitTimeout bounds it
	_, loaded, err := c.whole(ctx, func() (*gitrepo.Tree, error) { return c.checkouts.at(ctx, wanted.Repository, wanted.Commit) }, wanted)
	if gitrepo.KindOf(err) == gitrepo.Lost {
		err = fmt.Errorf("%w; take what there is now by kupenstack-sync lock --upgrade=%s, and commit %s", err, wanted.Name, chartlock.File)
	}
	switch {
	case unit.IsBlocked(err):
		return nil, err
	case err != nil:
		return nil, &chartError{name, err}
	case loaded.digest != locked:
		return nil, unit.Blocked(fmt.Sprintf("chart %s has the digest %s%s in the commit %s, which is not the one that %s has; if that is right, run kupenstack-sync lock --upgrade=%s",
			name, digestPrefix, loaded.digest, wanted.Commit, chartlock.File, wanted.Name))
	}
	return loaded, c.keepFiles(loaded)
}

// lockGit finds out what a chart of a Git repository is now.
func (c *charts) lockGit(ctx context.Context, wanted chartlock.Wanted) (chartlock.Entry, error) {
	chart := unit.Chart{Name: wanted.Name, Repository: wanted.Repository, Version: wanted.Constraint}
	tree, loaded, err := c.whole(ctx, func() (*gitrepo.Tree, error) { return c.checkouts.newest(ctx, wanted.Repository) }, chart)
	switch {
	case tree == nil:
		return chartlock.Entry{}, fmt.Errorf("chart %s: %w", wanted, err)
	case err != nil:
		return chartlock.Entry{}, fmt.Errorf("chart %s: commit %s: %w", wanted, tree.Revision.Hash, err)
	}
	made, err := loaded.chart()
	if err != nil {
		return chartlock.Entry{}, fmt.Errorf("chart %s cannot be loaded: commit %s: %w", wanted, tree.Revision.Hash, err)
	}
	entry := chartlock.Entry{Wanted: wanted, Version: made.Metadata.Version, Commit: tree.Revision.Hash, Digest: digestPrefix + loaded.digest}
	if err := misfit(entry, made.Metadata.Name); err != nil {
		return entry, err
	}
	return entry, c.keepFiles(loaded)
}

// keepFiles packs the files of a chart into the cache.
func (c *charts) keepFiles(s *source) error {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	packed := tar.NewWriter(zipped)
	for _, file := range s.files {
		err := packed.WriteHeader(&tar.Header{Name: "chart/" + file.Name, Mode: 0o600, Size: int64(len(file.Data)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = packed.Write(file.Data)
		}
		if err != nil {
			return fmt.Errorf("pack %s: %w", file.Name, err)
		}
	}
	if err := errors.Join(packed.Close(), zipped.Close()); err != nil {
		return err
	}
	if err := save(c.fileOf(s.digest), b.Bytes()); err != nil {
		return fmt.Errorf("keep a chart: %w", err)
	}
	return nil
}

// readFiles reads what [charts.keepFiles] wrote, or whatever there is under that name.
func readFiles(file string) ([]*loader.BufferedFile, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	files, err := loader.LoadArchiveFiles(opened)
	slices.SortFunc(files, byName)
	return files, err
}
