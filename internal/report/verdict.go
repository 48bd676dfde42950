package report

import (
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// Verdict is how the cloud stands, in a word.
type Verdict string

// The verdicts, the gravest first. The first one that fits counts.
const (
	// VerdictInvalid: the newest commit has errors, or asks for what is never done to a cloud that
	// is deployed. It is not applied; the last good one stays in force, however it fares.
	VerdictInvalid Verdict = "invalid"
	// VerdictUnknown: no commit is in force yet, or nobody can look at anything under it, so nothing can be said.
	VerdictUnknown Verdict = "unknown"
	// VerdictDegraded: something failed, and is tried again; or there is a problem that keeps us
	// from working, such as a repository that cannot be reached.
	VerdictDegraded Verdict = "degraded"
	// VerdictBlocked: something stands still until a person changes something.
	VerdictBlocked Verdict = "blocked"
	// VerdictProgressing: the world is on its way to the commit in force, drift that is being
	// repaired included.
	VerdictProgressing Verdict = "progressing"
	// VerdictSuspended: something is to be done that waits until a suspension ends, and all else is there.
	VerdictSuspended Verdict = "suspended"
	// VerdictDrifted: everything is there and works, and something was changed from outside that
	// the configuration says only to report.
	VerdictDrifted Verdict = "drifted"
	// VerdictConverged: the world is what the commit in force says.
	VerdictConverged Verdict = "converged"
)

// Verdicts lists all verdicts, the gravest first.
func Verdicts() []Verdict {
	return []Verdict{
		VerdictInvalid, VerdictUnknown, VerdictDegraded, VerdictBlocked, VerdictProgressing, VerdictSuspended, VerdictDrifted, VerdictConverged,
	}
}

// Judge decides the verdict, as a report on the same says it.
func Judge(in *Input) Verdict {
	switch {
	case in.Bad != nil || in.Snapshot.Refused.HasErrors():
		return VerdictInvalid
	case in.Applied.Hash == "" || in.Snapshot.Revision == "":
		return VerdictUnknown
	}
	var failed, blocked, moving, suspended, drifted bool
	for i := range in.Snapshot.Units {
		u := &in.Snapshot.Units[i]
		switch u.Phase {
		case engine.PhaseFailed:
			failed = true
		case engine.PhaseBlocked:
			blocked = true
		case engine.PhaseSuspended:
			suspended = true
		case engine.PhaseReady:
			drifted = drifted || u.Drift
		case engine.PhaseKept, engine.PhaseGone:
		default:
			moving = true
		}
	}
	switch {
	case failed || len(in.Problems) > 0:
		return VerdictDegraded
	case blocked:
		return VerdictBlocked
	case moving || !in.Snapshot.Settled && !recorded(in, in.Applied.Hash):
		// Units stay ready from the revision before until they are looked at again, so a new
		// revision has to settle once. Later a snapshot is unsettled whenever something is only
		// being observed, and that is no news.
		return VerdictProgressing
	case suspended:
		return VerdictSuspended
	case drifted:
		return VerdictDrifted
	default:
		return VerdictConverged
	}
}

// phases lists the phases in the order in which they are counted out.
func phases() []engine.Phase {
	return []engine.Phase{
		engine.PhaseFailed, engine.PhaseBlocked, engine.PhaseSuspended, engine.PhaseReconciling, engine.PhaseProgressing, engine.PhaseDeleting,
		engine.PhaseWaiting, engine.PhaseReady, engine.PhaseKept, engine.PhaseGone,
	}
}
