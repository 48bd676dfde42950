package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Standing is how a thing on record stands, as far as that can be told by somebody who does not know what is wanted.
type Standing string

// The standings.
const (
	StandsUnknown     Standing = "unknown" // it could not be observed
	StandsWorking     Standing = "working"
	StandsProgressing Standing = "progressing"
	StandsFailed      Standing = "failed" // it is there and does not work
	StandsGone        Standing = "gone"   // nobody took it off the record, and it is not there
)

// Sighting is how a thing on record was seen last, while no revision said what is wanted of it.
type Sighting struct {
	Address  addr.Object
	Class    unit.Class
	Standing Standing
	Why      string // it does not work, in a sentence without secrets
}

const (
	// sightingsAgain is the time between two looks at what is on record for an engine without [Options.Resync].
	sightingsAgain = 5 * time.Minute
	// maxToldSightings is how many things the log names of one look.
	maxToldSightings = 10
)

// onRecord is what an engine without a revision knows of the things on record.
type onRecord struct {
	due      map[addr.Object]bool
	seen     map[addr.Object]Sighting
	resync   time.Time // when everything is due
	again    time.Time // when what could not be observed is due; zero: not before all else
	failures int       // of looks, in a row
	cancels  map[unit.DriverName]context.CancelFunc
}

// ObserveOnly has what is on record observed for as long as no revision is submitted: at once, with each resync, and
// when something is heard of it. Nothing is changed meanwhile, neither in the world nor in the inventory. It may be
// called again, which changes nothing. The error is the context's.
func (e *Engine) ObserveOnly(ctx context.Context) error {
	return e.send(ctx, func() {
		if e.revision == nil && e.records == nil {
			e.records = &onRecord{due: map[addr.Object]bool{}, seen: map[addr.Object]Sighting{}, cancels: map[unit.DriverName]context.CancelFunc{}}
		}
	})
}

// dismiss ends that, as a revision says what is wanted.
func (r *onRecord) dismiss() {
	if r == nil {
		return
	}
	for _, cancel := range r.cancels {
		cancel()
	}
}

// lookAtRecords begins to observe what is due, with one call for each driver at a time. It returns when to be called again.
func (e *Engine) lookAtRecords(calls context.Context, now time.Time) time.Duration {
	r := e.records
	e.scheduleRecords(now)
	who := plan.Identity{Marker: e.Marker, Used: e.Inventory.UsesUID}
	targets := map[unit.DriverName][]unit.Target{}
	for a := range r.due {
		entry, known := e.Inventory.Entry(a)
		if !known || entry.Locator.Keep || entry.Locator.Kind == unit.KindSmokeTest { // a test is nothing that is there
			delete(r.due, a)
			continue
		}
		if name := entry.Locator.Driver; e.looking[name] == 0 && !e.cannotLook(name) {
			target := who.Target(nil, &entry)
			target.Sought = true
			targets[name] = append(targets[name], target)
			delete(r.due, a)
		}
	}
	for name, list := range targets {
		slices.SortFunc(list, func(a, b unit.Target) int { return a.Address.Compare(b.Address) })
		asked := addressesOf(list)
		looking, cancel := context.WithCancel(calls)
		r.cancels[name] = cancel
		e.looking[name]++
		e.running[name]++
		contain.Go(func() {
			states, err := e.observeOne(looking, e.CallTimeout, name, list)
			e.events <- func() {
				cancel()
				e.looking[name]--
				e.running[name]--
				if e.records == r {
					delete(r.cancels, name)
					e.sighted(asked, states, err)
				}
			}
		})
	}
	next := time.Until(r.resync)
	if !r.again.IsZero() {
		next = min(next, time.Until(r.again))
	}
	return max(next, 0)
}

// scheduleRecords has those be due whose time has come.
func (e *Engine) scheduleRecords(now time.Time) {
	r := e.records
	if !now.Before(r.resync) {
		r.resync, r.again = now.Add(cmp.Or(e.Resync, sightingsAgain)), time.Time{}
		for _, entry := range e.Inventory.Entries() {
			r.due[entry.Address] = true
		}
	}
	if !r.again.IsZero() && !now.Before(r.again) {
		r.again = time.Time{}
		for a, s := range r.seen {
			if s.Standing == StandsUnknown {
				r.due[a] = true
			}
		}
	}
}

// sighted takes the result of a look.
func (e *Engine) sighted(asked []addr.Object, states map[addr.Object]unit.State, err error) {
	r := e.records
	blind, told := false, 0
	for _, a := range asked {
		entry, known := e.Inventory.Entry(a)
		if !known {
			continue
		}
		s := sightingOf(&entry, states[a], err)
		blind = blind || s.Standing == StandsUnknown
		if r.seen[a] == s {
			continue
		}
		r.seen[a], e.changed = s, true
		if s.Why != "" && told < maxToldSightings {
			told++
			e.Log.Warn().Stringer("unit", a).Str("standing", string(s.Standing)).Str("reason", s.Why).Msg("is on record; without a revision it is only observed")
		}
	}
	if !blind {
		r.failures = 0
		return
	}
	r.failures++
	if again := time.Now().Add(max(retryDelay(r.failures), unit.RetryAfter(err))); r.again.IsZero() || again.Before(r.again) {
		r.again = again
	}
}

// sightingOf says how a thing stands of which nobody says how it should.
func sightingOf(entry *inventory.Entry, state unit.State, err error) Sighting {
	s := Sighting{Address: entry.Address, Class: entry.Class, Standing: StandsWorking}
	switch {
	case state.Existence == unit.Unknown:
		s.Standing, s.Why = StandsUnknown, state.Message
		if s.Why == "" && err != nil {
			s.Why = err.Error()
		}
		s.Why = orText(s.Why, "it could not be observed")
	case state.Existence == unit.Absent && entry.Phase == inventory.Owned:
		s.Standing, s.Why = StandsGone, "it is gone"
	case state.Existence == unit.Absent: // it was being created or deleted when the process before this one ended
		s.Standing, s.Why = StandsProgressing, "it is not there, and was about to be created or deleted"
	case state.Ready():
	case state.Health == unit.HealthFailed:
		s.Standing, s.Why = StandsFailed, orText(state.Message, "it does not work")
	default:
		s.Standing, s.Why = StandsProgressing, orText(state.Message, "it is not ready")
	}
	return s
}

// sightings are how things on record were seen last, by address.
func (e *Engine) sightings() []Sighting {
	if e.records == nil {
		return nil
	}
	all := make([]Sighting, 0, len(e.records.seen))
	for _, s := range e.records.seen {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Sighting) int { return a.Address.Compare(b.Address) })
	return all
}
