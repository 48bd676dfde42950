package engine

import (
	"context"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// keeping is a driver that keeps something for each unit that it has seen, and then makes a mistake.
type keeping struct {
	counting
	seen map[addr.Object]bool
}

func (d *keeping) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	for _, t := range targets {
		d.seen[t.Address] = true
	}
	return d.counting.Observe(ctx, targets)
}

func (d *keeping) Retain(wanted func(addr.Object) bool) {
	for a := range d.seen {
		if !wanted(a) {
			delete(d.seen, a)
		}
	}
	panic("after that")
}

// TestDriversHearWhatIsWanted: a unit that is forgotten is not looked at again, and its driver lets go of it all the same.
func TestDriversHearWhatIsWanted(t *testing.T) {
	records, err := inventory.Open(t.Context(), nowhere{})
	if err != nil {
		t.Fatal(err)
	}
	d := &keeping{counting{there: map[addr.Object]unit.State{}}, map[addr.Object]bool{}}
	e := New(Options{
		Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
		Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
	})
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	stays, goes := addr.MustParseObject("network.stays"), addr.MustParseObject("network.goes")
	network := func(a addr.Object) unit.Unit {
		return unit.Unit{Address: a, Class: unit.ClassResource, Spec: &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: cty.EmptyObjectVal}}
	}
	for _, r := range []*Revision{
		{ID: "one", Units: []unit.Unit{network(stays), network(goes)}},
		{ID: "two", Units: []unit.Unit{network(stays)}, Removals: plan.Removals{{From: goes}}},
	} {
		if err := e.Converge(ctx, r, time.Second); err != nil {
			t.Fatal(err)
		}
		if len(d.seen) != len(r.Units) || !d.seen[stays] {
			t.Errorf("of revision %s it keeps %v", r.ID, d.seen)
		}
	}
}
