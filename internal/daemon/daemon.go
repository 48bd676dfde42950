package daemon

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/memory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// Daemon is what runs until it is told to stop. All fields but Certificate, Hooks, Listening, Board, Pulse, Keep,
// Suspend, Requests, Variables, Budgets and Rendered are required.
type Daemon struct {
	Tracker   *revision.Tracker
	Publisher *Publisher
	Lease     Lease
	// Ping tells whether the cluster can be reached and knows us.
	Ping func(ctx context.Context) error
	// Engine makes an engine over what the inventory says now. It is called each time that this
	// process comes into charge.
	Engine func(ctx context.Context, changed func()) (*engine.Engine, error)
	// Changes carries word of what makes a poll worth while at once, or of facts that changed.
	Changes <-chan Change
	// Interval is the time between two polls.
	Interval time.Duration
	// Grace is how long running calls may take to end when the process stops.
	Grace  time.Duration
	Listen string
	// Certificate is for health checks and metrics over TLS; nil for plain HTTP.
	Certificate *webhook.Certificate
	// Hooks have forges tell of pushes; nil for polls alone.
	Hooks *Hooks
	// HandOn has whoever is in charge look at the repository, for a process that is not and hears of a push. nil for
	// nothing: the next poll finds it.
	HandOn func(context.Context) error
	// Board is where the cluster shows how things stand; nil for nowhere.
	Board Board
	// Pulse tells the repository that the daemon lives; nil for not.
	Pulse *Pulse
	// Keep sees to it that what the engine works with is not lost, until ctx ends, and tells what is wrong
	// with that, or nil; it is called while the process is in charge. nil for nothing.
	Keep func(ctx context.Context, tell func(error))
	// Suspend has the engine that was made last know what is suspended by command, as Keep does its work; nil for
	// nothing.
	Suspend func(ctx context.Context, tell func(error))
	// Requests has the engine that was made last look at what somebody asks for, as Keep does its work; nil for
	// nothing.
	Requests func(ctx context.Context, tell func(error))
	// Variables names the values that the variables of a configuration have, for [Daemon.Outcome]; nil for no name.
	Variables func(context.Context, *model.Model) (string, error)
	// Budgets are of the APIs by their names, for metrics; none for none.
	Budgets map[string]*budget.Budget
	// Rendered tells how often charts were rendered since the process began, for metrics; nil for no such metric.
	Rendered func() uint64
	// Listening is told the address that health checks are answered on.
	Listening func(net.Addr)
	Log       zerolog.Logger

	metrics *metrics
	pushed  chan struct{} // word of webhooks and requests
	handed  chan struct{} // word of webhooks that is for another process
	begun   atomic.Int64  // looks at the repository
	ended   atomic.Int64  // those whose revision the engine has
	idle    atomic.Bool   // looks have ended, and the engine has no revision yet
	rest    memory.Rest

	recording chan struct{} // has room for one: who writes which revision is in force
	acts      bool          // what the engine acts on is on record; only who writes that uses it

	mutex   sync.Mutex
	engine  *engine.Engine
	trouble map[string]string // what is wrong, by where
	files   map[string]string // what is wrong with files that may be exchanged, by what they are of
}

// Lease sees to it that one process at a time changes the world.
type Lease interface {
	// Guard returns [unit.ErrNotWriter] unless this process holds the lease now.
	Guard() error
	// Hold waits until this process has the lease, then calls work, and gives the lease back when work has
	// returned. The context of work ends when ctx does, and when the lease is lost. The result is that of work,
	// or the context's error when the lease could not be had before it ended. While it waits it tells heard
	// whether the cluster answers.
	Hold(ctx context.Context, heard func(error), work func(context.Context) error) error
}

// Change says what may have changed.
type Change string

// The changes.
const (
	SourceChanged Change = "source" // the files of the configuration
	FactsChanged  Change = "facts"  // the nodes of the cluster, or the namespaces that have projects
)

// Run works until ctx ends. It returns an error only when it cannot begin.
func (d *Daemon) Run(ctx context.Context) error {
	d.prepare()
	address, err := d.serve(ctx)
	if err != nil {
		return err
	}
	if d.Listening != nil {
		d.Listening(address)
	}
	if d.Hooks != nil {
		address, err := d.serveHooks(ctx)
		if err != nil {
			return err
		}
		if d.Hooks.Listening != nil {
			d.Hooks.Listening(address)
		}
		contain.Go(func() { d.handOn(ctx) })
	}
	contain.Go(func() { d.examineFiles(ctx) })
	d.takeTurns(ctx)
	return nil
}

// prepare makes what tells how the daemon does.
func (d *Daemon) prepare() {
	d.trouble = map[string]string{"start": "not started yet"}
	d.pushed, d.handed, d.recording = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	d.metrics = newMetrics(d.snapshot, d.inForce, d.Budgets, d.Rendered)
	d.Publisher.attempted, d.Publisher.Mask = d.metrics.attempted, d.mask
}

// retryAtMost is how long a process that could not ask to be in charge waits at most until it asks again.
const retryAtMost = 15 * time.Second

// takeTurns waits to be in charge, and works while this process is, until ctx ends.
func (d *Daemon) takeTurns(ctx context.Context) {
	for attempt := 0; ctx.Err() == nil; attempt++ {
		d.setStandby(true)
		err := d.Ping(ctx)
		d.set("cluster", err)
		if err == nil {
			d.set("start", nil) // it could take over
			attempt = 0
			err = d.Lease.Hold(ctx, func(err error) { d.set("cluster", err) }, d.work)
			d.metrics.leader.Set(0)
		}
		if ctx.Err() == nil {
			d.Log.Warn().Err(err).Msg("not in charge")
			pause(ctx, min(backoff(attempt), retryAtMost))
		}
	}
}

