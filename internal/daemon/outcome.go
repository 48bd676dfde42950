package daemon

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// LookNow has the repository looked at, and returns at once.
func (d *Daemon) LookNow() {
	select {
	case d.pushed <- struct{}{}:
	default: // a look is due already
	}
}

// Begun returns how many looks at the repository have begun, for [Daemon.Outcome].
func (d *Daemon) Begun() int64 { return d.begun.Load() }

// Outcome tells how it ended what the engine was asked for, and the repository was looked at for: that is known once a
// look has ended that began later than so many, and nothing goes on any more. It is false until then.
func (d *Daemon) Outcome(ctx context.Context, begun int64) (request.Outcome, bool) {
	if d.ended.Load() <= begun {
		return request.Outcome{}, false
	}
	d.mutex.Lock()
	e := d.engine
	d.mutex.Unlock()
	if e == nil || e.Heard(ctx) != nil {
		return request.Outcome{}, false
	}
	snapshot, state := e.Snapshot(), d.Tracker.State()
	refused := snapshot.RefusedRevision != "" && snapshot.RefusedRevision == state.Applied.Hash
	taken := state.Applied.Hash == "" || refused || snapshot.Revision == state.Applied.Hash && snapshot.Admitted
	if !taken || !snapshot.Settled && snapshot.Revision != "" {
		return request.Outcome{}, false
	}
	in := report.Input{Applied: commitOf(state.Applied), Snapshot: snapshot, Problems: d.problems()}
	if state.Bad != nil {
		in.Bad = &report.Bad{}
	}
	return request.Outcome{
		Commit: state.Head.Hash, Path: d.Publisher.Base.Path, Variables: d.variables(ctx, &state),
		Verdict: string(report.Judge(&in)), Units: Counts(snapshot), Refused: refused && state.Bad == nil,
	}, true
}

// variables names the values that the newest commit was read with; "" when that has mistakes, as nothing of it is done.
func (d *Daemon) variables(ctx context.Context, state *revision.State) string {
	if d.Variables == nil || state.Bad != nil || state.Model == nil {
		return ""
	}
	name, err := d.Variables(ctx, state.Model)
	if err != nil {
		d.Log.Warn().Err(err).Msg("who asks is not told which values variables have")
	}
	return name
}
