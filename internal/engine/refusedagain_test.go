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

// uploading is a driver that begins something in one step, and refuses the next as its source was wrong. What has another
// name than those is made.
type uploading struct {
	counting
	until map[addr.Object]time.Time
	begun map[addr.Object]int
}

func (d *uploading) Compare(t unit.Target, _ cty.Value, st unit.State) unit.Diff {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case st.Existence == unit.Absent:
		return unit.Diff{Action: unit.ActionCreate}
	case st.Installed:
		return unit.Diff{Action: unit.ActionNone}
	default:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Waits: time.Now().Before(d.until[t.Address]), Reason: "its content is missing"}
	}
}

func (d *uploading) Apply(_ context.Context, t unit.Target, _ cty.Value, st unit.State) (unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	next := unit.State{Existence: unit.Present, Owned: true, Health: unit.HealthProgressing, ID: t.Address.Name(), After: 5 * time.Second}
	switch _, failed := d.until[t.Address]; {
	case failed:
		delete(d.until, t.Address)
		return st, unit.Blocked("the image has another checksum than the one written")
	case t.Address.Name()[0] != 'u':
		next.Installed = true
		time.AfterFunc(20*time.Second, func() {
			d.mutex.Lock()
			defer d.mutex.Unlock()
			next.Health, next.After = unit.HealthReady, 0
			d.there[t.Address] = next
		})
	default:
		d.begun[t.Address]++
		d.until[t.Address] = time.Now().Add(2 * time.Second)
	}
	d.there[t.Address] = next
	return next, nil
}

// TestRefusedDoNotCountForEachOther has what begins well and is refused then tried again beside others that are made, and
// no more once these are.
func TestRefusedDoNotCountForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		d := &uploading{counting: counting{there: map[addr.Object]unit.State{}}, until: map[addr.Object]time.Time{}, begun: map[addr.Object]int{}}
		r, block := &Revision{ID: "one"}, schema.New().Resource("network")
		add := func(name string, edges ...unit.Edge) {
			r.Units = append(r.Units, unit.Unit{
				Address: addr.MustParseObject("network." + name), Class: unit.ClassResource, Edges: edges,
				Spec: &unit.Resource{Kind: "network", Block: block, Desired: cty.EmptyObjectVal},
			})
		}
		add("made0")
		for i := range 5 {
			add(fmt.Sprintf("u%d", i))
		}
		for i := range 10 {
			add(fmt.Sprintf("made%d", i+1), unit.Edge{To: addr.MustParseObject(fmt.Sprintf("network.made%d", i)), Gate: unit.GateStart, Until: unit.Ready})
		}
		e := New(Options{
			Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			e.Run(ctx, time.Second)
			close(done)
		}()
		e.Submit(ctx, r)
		tries := func() (sum int) {
			d.mutex.Lock()
			defer d.mutex.Unlock()
			for _, n := range d.begun {
				sum += n
			}
			return sum
		}
		time.Sleep(time.Hour)
		first := tries()
		time.Sleep(10 * time.Hour)
		if last := tries(); first < 5 || first > 5*(maxDoubts+1) || last != first {
			t.Errorf("they were begun %d times in an hour, and %d times in eleven", first, last)
		}
		cancel()
		<-done
	})
}
