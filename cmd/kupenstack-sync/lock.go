package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// upgradeAll is what --upgrade without names stands for. No chart is called so.
const upgradeAll = "*"

// locking is one call of lock.
type locking struct {
	options *options
	out     io.Writer
	upgrade []string
}

func lockCommand(o *options) *cobra.Command {
	l := &locking{options: o}
	command := &cobra.Command{
		Use: "lock [DIRECTORY]", Short: "Write down which versions of charts and which images are deployed",
		Long: `lock finds out which versions of charts the configuration asks for in repositories, downloads them, and
writes their versions and digests to ` + chartlock.File + ` beside the configuration, and of charts of Git repositories
the commit. With lock = true in images of the cloud it also asks the registries of all images that the services
would run for their digests. Commit that file: only what is in it is deployed, whatever the repositories have later.

What was locked stays as long as the configuration allows it. Charts and images that the configuration has no
use for any more are taken out. Charts beside the configuration need no lock.`,
		Example: `  kupenstack-sync lock
  kupenstack-sync lock --upgrade            # all charts to the newest version that is allowed, and what the tags of images are now
  kupenstack-sync lock --upgrade=keystone,glance clouds/prod`,
		Args: wire.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			l.out = cmd.OutOrStdout()
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return l.run(ctx, args) })
		},
	}
	command.Flags().StringSliceVar(&l.upgrade, "upgrade", nil, "look for newer versions of all charts and for newer images, or for those of the charts that are named; an image that other charts run as well moves for them too")
	command.Flags().Lookup("upgrade").NoOptDefVal = upgradeAll
	return command
}

func (l *locking) run(ctx context.Context, args []string) error {
	o := l.options
	if err := o.directory(args); err != nil {
		return err
	}
	if info, err := os.Stat(o.Repo); err != nil || !info.IsDir() {
		hint := ""
		if slices.Contains(l.upgrade, upgradeAll) {
			hint = "; names of charts follow --upgrade= without a blank"
		}
		return fmt.Errorf("%w: lock writes a file beside the configuration: give a local directory in the place of %s%s", wire.ErrUsage, gitrepo.MaskURL(o.Repo), hint)
	}
	loaded, found, err := load(ctx, o)
	if err != nil {
		return err
	}
	var releases []*unit.Release
	if loaded != nil {
		releases = releasesOf(loaded, &found, o.OSCloud != "")
	}
	if found.Diagnostics.HasErrors() {
		return findings(o, found)
	}
	before := loaded.Lock()
	if loaded.Model.TearDown { // what is locked matters again as soon as that is taken back
		return l.show(outcome{lock: before, why: "The cloud is to be taken away: what is locked stays as it is."})
	}
	for _, name := range l.upgrade {
		if err := upgradable(name, releases, loaded.Model); err != nil {
			return err
		}
	}
	entries, changes, err := l.resolve(ctx, before, chartsOf(releases))
	if err != nil {
		return err
	}
	images, changed, err := l.images(ctx, before, chartlock.New(entries), releases)
	if err != nil {
		return err
	}
	lock := chartlock.New(entries, images...)
	nothing := len(lock.Entries) == 0 && len(lock.Images) == 0
	if before == nil && !nothing || before != nil && string(before.Bytes()) != string(lock.Bytes()) {
		if err := write(filepath.Join(o.Repo, filepath.FromSlash(o.Path), chartlock.File), lock.Bytes()); err != nil {
			return err
		}
	}
	return l.show(outcomeOf(before, lock, changes, changed, releases))
}

