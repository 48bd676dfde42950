package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// errPanicked is what becomes of work that panicked. It is tried again as after any other error.
var errPanicked = errors.New("a mistake of this program, which the log has more of; please report it")

// contained is a driver whose panics are errors: what goes wrong with one unit must not end the work on all others, and
// again after each start. So are those of decisions, see [Engine.takeStep], and those of goroutines that a call of a driver
// waits for, see [contain.Group]. Others end the process, which is safe at any point.
type contained struct {
	Driver
	name unit.DriverName
	log  zerolog.Logger
}

// Contain is deferred, and makes an error of a panic in the work that it names, if there is one; known then puts in place
// what is known without a result. What was panicked with may be anything, secrets included: only what the Go runtime says
// itself, such as that an index is out of range, is told. Arguments of functions are numbers in a stack.
func Contain(log zerolog.Logger, work string, err *error, known func()) {
	p := contain.Of(recover())
	if p == nil {
		return
	}
	log.Error().Str("work", work).Str("panic", p.What).Str("stack", p.Stack).Msg("a panic was contained")
	*err = fmt.Errorf("%s: %w", work, errPanicked)
	known()
}

// takeStep has a loop decide what it does now, and tells whether its phase changed. A panic fails the loop, which decides
// again later; the others go on.
func (e *Engine) takeStep(calls context.Context, l *loop) (changed bool) {
	var err error
	defer Contain(e.Log, "step of "+l.address.String(), &err, func() {
		e.failed(l, err)
		changed = true
	})
	return e.step(calls, l)
}

// Observe knows nothing of any target where it panicked.
func (d *contained) Observe(ctx context.Context, targets []unit.Target) (states map[addr.Object]unit.State, err error) {
	defer Contain(d.log, "observe of "+string(d.name), &err, func() {})
	return d.Driver.Observe(ctx, targets)
}

// retain tells a driver that is a [Retainer] what is wanted.
func (d *contained) retain(wanted func(addr.Object) bool) {
	if driver, ok := d.Driver.(Retainer); ok {
		var err error
		defer Contain(d.log, "retain of "+string(d.name), &err, func() {})
		driver.Retain(wanted)
	}
}

// Compare knows no difference where it panicked, nor that there is none.
func (d *contained) Compare(target unit.Target, desired cty.Value, state unit.State) (diff unit.Diff) {
	var err error
	defer Contain(d.log, "compare of "+string(d.name), &err, func() { diff = unit.Diff{Action: unit.ActionBlocked, Reason: err.Error()} })
	return d.Driver.Compare(target, desired, state)
}

// Apply leaves the state as it was known where it panicked.
func (d *contained) Apply(ctx context.Context, target unit.Target, desired cty.Value, state unit.State) (next unit.State, err error) {
	defer Contain(d.log, "apply of "+string(d.name), &err, func() { next = state })
	return d.Driver.Apply(ctx, target, desired, state)
}

// Delete leaves the state as it was known where it panicked.
func (d *contained) Delete(ctx context.Context, target unit.Target, state unit.State) (next unit.State, err error) {
	defer Contain(d.log, "delete of "+string(d.name), &err, func() { next = state })
	return d.Driver.Delete(ctx, target, state)
}

// Disown does nothing where the driver is no [Disowner].
func (d *contained) Disown(ctx context.Context, target unit.Target) (err error) {
	defer Contain(d.log, "disown of "+string(d.name), &err, func() {})
	if disowner, ok := d.Driver.(Disowner); ok {
		return disowner.Disown(ctx, target)
	}
	return nil
}
