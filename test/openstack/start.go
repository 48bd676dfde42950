package openstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	volumeservices "github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/services"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
	"github.com/kupenstack/kupenstack-sync/test/process"
)

// Options say where a bed lives and how large it is.
type Options struct {
	Dir      string    // of this bed: configuration, records, logs; logs stay after Stop
	Cache    string    // survives beds and is shared by them: the snapshot of the databases
	Computes int       // compute hosts; 0 means 3
	Out      io.Writer // progress, one line each; nil means none
}

const (
	defaultComputes = 3
	// A first start takes a minute or two of two processors; this is for very slow machines.
	startLimit = 15 * time.Minute
	stopLimit  = time.Minute
)

// Start starts a pristine cloud and returns when every service reports up. The packages must
// be installed (Install). When it fails or ctx ends, everything it started is stopped again.
func Start(ctx context.Context, options Options) (*Cloud, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	options, err := options.complete()
	if err != nil {
		return nil, fmt.Errorf("start OpenStack: %w", err)
	}
	if err := discardOld(ctx, options.Dir); err != nil {
		return nil, fmt.Errorf("start OpenStack: %w", err)
	}
	snapshot, err := snapshotPath(ctx, options.Cache, options.Computes)
	if err != nil {
		return nil, fmt.Errorf("start OpenStack: %w", err)
	}
	var free freeport.Allocator
	defer free.Release() // the servers listen by then
	r, err := newRecord(options, &free)
	if err != nil {
		return nil, fmt.Errorf("start OpenStack: %w", err)
	}
	started := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(options.Out, "openstack: %5.1fs %s\n", time.Since(started).Seconds(), fmt.Sprintf(format, args...))
	}
	if err := r.up(ctx, snapshot, say); err != nil {
		return nil, fmt.Errorf("start OpenStack: %w", errors.Join(err, r.discard(context.WithoutCancel(ctx))))
	}
	return newCloud(r), nil
}