// upgradable tells why --upgrade cannot name a chart.
func upgradable(name string, releases []*unit.Release, m *model.Model) error {
	if name == upgradeAll {
		return nil
	}
	var names []string
	beside := false
	for _, r := range releases {
		switch {
		case r.Chart.Tree != nil && !r.Locked:
			beside = beside || r.Chart.Name == name
		case r.Chart.Name == name:
			return nil
		default:
			names = append(names, r.Chart.Name)
		}
	}
	why := "the configuration takes no such chart"
	switch service := m.Service(name); {
	case beside:
		why = "the chart lies beside the configuration, so there is no other version to look for, and no images are locked"
	case service != nil && !service.Enabled:
		why = "the service is switched off, so nothing of it is locked"
	case len(names) == 0:
		why += ", and nothing else that could be upgraded"
	default:
		slices.Sort(names)
		why += "; there are " + strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Errorf("%w: --upgrade=%s: %s", wire.ErrUsage, name, why)
}

// releasesOf are the releases of a configuration.
func releasesOf(loaded *revision.Loaded, found *revision.Findings, openStackGiven bool) []*unit.Release {
	revision, more := loaded.Compose(compose.Facts{Unlocked: true, OpenStackGiven: openStackGiven})
	found.Diagnostics.Append(more...)
	if revision == nil {
		return nil
	}
	var releases []*unit.Release
	for i := range revision.Units {
		if release, ok := revision.Units[i].Spec.(*unit.Release); ok {
			releases = append(releases, release)
		}
	}
	return releases
}

// chartsOf lists the charts that releases want from repositories.
func chartsOf(releases []*unit.Release) []chartlock.Wanted {
	var wanted []chartlock.Wanted
	for _, release := range releases {
		if release.Chart.Tree == nil {
			wanted = append(wanted, wantedBy(release))
		}
	}
	slices.SortFunc(wanted, chartlock.Wanted.Compare)
	return slices.Compact(wanted)
}

func wantedBy(release *unit.Release) chartlock.Wanted {
	return chartlock.Wanted{Repository: release.Chart.Repository, Name: release.Chart.Name, Constraint: release.Chart.Version}
}

// change is what became of one chart.
type change struct {
	chartlock.Entry
	Before       string `json:"before,omitempty"`        // its version
	BeforeCommit string `json:"before_commit,omitempty"` // of a chart of a Git repository
	// Republished says that the version is the same and what is packed is not: its repository was changed
	// behind it.
	Republished bool `json:"republished,omitempty"`
}

// upgrades tells whether newer versions of a chart are looked for.
func (l *locking) upgrades(chart string) bool {
	return slices.Contains(l.upgrade, chart) || slices.Contains(l.upgrade, upgradeAll)
}

// resolve returns what charts are locked to now, and what is another one than before.
func (l *locking) resolve(ctx context.Context, before *chartlock.Lock, wanted []chartlock.Wanted) ([]chartlock.Entry, []change, error) {
	var entries []chartlock.Entry
	var open []chartlock.Wanted
	for _, w := range wanted {
		entry, found := before.Find(w)
		if !found {
			entry, found = before.Nearest(w)
		}
		if found && !l.upgrades(w.Name) {
			entries = append(entries, entry)
			continue
		}
		open = append(open, w)
	}
	resolved, err := l.options.Lock(ctx, open)
	if err != nil {
		return nil, nil, err
	}
	changes := []change{}
	for _, entry := range resolved {
		old, known := before.Find(entry.Wanted)
		if known && old == entry {
			continue
		}
		c := change{Entry: entry, Before: old.Version, BeforeCommit: old.Commit}
		c.Republished = known && old.Version == entry.Version && old.Commit == entry.Commit
		changes = append(changes, c)
	}
	return append(entries, resolved...), changes, nil
}

// write replaces a file at once, and leaves one alone that is as it should be.
func write(name string, content []byte) error {
	if before, err := os.ReadFile(name); err == nil && string(before) == string(content) {
		return nil
	}
	dir, base := filepath.Split(name)
	file, err := os.CreateTemp(dir, "."+base+"-")
	if err != nil {
		return fmt.Errorf("write %s: %w", base, err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // when it was not renamed
	if _, err := file.Write(content); err != nil {
		_ = file.Close()
		return fmt.Errorf("write %s: %w", base, err)
	}
	if err := file.Chmod(0o644); err != nil {
		_ = file.Close()
		return fmt.Errorf("write %s: %w", base, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write %s: %w", base, err)
	}
	return os.Rename(file.Name(), name)
}
