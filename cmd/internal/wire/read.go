package wire

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// Every command that reads a configuration does so by one of these, so that each is tried in a
// process of its own first.

// Read reads the configuration that the flags name in the tree of a revision; options are what
// [Flags.Reading] returns. The id may be empty. The error says that trying it was not possible.
func (f *Flags) Read(ctx context.Context, id string, tree fs.FS, options revision.Options) (*revision.Loaded, revision.Findings, error) {
	return f.reader().Load(ctx, id, tree, f.Path, options)
}

// Tracker follows the configuration that the flags name in a source, for a system that keeps in mind
// what is in force. trust is what [Flags.Trust] returns.
func (f *Flags) Tracker(source *gitrepo.Source, system *System, trust *revision.Trust, options revision.Options) *revision.Tracker {
	tracker := revision.NewTracker(source, f.Path, system.Facts, options)
	tracker.Trust = trust
	tracker.Reader = f.reader()
	tracker.Ledger = f.ledger(system)
	return tracker
}

// InForce returns the commit of the configuration that was admitted last, whoever did that; "" before the
// first.
func (f *Flags) InForce(ctx context.Context, system *System) (string, error) {
	id, err := f.ledger(system).Admitted(ctx)
	if err != nil {
		return "", fmt.Errorf("look up which commit is in force: %w", err)
	}
	return id, nil
}

func (f *Flags) ledger(system *System) inventory.Ledger {
	return inventory.Ledger{Store: system.shards(), Path: f.Path, Live: system.inventory}
}

func (f *Flags) reader() *revision.Reader {
	return &revision.Reader{Runner: runner(), Collector: &f.collector}
}

func runner() *confine.Runner { return &confine.Runner{Limits: confine.DefaultLimits()} }