// complete fills in what was left out. Paths become absolute, because the bed's programs
// run elsewhere.
func (o Options) complete() (Options, error) {
	if o.Dir == "" || o.Cache == "" {
		return o, errors.New("a bed needs a directory and a cache")
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return o, err
	}
	if o.Cache, err = filepath.Abs(o.Cache); err != nil {
		return o, err
	}
	if o.Computes == 0 {
		o.Computes = defaultComputes
	}
	if o.Computes < 0 {
		return o, fmt.Errorf("%d computes", o.Computes)
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	return o, nil
}

// Options returns those that start another pristine bed like this one in dir.
func (c *Cloud) Options(dir string) (Options, error) {
	if c.bed == nil {
		return Options{}, fmt.Errorf("another OpenStack: %w", ErrNotOurs)
	}
	return Options{Dir: dir, Cache: c.bed.Cache, Computes: c.bed.Computes}, nil
}

// discardOld stops and removes what an earlier bed in dir left. One that runs is an error.
func discardOld(ctx context.Context, dir string) error {
	old, err := loadRecord(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := process.LoadAll(old.runDir())
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, (*process.Process).Alive) {
		return fmt.Errorf("a bed runs already in %s", dir)
	}
	return old.discard(ctx)
}

// up brings the bed from nothing to serving.
func (r record) up(ctx context.Context, snapshot string, say func(string, ...any)) error {
	if err := sweepScratch(filepath.Dir(r.Scratch)); err != nil {
		return err
	}
	for _, dir := range []string{r.runDir(), r.home()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	if err := render(r); err != nil {
		return err
	}
	if err := r.ensureSnapshot(ctx, snapshot, say); err != nil {
		return err
	}
	if err := r.clear(); err != nil {
		return err
	}
	if err := r.restoreSnapshot(ctx, snapshot); err != nil {
		return err
	}
	return r.startAll(ctx, say)
}

// clear empties the directories that the servers fill.
func (r record) clear() error {
	if err := r.makeScratch(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.state("")); err != nil {
		return err
	}
	for _, name := range []string{"images", "staging", "tasks", "instances", "conversion", "lock"} {
		if err := os.MkdirAll(r.state(name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (r record) startAll(ctx context.Context, say func(string, ...any)) error {
	backing := append(r.backing(), r.database())
	if err := r.start(backing...); err != nil {
		return err
	}
	if err := r.awaitDatabase(ctx); err != nil {
		return err
	}
	if _, err := r.sql(ctx, append(r.catalogueSQL(), forgetReports()...)...); err != nil {
		return err
	}
	say("databases restored")
	services := slices.Concat([]server{r.conductor()}, r.computes(), r.withBroker(), r.withoutBroker())
	if err := r.start(services...); err != nil {
		return err
	}
	all := slices.Concat(backing, services)
	if err := r.awaitURLs(ctx, all); err != nil {
		return err
	}
	say("all APIs answer")
	if err := r.awaitReports(ctx, all); err != nil {
		return err
	}
	say("all services report up")
	return nil
}

// forgetReports ages what the services reported before the snapshot, so that "up" means that
// the new processes have reported.
func forgetReports() []string {
	return []string{
		"UPDATE nova.services SET last_seen_up = '2000-01-01'",
		"UPDATE cinder.services SET updated_at = '2000-01-01'",
	}
}

// awaitReports waits until Nova's and Cinder's services report up.
func (r record) awaitReports(ctx context.Context, servers []server) error {
	provider, err := r.provider(ctx)
	if err != nil {
		return err
	}
	volumes, err := openstack.NewBlockStorageV3(provider, gophercloud.EndpointOpts{Region: region})
	if err != nil {
		return err
	}
	compute, err := openstack.NewComputeV2(provider, gophercloud.EndpointOpts{Region: region})
	if err != nil {
		return err
	}
	nova := 2 + r.Computes // conductor and scheduler
	err = r.await(ctx, "Nova's services to report up", servers, func(ctx context.Context) (bool, error) {
		states, err := computeStates(ctx, compute)
		up := 0
		for _, state := range states {
			if state == stateUp {
				up++
			}
		}
		return up >= nova, err
	})
	if err != nil {
		return err
	}
	return r.await(ctx, "Cinder's services to report up", servers, func(ctx context.Context) (bool, error) {
		pages, err := volumeservices.List(volumes, nil).AllPages(ctx)
		if err != nil {
			return false, err
		}
		all, err := volumeservices.ExtractServices(pages)
		up := 0
		for _, service := range all {
			if service.State == stateUp {
				up++
			}
		}
		const want = 3 // the scheduler and two back ends
		return up >= want, err
	})
}

// stop ends all processes, the database last and in good order, so that its files can be
// kept.
func (r record) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	all, err := process.LoadAll(r.runDir())
	if err != nil {
		return err
	}
	var waves [2][]*process.Process
	for _, p := range all {
		wave := 0
		if p.Name == r.database().name {
			wave = 1
		}
		waves[wave] = append(waves[wave], p)
	}
	var failures []error
	for i, grace := range []time.Duration{2 * time.Second, 30 * time.Second} {
		results := make([]error, len(waves[i]))
		var group sync.WaitGroup
		for k, p := range waves[i] {
			group.Go(func() { results[k] = p.Stop(ctx, grace) })
		}
		group.Wait()
		failures = append(failures, results...)
	}
	// RabbitMQ's helpers have sessions of their own, and end when they notice that it is gone.
	failures = append(failures, process.StopMarked(ctx, r.mark(), 5*time.Second))
	return errors.Join(failures...)
}

// discard stops the bed and removes all but its logs.
func (r record) discard(ctx context.Context) error {
	if err := r.stop(ctx); err != nil {
		return err // keep the record: somebody must try again
	}
	return errors.Join(r.removeScratch(), os.RemoveAll(r.state("")), r.remove())
}
