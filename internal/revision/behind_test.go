package revision_test

import "testing"

// TestNotBehindTheRecord: what was put on record when two newer ones had been loaded already is not gone back behind once
// the lease is had again, nobody else having been in charge.
func TestNotBehindTheRecord(t *testing.T) {
	p := newPods(t)
	p.commit(one)
	tracker := p.start(t.TempDir())
	if err := tracker.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	second := p.commit(two)
	poll(t, tracker, "project.one", "project.two") // the engine makes its plan, which takes its time
	p.commit(two + "\nproject \"three\" {}\n")
	poll(t, tracker, "project.one", "project.three", "project.two")
	fourth := p.commit(two + "\nproject \"four\" {}\n")
	poll(t, tracker, "project.four", "project.one", "project.two")
	p.keep(tracker, second) // and only now the plan of the second one is made: it is acted on; the fourth is refused
	if p.id != second {
		t.Fatalf("on record is %s", p.id)
	}
	if err := tracker.Resume(t.Context()); err != nil { // the lease was lost, and is had again
		t.Fatal(err)
	}
	got, err := tracker.Recompose(t.Context())
	if got == nil && err == nil {
		got, err = tracker.Poll(t.Context())
	}
	if err != nil || got == nil || got.ID != fourth {
		t.Fatalf("got %v, %v", got, err)
	}
	if got.Fallback == nil {
		t.Fatal("there is nothing to go back to")
	}
	if got.Fallback.ID != second {
		t.Errorf("when the newest is refused it goes back to %s, and on record is %s", got.Fallback.ID, second)
	}
}
