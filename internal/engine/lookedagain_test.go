package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// described is a driver of objects that have nothing but a description, and of look-ups of the first of them.
type described struct {
	mutex sync.Mutex
	there map[string]string
	looks int // at what is looked up
}

func (d *described) see(t unit.Target) unit.State {
	of := t.Address.String()
	if t.Address.Mode() == addr.Data {
		of = "project.p"
		d.looks++
	}
	text, is := d.there[of]
	if !is {
		return unit.State{Existence: unit.Absent}
	}
	return unit.State{Existence: unit.Present, Installed: true, Owned: true, Health: unit.HealthReady, ID: of, Outputs: cty.StringVal(text)}
}

func (d *described) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	states := map[addr.Object]unit.State{}
	for _, t := range targets {
		states[t.Address] = d.see(t)
	}
	return states, nil
}

func (d *described) Compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	switch {
	case t.Address.Mode() == addr.Data && st.Existence == unit.Present:
		return unit.Diff{Action: unit.ActionNone}
	case t.Address.Mode() == addr.Data:
		return unit.Diff{Action: unit.ActionBlocked, Reason: "nothing matches"}
	case st.Existence != unit.Present:
		return unit.Diff{Action: unit.ActionCreate}
	case !st.Outputs.RawEquals(desired):
		return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "description"}}}
	}
	return unit.Diff{Action: unit.ActionNone}
}

func (d *described) Apply(_ context.Context, t unit.Target, desired cty.Value, _ unit.State) (unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.there[t.Address.String()] = desired.AsString()
	return d.see(t), nil
}

func (d *described) Delete(context.Context, unit.Target, unit.State) (unit.State, error) {
	return unit.State{Existence: unit.Absent}, nil
}

// TestLookedUpOnceMore has something looked up that the same pass changes: what refers to it is as the change left it, and nothing
// is left for the next pass.
func TestLookedUpOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		d := &described{there: map[string]string{}}
		project, looked, network := addr.MustParseObject("project.p"), addr.MustParseObject("data.project.s"), addr.MustParseObject("network.n")
		described := func(id, text string) *Revision {
			waits := func(a addr.Object) []unit.Edge { return []unit.Edge{{To: a, Until: unit.Ready, Gate: unit.GateStart}} }
			return &Revision{ID: id, Units: []unit.Unit{
				{Address: looked, Class: unit.ClassResource, Edges: waits(project), Spec: &unit.Resource{Kind: "project", Lookup: true, Desired: cty.StringVal("p")}},
				{Address: network, Class: unit.ClassResource, Edges: waits(looked), Spec: &unit.Resource{
					Kind: "network", Desired: cty.UnknownVal(cty.String),
					Resolve: func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
						if seen := outputs[looked]; seen != cty.NilVal {
							return seen, nil
						}
						return cty.UnknownVal(cty.String), nil
					},
				}},
				{Address: project, Class: unit.ClassResource, Spec: &unit.Resource{Kind: "project", Desired: cty.StringVal(text)}},
			}}
		}
		e := New(Options{
			Language: schema.New(),
			Drivers:  map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		for _, text := range []string{"one", "two", "two"} {
			d.looks = 0
			if err := e.Converge(t.Context(), described(fmt.Sprint(text), text), time.Second); err != nil {
				t.Fatal(err)
			}
			if want := map[string]string{"project.p": text, "network.n": text}; fmt.Sprint(d.there) != fmt.Sprint(want) {
				t.Errorf("with %s there are %v", text, d.there)
			}
		}
		if d.looks != 1 {
			t.Errorf("with nothing to do it was looked up %d times", d.looks)
		}
	})
}

// limited is the same with a project of which Nova keeps a part.
type limited struct{ described }

func (d *limited) lacks(t unit.Target, st unit.State) unit.State {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, there := d.there["service.nova"]; !there && t.Address.String() == "project.p" && st.Existence == unit.Present {
		st.Unseen = []string{"nova"}
	}
	return st
}

func (d *limited) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	states, err := d.described.Observe(ctx, targets)
	for _, t := range targets {
		states[t.Address] = d.lacks(t, states[t.Address])
	}
	return states, err
}

func (d *limited) Apply(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	st, err := d.described.Apply(ctx, t, desired, st)
	return d.lacks(t, st), err
}

func (d *limited) Compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	if len(st.Unseen) > 0 {
		return unit.Diff{Action: unit.ActionUnknown, Reason: "a part of it is not seen"}
	}
	return d.described.Compare(t, desired, st)
}

// TestLookedUpOnceAPartIsThere has something looked up that comes about with a part of what it waits for, and needed by what keeps
// another part of that: who waits for one part alone is looked up without the others.
func TestLookedUpOnceAPartIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		d := &limited{described: described{there: map[string]string{}}}
		project, looked, nova := addr.MustParseObject("project.p"), addr.MustParseObject("data.project.s"), addr.MustParseObject("service.nova")
		e := New(Options{
			Language: schema.New(),
			Drivers:  map[unit.DriverName]Driver{unit.OpenStack: d, unit.Helm: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		if err := e.Converge(t.Context(), &Revision{ID: "one", Units: []unit.Unit{
			{
				Address: looked, Class: unit.ClassResource, Edges: []unit.Edge{{To: project, Until: unit.Ready, Gate: unit.GateStart, Part: "keystone"}},
				Spec: &unit.Resource{Kind: "project", Lookup: true, Desired: cty.StringVal("p")},
			},
			{Address: nova, Class: unit.ClassResource, Edges: []unit.Edge{{To: looked, Until: unit.Ready, Gate: unit.GateStart}}, Spec: &unit.Resource{Kind: "network", Desired: cty.StringVal("n")}},
			{
				Address: project, Class: unit.ClassResource, Edges: []unit.Edge{{To: nova, Until: unit.Ready, Gate: unit.GateReady}},
				Spec: &unit.Resource{Kind: "project", Desired: cty.StringVal("one")},
			},
		}}, time.Second); err != nil {
			t.Fatal(err)
		}
		for _, u := range e.Snapshot().Units {
			if u.Phase != PhaseReady {
				t.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
			}
		}
	})
}
