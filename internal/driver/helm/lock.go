package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Lock finds out what charts of repositories stand for now, in the order in which they are wanted; those of a
// Git repository are all of one commit. It downloads them, and keeps them in the directory of options, of which only what concerns repositories
// matters. The error says of every chart that could not be had why; another try may help.
func Lock(ctx context.Context, options Options, wanted []chartlock.Wanted) ([]chartlock.Entry, error) {
	from := newCharts(options)
	entries, failures := make([]chartlock.Entry, len(wanted)), make([]error, len(wanted))
	group := contain.AtOnce(maxDownloads)
	for i, w := range wanted {
		group.Go(func() { // all that is wrong is told at once
			if failures[i] = ctx.Err(); failures[i] == nil {
				entries[i], failures[i] = from.lock(ctx, w)
			}
		})
	}
	group.Wait()
	if err := together(wanted, failures); err != nil {
		return nil, err
	}
	return entries, nil
}

// together joins what went wrong with charts. What several of a repository have in common, as it cannot be
// reached, is told once.
func together(wanted []chartlock.Wanted, failures []error) error {
	type common struct{ repository, cause string }
	var all []error
	names, first := map[common][]string{}, map[common]int{}
	ofChart := func(i int) common {
		cause, _ := strings.CutPrefix(failures[i].Error(), fmt.Sprintf("chart %s: ", wanted[i]))
		return common{wanted[i].Repository, cause}
	}
	for i, err := range failures {
		if err == nil {
			continue
		}
		of := ofChart(i)
		if names[of] == nil {
			first[of] = i
		}
		names[of] = append(names[of], wanted[i].Name)
	}
	for i, err := range failures {
		if err == nil {
			continue
		}
		of := ofChart(i)
		switch cause := errors.Unwrap(err); {
		case first[of] != i:
		case len(names[of]) == 1:
			all = append(all, err)
		case cause != nil && cause.Error() == of.cause:
			all = append(all, fmt.Errorf("charts %s of %s: %w", list(names[of]), of.repository, cause))
		default: // it is of no chart
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// maxNamed is how many charts of a common failure are named.
const maxNamed = 5

// list names things in a sentence; of many, the first of them.
func list(names []string) string {
	if more := len(names) - maxNamed; more > 1 {
		names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("%d others", more))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (c *charts) lock(ctx context.Context, wanted chartlock.Wanted) (chartlock.Entry, error) {
	if chartlock.IsGit(wanted.Repository) {
		return c.lockGit(ctx, wanted)
	}
	return c.repositories.lock(wanted)
}

func (r *repositories) lock(wanted chartlock.Wanted) (chartlock.Entry, error) {
	data, err := r.fetch(unit.Chart{Repository: wanted.Repository, Name: wanted.Name, Version: wanted.Constraint})
	if err != nil {
		return chartlock.Entry{}, fmt.Errorf("chart %s: %w", wanted, err)
	}
	loaded, err := loader.LoadArchive(bytes.NewReader(data))
	if err != nil {
		return chartlock.Entry{}, fmt.Errorf("chart %s cannot be loaded: %w", wanted, err)
	}
	if lacks := lackOf(loaded); lacks != "" {
		return chartlock.Entry{}, fmt.Errorf("chart %s: %s: %s", wanted, lacks, packThem)
	}
	entry := chartlock.Entry{Wanted: wanted, Version: loaded.Metadata.Version, Digest: digestPrefix + sha256Of(data)}
	if err := misfit(entry, loaded.Metadata.Name); err != nil {
		return entry, err
	}
	if err := save(filepath.Join(r.cacheDir, sha256Of(data)+".tgz"), data); err != nil {
		return entry, fmt.Errorf("keep chart %s: %w", wanted, err)
	}
	return entry, nil
}

// misfit tells what is wrong with a chart that a repository has given, under the name that it has itself.
func misfit(entry chartlock.Entry, name string) error {
	if name != entry.Name {
		return fmt.Errorf("chart %s: the repository has the chart %q under this name", entry.Wanted, name)
	}
	if problem := entry.Misfit(); problem != "" {
		return fmt.Errorf("chart %s: what the repository has cannot be locked: %s", entry.Wanted, problem)
	}
	return nil
}
