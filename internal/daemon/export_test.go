package daemon

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ShowAndTell returns what shows how things stand and tells what is new of it, as a process in charge does.
func ShowAndTell(board Board) func(context.Context, revision.State, engine.Snapshot) error {
	heard := &news{mended: map[addr.Object]int{}, mask: board.Mask, tell: func(ctx context.Context, told unit.Told) { _ = board.Tell(ctx, told) }}
	return func(ctx context.Context, state revision.State, snapshot engine.Snapshot) error {
		_, err := showing(ctx, board, state, snapshot, heard)
		heard.rest(ctx, state, snapshot)
		return err
	}
}

// TakeTurns is Run without an address that health checks are answered on: under a clock of a test's own
// nobody may wait for the network.
func (d *Daemon) TakeTurns(ctx context.Context) {
	d.prepare()
	d.takeTurns(ctx)
}

// Problems are what reports say, and /readyz.
func (d *Daemon) Problems() []string { return d.problems() }

// Trouble has something be wrong somewhere.
func (d *Daemon) Trouble(where string, err error) { d.set(where, err) }

// Unready is what /readyz says, with what is wrong with files.
func (d *Daemon) Unready() []string { return d.unready() }

// ExaminesFiles is what Run does about files that may be exchanged.
func (d *Daemon) ExaminesFiles(ctx context.Context) { d.examineFiles(ctx) }

// ExaminesFilesOnce is what it does about them each time.
func (d *Daemon) ExaminesFilesOnce() { d.examineFilesOnce() }

// Measure returns what /metrics says beside an engine; nil is for a process that is not in charge.
func (d *Daemon) Measure(e *engine.Engine) string {
	if d.metrics == nil {
		d.prepare()
	}
	d.mutex.Lock()
	d.engine = e
	d.mutex.Unlock()
	answer := httptest.NewRecorder()
	d.metrics.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	return answer.Body.String()
}

// Prepare is the beginning of Run.
func (d *Daemon) Prepare() { d.prepare() }

// HandsOn is what Run does about the webhooks of a process that is not in charge.
func (d *Daemon) HandsOn(ctx context.Context) { d.handOn(ctx) }

// HeardOfPush is what a webhook brings about.
func (d *Daemon) HeardOfPush() { d.heardOfPush() }

// Looks tells whether this process is to look at the repository.
func (d *Daemon) Looks() bool { return len(d.pushed) > 0 }

// Settle is how long a directory has to be quiet before a change counts.
const Settle = settle

// MaxConnections bounds the connections that are open at an address.
const MaxConnections = maxConnections

// Bounded is what all addresses are listened at with.
func Bounded(listener net.Listener, most int) net.Listener { return newBounded(listener, most) }

// Answers is what Run does about the addresses that requests are answered at.
func (d *Daemon) Answers(ctx context.Context) (hooks, health net.Addr, err error) {
	if health, err = d.serve(ctx); err != nil {
		return nil, nil, err
	}
	hooks, err = d.serveHooks(ctx)
	return hooks, health, err
}

// ShowUnknown is what a daemon shows that has no revision.
func ShowUnknown(ctx context.Context, board Board, why string, sightings ...engine.Sighting) (wrote int, err error) {
	return showUnknown(ctx, board, why, sightings)
}

// OnRecord is what /readyz says of what is on record.
func OnRecord(sightings []engine.Sighting) []string { return onRecord(sightings) }

// RecordNews has what is in force outlive the process.
var RecordNews = recordNews

// Unobserved is what /readyz says of what cannot be observed.
func Unobserved(causes []string) []string { return unobserved(causes) }
