package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// counting is a driver that creates at once what is absent, and counts how often it compares.
type counting struct {
	mutex    sync.Mutex
	there    map[addr.Object]unit.State
	compared int
}

func (d *counting) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	states := map[addr.Object]unit.State{}
	for _, t := range targets {
		if states[t.Address] = d.there[t.Address]; states[t.Address].Existence == unit.Unknown {
			states[t.Address] = unit.State{Existence: unit.Absent}
		}
	}
	return states, nil
}

func (d *counting) Compare(_ unit.Target, _ cty.Value, st unit.State) unit.Diff {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.compared++
	if st.Existence == unit.Absent {
		return unit.Diff{Action: unit.ActionCreate}
	}
	return unit.Diff{Action: unit.ActionNone}
}

func (d *counting) Apply(_ context.Context, t unit.Target, _ cty.Value, _ unit.State) (unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.there[t.Address] = unit.State{Existence: unit.Present, Installed: true, Owned: true, Health: unit.HealthReady, ID: t.Address.Name()}
	return d.there[t.Address], nil
}

func (d *counting) Delete(context.Context, unit.Target, unit.State) (unit.State, error) {
	return unit.State{Existence: unit.Absent}, nil
}

// TestManyThatWaitDecideSeldom: where few of many units can have a call at once, the others do not decide anew at the
// end of each.
func TestManyThatWaitDecideSeldom(t *testing.T) {
	const many, often = 300, 12
	records, err := inventory.Open(t.Context(), nowhere{})
	if err != nil {
		t.Fatal(err)
	}
	d := &counting{there: map[addr.Object]unit.State{}}
	r, block := &Revision{ID: "one"}, schema.New().Resource("network")
	for i := range many {
		r.Units = append(r.Units, unit.Unit{
			Address: addr.MustParseObject(fmt.Sprintf("network.n%d", i)), Class: unit.ClassResource,
			Spec: &unit.Resource{Kind: "network", Block: block, Desired: cty.EmptyObjectVal},
		})
	}
	e := New(Options{
		Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records, Parallel: 2,
		Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
	})
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	if err := e.Converge(ctx, r, time.Second); err != nil {
		t.Fatal(err)
	}
	for _, u := range e.Snapshot().Units {
		if u.Phase != PhaseReady {
			t.Fatalf("%s is %s: %s", u.Address, u.Phase, u.Reason)
		}
	}
	if d.compared > many*often {
		t.Errorf("%d units were compared %d times", many, d.compared)
	}
}
