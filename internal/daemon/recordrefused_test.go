package daemon_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// TestWhatIsNeverOnRecordIsNotInForce: a revision that could not be put on record is not acted on, and where a newer one is
// refused then, reports and the ways into the world go by the one before both, as the engine does.
func TestWhatIsNeverOnRecordIsNotInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, ledger := newOffice(t, false), &closed{}
		o.source.answers(true)
		o.Tracker.Ledger = ledger
		o.admit = o.Admit
		write(t, o.dir, "more.hcl", "project \"one\" {}\n")
		defer o.run()()
		o.serves(time.Minute, "blog")
		first, model := o.engine.Load().InForce(), o.Tracker.InForce()

		ledger.shut.Store(true)
		write(t, o.dir, "more.hcl", "project \"one\" {}\nproject \"two\" {}\n")
		o.news <- daemon.SourceChanged
		o.until(time.Minute, "a try to put the second on record", ledger.tried.Load)
		synctest.Wait()
		if state := o.Tracker.State(); state.InForce.Hash != first || o.Tracker.InForce() != model {
			t.Errorf("in force is %s while the second is not on record, want %s", state.InForce.Hash, first)
		}

		write(t, o.dir, "more.hcl", "")
		write(t, o.dir, "main.hcl", "cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n") // asks for nothing
		o.news <- daemon.SourceChanged
		var snapshot engine.Snapshot
		refused := func() bool {
			snapshot = o.engine.Load().Snapshot()
			return snapshot.RefusedRevision != "" && snapshot.RefusedRevision == o.Tracker.State().Applied.Hash
		}
		o.until(time.Minute, "the third refused", refused)
		ledger.shut.Store(false)
		o.until(time.Minute, "the first admitted again", func() bool { return refused() && snapshot.Admitted })
		if state := o.Tracker.State(); snapshot.Revision != first || state.InForce.Hash != first || o.Tracker.InForce() != model {
			t.Errorf("the engine is at %s and the tracker at %s, want %s", snapshot.Revision, state.InForce.Hash, first)
		}
		if in := o.Publisher.Input(snapshot, nil); in.Applied.Hash != first || in.Model != model || in.Bad == nil || in.Bad.Commit.Hash != snapshot.RefusedRevision {
			t.Errorf("the report tells of %s, with %+v", in.Applied.Hash, in.Bad)
		}
		if id, _ := ledger.Admitted(t.Context()); id != first {
			t.Errorf("on record is %s, want %s", id, first)
		}
	})
}
