package daemon

import (
	"context"
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What events are about, beside the words for how a service stands.
const (
	reasonInForce  = "RevisionInForce"
	reasonRefused  = "RevisionRefused"
	reasonRepaired = "DriftRepaired"
)

const (
	// mostNamed is how many fields an event names that were put back.
	mostNamed = 5
	// shortHash is how much of a commit an event has.
	shortHash = 12
)

// news is what people should hear of, told once. What was shown before is what it goes by, so that a process that
// begins tells nothing again; the rest is as long as the process.
type news struct {
	tell    func(context.Context, unit.Told)
	mask    func(string) string
	refused string              // the commit that was refused last
	mended  map[addr.Object]int // how often drift of it was repaired
}

// shown tells what it means that something is shown in another way.
func (n *news) shown(ctx context.Context, ref unit.ObjectRef, before, says unit.Shown, state revision.State, inForce string) {
	switch ref.Kind {
	case unit.KindShownService:
		if before.Status == says.Status {
			return
		}
		switch says.Status {
		case statusReady:
			n.tell(ctx, unit.Told{Ref: ref, Reason: statusReady, Message: "it is as its block says, and works"})
		case statusFailed, statusBlocked:
			n.tell(ctx, unit.Told{Ref: ref, Warning: true, Reason: says.Status, Message: says.Message})
		}
	case unit.KindShownCloud:
		if says.Revision != before.Revision && says.Revision == inForce {
			n.tell(ctx, unit.Told{Ref: ref, Reason: reasonInForce, Message: "commit " + n.named(says.Revision, state) + " is in force"})
		}
		if says.Phase == compose.PhaseReady && before.Phase != says.Phase {
			n.tell(ctx, unit.Told{Ref: ref, Reason: statusReady, Message: "all of it is as it is written, and works"})
		}
	}
}

// rest tells of what is not shown: a commit that is refused, and drift that was repaired.
func (n *news) rest(ctx context.Context, state revision.State, snapshot engine.Snapshot) {
	m := state.InForceModel
	if m == nil {
		m = state.Model
	}
	if m == nil || !compose.Shows(m) {
		return
	}
	cloud := unit.ShownRef(unit.KindShownCloud, m.Cloud.Name)
	commit, why := n.refusal(state, snapshot)
	if commit != "" && commit != n.refused {
		n.tell(ctx, unit.Told{Ref: cloud, Warning: true, Reason: reasonRefused, Message: "commit " + n.named(commit, state) + " is not applied: " + why})
	}
	n.refused = commit
	for i := range snapshot.Units {
		u := &snapshot.Units[i]
		if u.Mended > n.mended[u.Address] {
			about := cloud
			if u.Address.Kind() == "service" {
				about = unit.ShownRef(unit.KindShownService, u.Address.Name())
			}
			n.tell(ctx, unit.Told{Ref: about, Reason: reasonRepaired, Message: "drift of " + u.Address.String() + " was repaired" + n.mask(fieldsOf(u.Healed))})
		}
		if u.Mended != n.mended[u.Address] {
			n.mended[u.Address] = u.Mended
		}
	}
}

// refusal is the commit that is not applied, and the first reason for that; "" when there is none.
func (n *news) refusal(state revision.State, snapshot engine.Snapshot) (commit, why string) {
	var all diag.Diagnostics
	switch {
	case state.Bad != nil:
		commit, all = state.Head.Hash, state.Bad.Diagnostics
	case len(snapshot.Refused) > 0:
		commit, all = snapshot.RefusedRevision, snapshot.Refused
	}
	for _, d := range all.Sorted() {
		if d.Severity == diag.Error {
			return commit, report.Line(n.mask(d.Error()), mostShown)
		}
	}
	return commit, "see the report"
}

// named is a commit with what its author called it.
func (n *news) named(commit string, state revision.State) string {
	short := commit[:min(len(commit), shortHash)]
	for _, c := range []struct{ hash, subject string }{
		{state.Head.Hash, state.Head.Subject}, {state.Applied.Hash, state.Applied.Subject}, {state.InForce.Hash, state.InForce.Subject},
	} {
		if c.hash == commit && c.subject != "" {
			return fmt.Sprintf("%s (%s)", short, report.Line(n.mask(c.subject), mostShown/8))
		}
	}
	return short
}

// fieldsOf names the fields that were put back last, without what they said.
func fieldsOf(fields []unit.Field) string {
	var paths []string
	for _, f := range fields {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	switch {
	case len(paths) == 0:
		return ""
	case len(paths) > mostNamed:
		return fmt.Sprintf(": %s and %d more", strings.Join(paths[:mostNamed], ", "), len(paths)-mostNamed)
	default:
		return ": " + strings.Join(paths, ", ")
	}
}
