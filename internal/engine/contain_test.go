package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const canary = "canary-in-a-panic"

// panicking is a driver with a mistake in it.
type panicking struct{ how func() }

func (d panicking) Observe(context.Context, []unit.Target) (map[addr.Object]unit.State, error) {
	d.how()
	return map[addr.Object]unit.State{}, nil
}

func (d panicking) Compare(unit.Target, cty.Value, unit.State) unit.Diff {
	d.how()
	return unit.Diff{Action: unit.ActionNone}
}

func (d panicking) Apply(context.Context, unit.Target, cty.Value, unit.State) (unit.State, error) {
	d.how()
	return unit.State{}, nil
}

func (d panicking) Delete(context.Context, unit.Target, unit.State) (unit.State, error) {
	d.how()
	return unit.State{}, nil
}

// TestPanicsAreErrors: a panic of a driver is the error of that call, the log has where it came from, and neither has
// the value, which may be a secret.
func TestPanicsAreErrors(t *testing.T) {
	type holder struct{ secret string }
	for name, how := range map[string]func(){
		"text":    func() { panic(canary) },
		"error":   func() { panic(errors.New(canary)) },
		"value":   func() { panic(holder{canary}) },
		"runtime": func() { _ = []string{canary}[len(canary)] },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e := New(Options{Drivers: map[unit.DriverName]Driver{"d": panicking{how}}, Log: zerolog.New(&log)})
			d := e.Drivers["d"]
			was := unit.State{Existence: unit.Present, ID: "known"}
			states, observed := d.Observe(t.Context(), nil)
			applied, failed := d.Apply(t.Context(), unit.Target{}, cty.NilVal, was)
			deleted, kept := d.Delete(t.Context(), unit.Target{}, was)
			for _, err := range []error{observed, failed, kept} {
				if !errors.Is(err, errPanicked) || strings.Contains(err.Error(), canary) {
					t.Errorf("the error is %v", err)
				}
			}
			if states != nil || applied.ID != was.ID || deleted.ID != was.ID || deleted.Existence != unit.Present {
				t.Errorf("known is %v, %+v, %+v", states, applied, deleted)
			}
			if diff := d.Compare(unit.Target{}, cty.NilVal, was); diff.Action != unit.ActionBlocked || strings.Contains(diff.Reason, canary) {
				t.Errorf("compared: %+v", diff)
			}
			if said := log.String(); strings.Contains(said, canary) || strings.Count(said, "contain_test.go") < 4 {
				t.Errorf("the log says %s", said)
			}
		})
	}
	d := New(Options{Drivers: map[unit.DriverName]Driver{"d": panicking{func() {}}}}).Drivers["d"]
	if states, err := d.Observe(t.Context(), nil); err != nil || states == nil {
		t.Errorf("without a panic: %v, %v", states, err)
	}
}

// TestPanicsOfDecisions: a unit that no decision can be made about fails, and is tried again later.
func TestPanicsOfDecisions(t *testing.T) {
	var log bytes.Buffer
	records, err := inventory.Open(t.Context(), nowhere{})
	if err != nil {
		t.Fatal(err)
	}
	e := New(Options{Log: zerolog.New(&log), Inventory: records})
	l := newLoop(addr.MustParseObject("manifest.m"))
	l.seen, l.unit = true, &unit.Unit{Address: l.address} // without a spec
	e.revision = &Revision{}
	e.admitted.revision, e.admitted.plan = e.revision, &plan.Plan{}
	for attempt := 1; attempt <= 2; attempt++ {
		l.wake = time.Time{}
		if !e.takeStep(t.Context(), l) || l.phase != PhaseFailed || l.attempts != attempt || !l.wake.After(time.Now()) || !strings.Contains(l.reason, errPanicked.Error()) {
			t.Errorf("attempt %d: the loop is %s (%s) after %d failures, and goes on at %v", attempt, l.phase, l.reason, l.attempts, l.wake)
		}
	}
	if strings.Count(log.String(), "a panic was contained") != 2 || !strings.Contains(log.String(), "step.go") {
		t.Errorf("the log says %s", log.String())
	}
}