// work is what the process in charge does.
func (d *Daemon) work(ctx context.Context) error {
	d.setStandby(false)
	d.metrics.leader.Set(1)
	d.Publisher.Forget()
	d.idle.Store(false)
	d.acts = false // of an engine before: another process may have been in charge
	changed, moved, looked := make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	admitted, noted := make(chan struct{}, 1), make(chan struct{}, 1)
	e, err := d.begin(ctx, func() {
		for _, heard := range []chan<- struct{}{changed, moved, looked, admitted, noted} {
			word(heard)
		}
	})
	if err != nil {
		return err
	}
	d.mutex.Lock()
	d.engine = e
	d.mutex.Unlock()

	var group contain.Background
	group.Go(func() { e.Run(ctx, d.Grace) })
	group.Go(func() { d.follow(ctx, e, changed, moved) })
	outlive := d.record(ctx, &group, e, admitted, noted)
	group.Go(func() { d.publish(ctx, changed) })
	group.Go(func() { d.show(ctx, moved) })
	group.Go(func() { d.lookAtAgents(ctx, looked, changed) })
	group.Go(func() { d.Pulse.Run(ctx, d.observes) })
	group.Go(func() { d.tend(ctx, "installation", d.Keep, changed) })
	group.Go(func() { d.tend(ctx, "suspensions", d.Suspend, changed) })
	group.Go(func() { d.tend(ctx, "requests", d.Requests, changed) })
	group.Wait()
	if d.Lease.Guard() != nil {
		return context.Cause(ctx) // it is for another process to tell now
	}
	// What the last calls led to is worth a last report, and what was admitted last one more try to outlive this process.
	// Neither waits for the other, as each may take all the time that there is for it.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.Grace)
	defer cancel()
	d.Tracker.Note(e.InForce())
	group.Go(func() { outlive(last) })
	defer group.Wait()
	d.publishLast(last, e)
	return context.Cause(ctx)
}

// record has the revision that the engine admitted outlive this process, as soon as it is. A report waits for Git, which
// may take minutes to say no: who took over in that time would go back to the revision before. The clone may be in use by
// a call that waits for Git as well, so that the record does not wait for that; what is kept there is on record already, as
// nobody without Git goes on with anything else. The result does at the end what was not done by then.
func (d *Daemon) record(ctx context.Context, group *contain.Background, e *engine.Engine, admitted, noted <-chan struct{}) (outlive func(context.Context)) {
	var id atomic.Pointer[string]
	recorded := func() string {
		if id := id.Load(); id != nil {
			return *id
		}
		return ""
	}
	kept := make(chan struct{}, 1)
	group.Go(func() { // before two newer ones are handed out, while the record of one before takes its time
		recordNews(ctx, noted, e.InForce, func(_ context.Context, id string) error { d.Tracker.Note(id); return nil }, d.Log)
	})
	group.Go(func() {
		recordNews(ctx, admitted, e.InForce, func(ctx context.Context, admitted string) error {
			err := d.remember(ctx, admitted)
			if err == nil {
				id.Store(&admitted)
				word(kept)
			}
			return err
		}, d.Log)
	})
	group.Go(func() { recordNews(ctx, kept, recorded, d.Tracker.Retain, d.Log) })
	return func(ctx context.Context) {
		admitted := e.InForce()
		if admitted == "" {
			return
		}
		var err error
		if recorded() != admitted {
			err = d.remember(ctx, admitted)
		}
		if err == nil {
			err = d.Tracker.Retain(ctx, admitted)
		}
		if err != nil {
			d.Log.Warn().Err(err).Msg(notAtHand)
		}
	}
}

// notAtHand is what comes of a record that could not be written.
const notAtHand = "after a restart the revision in force may not be at hand"

// recordNews keeps what is in force each time it hears that this may have changed, and tries again later what failed, also
// while nobody says what is in force. News come far more often than that may be: they do not have it tried before its time, but for another revision.
func recordNews(ctx context.Context, admitted <-chan struct{}, inForce func() string, keep func(context.Context, string) error, log zerolog.Logger) {
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	due, kept, failed, failures := "", "", "", 0 // another process may have admitted another revision since the last term
	for {
		select {
		case <-ctx.Done():
			return
		case <-admitted:
		case <-again.C:
			failed = ""
		}
		if revision := inForce(); revision != "" {
			due = revision
		}
		if due == "" || due == kept || due == failed {
			continue
		}
		if err := keep(ctx, due); err != nil {
			if ctx.Err() == nil {
				log.Warn().Err(err).Msg(notAtHand)
			}
			again.Reset(backoff(failures))
			failed, failures = due, failures+1
			continue
		}
		kept, failed, failures = due, "", 0
	}
}

// tend does what has to be done beside the engine's work, and reports what is wrong with that.
func (d *Daemon) tend(ctx context.Context, where string, work func(context.Context, func(error)), changed chan<- struct{}) {
	if work == nil {
		return
	}
	told := false
	work(ctx, func(err error) {
		d.set(where, err)
		if err == nil && !told {
			return // no news: a report would only be one of a world that was not looked at yet
		}
		told = err != nil
		word(changed)
	})
}

func (d *Daemon) snapshot() engine.Snapshot {
	d.mutex.Lock()
	e := d.engine
	d.mutex.Unlock()
	if e == nil {
		return engine.Snapshot{}
	}
	return e.Snapshot()
}

// inForce returns the commit that was admitted last, "" where this process is not in charge and when it does
// not know one yet: a commit that is refused is not in force.
func (d *Daemon) inForce() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.engine == nil {
		return ""
	}
	return d.Tracker.State().InForce.Hash
}
