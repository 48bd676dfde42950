package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
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

// refusing takes a second to create something, and refuses what comes first by its name.
type refusing struct {
	counting
	refused int
}

func (d *refusing) Apply(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	if strings.HasPrefix(t.Address.Name(), "a") {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.refused++
		return st, unit.Blocked("something has its place")
	}
	time.Sleep(time.Second)
	return d.counting.Apply(ctx, t, desired, st)
}

// What others do has what was refused tried again, but not each time, however many there are of both.
func TestRefusedAreTriedSeldom(t *testing.T) {
	const many = 200
	for name, test := range map[string]struct {
		chained bool
		often   int
	}{
		"beside others":     {false, 2},
		"others one by one": {true, 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				records, err := inventory.Open(t.Context(), nowhere{})
				if err != nil {
					t.Fatal(err)
				}
				d := &refusing{counting: counting{there: map[addr.Object]unit.State{}}}
				r, block := &Revision{ID: "one"}, schema.New().Resource("network")
				network := func(name string, i int) unit.Unit {
					return unit.Unit{
						Address: addr.MustParseObject(fmt.Sprintf("network.%s%d", name, i)), Class: unit.ClassResource,
						Spec: &unit.Resource{Kind: "network", Block: block, Desired: cty.EmptyObjectVal},
					}
				}
				for i := range many {
					made := network("n", i)
					if test.chained && i > 0 {
						made.Edges = []unit.Edge{{To: network("n", i-1).Address, Gate: unit.GateStart, Until: unit.Ready}}
					}
					r.Units = append(r.Units, made, network("a", i))
				}
				e := New(Options{
					Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
					Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
				})
				if err := e.Converge(t.Context(), r, time.Second); err != nil {
					t.Fatal(err)
				}
				for _, u := range e.Snapshot().Units {
					if want := (map[bool]Phase{true: PhaseBlocked, false: PhaseReady})[strings.HasPrefix(u.Address.Name(), "a")]; u.Phase != want || u.Attempts > 1 {
						t.Fatalf("%s is %s after %d attempts: %s", u.Address, u.Phase, u.Attempts, u.Reason)
					}
				}
				if d.refused < many*2 || d.refused > many*test.often {
					t.Errorf("%d units were refused %d times", many, d.refused)
				}
			})
		})
	}
}

// What is heard of something that was refused has it tried again, but where that goes on the pauses grow.
func TestRefusedAreTriedSeldomByWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		d := &refusing{counting: counting{there: map[addr.Object]unit.State{}}}
		a := addr.MustParseObject("network.a")
		e := New(Options{
			Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { e.Run(ctx, 0) })
		if err := e.Submit(ctx, &Revision{ID: "one", Units: []unit.Unit{{
			Address: a, Class: unit.ClassResource, Spec: &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: cty.EmptyObjectVal},
		}}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		first := d.refused
		e.Notify(a)
		synctest.Wait()
		second := d.refused
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			e.Notify(a)
		}
		synctest.Wait()
		if last := d.refused; first != 1 || second != 2 || last < 4 || last > 12 {
			t.Errorf("tried %d times, after one event %d times, after a minute of them %d times", first, second, last)
		}
		cancel()
		group.Wait()
	})
}
