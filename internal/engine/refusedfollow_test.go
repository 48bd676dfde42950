package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// holding is a driver of which one object takes many steps, each of a second. What follows it is refused until that has
// taken enough of them, beside something slow.
type holding struct {
	counting
	enough, steps int
	refused       int
	followed      time.Time
}

func (d *holding) Compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if t.Address.Name() == "holder" && d.steps < 100 {
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: fmt.Sprint("step ", d.steps)}
	}
	if st.Existence == unit.Absent {
		return unit.Diff{Action: unit.ActionCreate}
	}
	return unit.Diff{Action: unit.ActionNone}
}

func (d *holding) Apply(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	switch t.Address.Name() {
	case "slow":
		time.Sleep(4 * time.Minute)
	case "holder":
		time.Sleep(time.Second)
		d.mutex.Lock()
		d.steps++
		d.mutex.Unlock()
	default:
		d.mutex.Lock()
		defer d.mutex.Unlock()
		if d.steps < d.enough {
			d.refused++
			return st, &unit.BlockedError{Reason: "the holder has its place", Holder: "holder"}
		}
		d.followed = time.Now()
		d.there[t.Address] = unit.State{Existence: unit.Present, Installed: true, Owned: true, Health: unit.HealthReady, ID: t.Address.Name()}
		return d.there[t.Address], nil
	}
	return d.counting.Apply(ctx, t, desired, st)
}

// What is refused as another object is in the way follows the next step of that, whatever else is going on; where the
// steps of that do not help it does not follow each.
func TestRefusedFollowWhatIsInTheWay(t *testing.T) {
	for name, test := range map[string]struct {
		enough, refused int
		within          time.Duration
	}{
		"at once":   {3, 3, 5 * time.Second},
		"much more": {60, maxDoubts + 1, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				records, err := inventory.Open(t.Context(), nowhere{})
				if err != nil {
					t.Fatal(err)
				}
				d := &holding{counting: counting{there: map[addr.Object]unit.State{
					addr.MustParseObject("network.holder"): {Existence: unit.Present, Installed: true, Owned: true, Health: unit.HealthReady, ID: "holder"},
				}}, enough: test.enough}
				r, block := &Revision{ID: "one"}, schema.New().Resource("network")
				for _, name := range []string{"follower", "holder", "slow"} {
					r.Units = append(r.Units, unit.Unit{
						Address: addr.MustParseObject("network." + name), Class: unit.ClassResource,
						Spec: &unit.Resource{Kind: "network", Block: block, Desired: cty.EmptyObjectVal},
					})
				}
				e := New(Options{
					Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
					Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
				})
				begin := time.Now()
				if err := e.Converge(t.Context(), r, time.Second); err != nil {
					t.Fatal(err)
				}
				if took := d.followed.Sub(begin); d.followed.IsZero() || took > test.within || d.refused > test.refused {
					t.Errorf("it followed after %v, and was refused %d times", took, d.refused)
				}
			})
		})
	}
}
