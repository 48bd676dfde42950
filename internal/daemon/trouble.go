package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// set notes what is wrong somewhere, or that it is not any more.
func (d *Daemon) set(where string, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err == nil || errors.Is(err, context.Canceled) {
		delete(d.trouble, where)
		return
	}
	d.trouble[where] = err.Error()
}

// isTroubled tells whether something is wrong somewhere.
func (d *Daemon) isTroubled(where string) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_, troubled := d.trouble[where]
	return troubled
}

// Admit puts on record which revision is acted on, see [engine.Options], and has reports and /readyz tell what keeps it from
// that: nothing is done by the revision meanwhile.
func (d *Daemon) Admit(ctx context.Context, id string) error {
	err := d.recordAlone(ctx, func() error {
		d.acts = false // where there is no answer nobody knows what is on record
		err := d.Tracker.Admit(ctx, id)
		d.acts = err == nil
		return err
	})
	d.set("record", err)
	return err
}

// remember puts on record what was admitted, unless that was done by [Daemon.Admit]. What is told here may be older by now
// than what that was told of, and acted on: the record would go back behind what was done.
func (d *Daemon) remember(ctx context.Context, id string) error {
	return d.recordAlone(ctx, func() error {
		if d.acts {
			return nil
		}
		return d.Tracker.Record(ctx, id)
	})
}

// recordAlone has one at a time write the record, so that what was begun first does not come last.
func (d *Daemon) recordAlone(ctx context.Context, write func() error) error {
	select {
	case d.recording <- struct{}{}:
		defer func() { <-d.recording }()
		return write()
	case <-ctx.Done():
		return fmt.Errorf("record which revision is in force: %w", ctx.Err())
	}
}

func (d *Daemon) setStandby(standby bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if standby {
		// What the source and the facts are like is only known to who is in charge.
		d.engine = nil
		for _, where := range []string{"source", "facts", "record", "report", "installation", "suspensions", "requests"} {
			delete(d.trouble, where)
		}
		return
	}
	d.trouble["start"] = "in charge, and not at work yet"
}

// problems says why the daemon is not ready: none for a standby that could take over.
func (d *Daemon) problems() []string {
	snapshot := d.snapshot()
	snapshot.Units = nil // of which nothing is told here
	snapshot = Masked(d.mask, snapshot)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var problems []string
	for where, text := range d.trouble {
		problems = append(problems, fmt.Sprintf("%s: %s", where, d.mask(text)))
	}
	problems = append(problems, unobserved(snapshot.Blind)...)
	problems = append(problems, onRecord(snapshot.Sightings)...)
	if problem := d.Tracker.State().Problem(); problem != "" {
		problems = append(problems, d.mask(problem))
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// mostUnobserved is how many causes are told that keep things from being observed. Without a right, or with a server that
// fails, each thing has one of its own, and probes ask for all of them every few seconds.
const mostUnobserved = 10

// unobserved says what keeps things from being observed. The report has what keeps each of them.
func unobserved(causes []string) []string {
	if more := len(causes) - mostUnobserved; more > 0 {
		return append(slices.Clone(causes[:mostUnobserved]), fmt.Sprintf("unobserved: %d more cannot be observed, each as the report says", more))
	}
	return causes
}

// mostOnRecord is how many things on record are named among the problems.
const mostOnRecord = 10

// onRecord says what of the things on record does not work while no revision says what is wanted of them.
func onRecord(sightings []engine.Sighting) []string {
	var problems []string
	more := 0
	for _, s := range sightings {
		switch {
		case s.Why == "":
		case len(problems) == mostOnRecord:
			more++
		default:
			problems = append(problems, fmt.Sprintf("on record: %s: %s", s.Address, report.Line(s.Why, mostShown)))
		}
	}
	if more > 0 {
		problems = append(problems, fmt.Sprintf("on record: %d more do not work, or cannot be observed", more))
	}
	return problems
}
