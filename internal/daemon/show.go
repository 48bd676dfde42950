package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Board is where the cluster shows people how things stand.
type Board interface {
	// Nodes returns the names of the cluster's nodes.
	Nodes(ctx context.Context) ([]string, error)
	// Shown returns what is shown of these; what has no place there is missing.
	Shown(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]unit.Shown, error)
	// AllShown returns what is shown of all nodes, profiles, services and clouds.
	AllShown(ctx context.Context) (map[unit.ObjectRef]unit.Shown, error)
	// Show shows how something stands that has a place there.
	Show(ctx context.Context, ref unit.ObjectRef, says unit.Shown) error
	// Mask takes out of a text what the cluster has of secrets. What is shown and told goes through it before it is cut.
	Mask(text string) string
	// Tell has it say, beside what is shown, what happened to something that is shown. It waits for nothing that is sent.
	Tell(ctx context.Context, told unit.Told) error
	// SubscribeShown has f called when what is shown changed, whoever changed it, until cancel is
	// called. f returns at once.
	SubscribeShown(f func()) (cancel func())
}

const (
	// showTimeout bounds one update of what is shown.
	showTimeout = 30 * time.Second
	// showPause is the longest time between two updates while there is something to write.
	showPause = 30 * time.Second
)

// place is something that is shown, and what is to be shown of it.
type place struct {
	ref  unit.ObjectRef
	says unit.Shown
}

// Show shows how the nodes, the profiles and the services of the configuration and its cloud stand, and returns how many of them
// it had to write. What is not known for the revision in force stays as it is shown. After an error another call
// goes on with what is left.
func Show(ctx context.Context, board Board, state revision.State, snapshot engine.Snapshot) (wrote int, err error) {
	return showing(ctx, board, state, snapshot, nil)
}

// showing is Show, with news of what is shown in another way than before; nil where nobody is told.
func showing(ctx context.Context, board Board, state revision.State, snapshot engine.Snapshot, heard *news) (wrote int, err error) {
	m := modelOf(state, snapshot.Revision)
	if m == nil || !compose.Shows(m) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	snapshot = Masked(board.Mask, snapshot)
	there, err := board.Nodes(ctx)
	if err != nil {
		return 0, fmt.Errorf("show how things stand: %w", err)
	}
	units := map[addr.Object]*engine.UnitStatus{}
	for i := range snapshot.Units {
		if snapshot.Admitted { // else it says nothing of this revision
			units[snapshot.Units[i].Address] = &snapshot.Units[i]
		}
	}
	nodes := nodeStandings(m, units, there)
	places := append(nodePlaces(m, nodes, there), profilePlaces(m, nodes)...)
	standings := serviceStandings(m, units, snapshot.Admitted)
	places = append(places, servicePlaces(m, standings)...)
	// Of a cloud without services all may be known before there is a plan: its revision is not shown before that is in force.
	if says, known := cloudSays(m, standings, nodes, snapshot.Revision); known && snapshot.Admitted {
		if test, has := compose.SmokeTest(m); has {
			says.Conditions = append(says.Conditions, smokeTestCondition(units[test]))
		}
		places = append(places, place{ref: unit.ShownRef(unit.KindShownCloud, m.Cloud.Name), says: says})
	}
	return put(ctx, board, places, func(p place, before unit.Shown) {
		if heard != nil {
			heard.shown(ctx, p.ref, before, p.says, state, snapshot.InForce)
		}
	})
}

// put shows what is not shown yet, and says of each what was shown before.
func put(ctx context.Context, board Board, places []place, changed func(p place, before unit.Shown)) (wrote int, err error) {
	refs := make([]unit.ObjectRef, 0, len(places))
	for _, p := range places {
		refs = append(refs, p.ref)
	}
	shown, err := board.Shown(ctx, refs...)
	if err != nil {
		return 0, fmt.Errorf("show how things stand: %w", err)
	}
	var errs []error
	for _, p := range places {
		before, has := shown[p.ref]
		if !has {
			continue
		}
		says, same := dated(before, p.says, time.Now())
		if same {
			continue
		}
		err := board.Show(ctx, p.ref, says)
		if errors.Is(err, unit.ErrNoPlace) {
			continue // until the definition is applied, which is a change
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("show how %s stands: %w", p.ref, err))
			continue
		}
		wrote++
		changed(p, before)
	}
	return wrote, errors.Join(errs...)
}

// modelOf returns the model of the revision that a snapshot is of; nil when that is another one by now.
func modelOf(state revision.State, id string) *model.Model {
	switch id {
	case "":
		return nil
	case state.Applied.Hash:
		return state.Model
	case state.InForce.Hash:
		return state.InForceModel
	default:
		return nil
	}
}

// show keeps what is shown of how things stand as it is.
func (d *Daemon) show(ctx context.Context, changed <-chan struct{}) {
	if d.Board == nil {
		return
	}
	heard := make(chan struct{}, 1)
	defer d.Board.SubscribeShown(func() { word(heard) })()
	told := &news{mended: map[addr.Object]int{}, mask: d.Board.Mask, tell: func(ctx context.Context, what unit.Told) {
		if err := d.Board.Tell(ctx, what); err != nil && ctx.Err() == nil {
			d.Log.Debug().Err(err).Msg("an event is not written")
		}
	}}
	keepShown(ctx, changed, heard, func() bool {
		var wrote int
		var err error
		if d.idle.Load() {
			wrote, err = showUnknown(ctx, d.Board, strings.Join(d.problems(), "; "), d.snapshot().Sightings)
		} else {
			state, snapshot := d.Tracker.State(), d.snapshot()
			wrote, err = showing(ctx, d.Board, state, snapshot, told)
			told.rest(ctx, state, snapshot)
		}
		if err != nil && ctx.Err() == nil {
			d.Log.Warn().Err(err).Msg("how things stand is not shown")
		}
		return wrote == 0 && err == nil
	})
}

// keepShown calls show when there is word of a change, until ctx ends. While that finds something to
// write each time, as when somebody else changes it back, the pauses grow.
func keepShown(ctx context.Context, changed, heard <-chan struct{}, show func() (still bool)) {
	again := time.NewTimer(showPause)
	defer again.Stop()
	again.Stop()
	for rounds := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-heard:
		case <-again.C:
		}
		if show() {
			rounds = 0
			again.Stop()
		} else {
			rounds++
			again.Reset(showPause) // what failed is tried again, and what was written looked at
		}
		if !pause(ctx, min(backoff(rounds), showPause)) {
			return
		}
	}
}
