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
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// unmarked is a driver of objects that bear no mark, by their ids: what nobody has on record is anybody's who wants its name.
type unmarked struct {
	inPlace bool // another name is given to the object that there is
	mutex   sync.Mutex
	names   map[string]string
	made    int
	deleted []string
}

func (d *unmarked) see(t unit.Target) unit.State {
	for id, name := range d.names {
		if t.ID == id || t.ID == "" && t.Spec != nil && name == wantedName(t.Spec) {
			return unit.State{Existence: unit.Present, Installed: true, Owned: t.ID == id, Health: unit.HealthReady, ID: id, Outputs: cty.StringVal(name)}
		}
	}
	return unit.State{Existence: unit.Absent}
}

func wantedName(s unit.Spec) string { return s.(*unit.Resource).Desired.AsString() }

func (d *unmarked) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	states := map[addr.Object]unit.State{}
	for _, t := range targets {
		states[t.Address] = d.see(t)
	}
	return states, nil
}

func (d *unmarked) Compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	switch {
	case st.Existence != unit.Present:
		return unit.Diff{Action: unit.ActionCreate}
	case !st.Owned:
		return unit.Diff{Action: unit.ActionAdopt}
	case t.Spec != nil && !st.Outputs.RawEquals(desired) && d.inPlace:
		return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "name"}}}
	case t.Spec != nil && !st.Outputs.RawEquals(desired):
		return unit.Diff{Action: unit.ActionReplace, Fields: []unit.Field{{Path: "name"}}}
	}
	return unit.Diff{Action: unit.ActionNone}
}

func (d *unmarked) Apply(_ context.Context, t unit.Target, _ cty.Value, _ unit.State) (unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	st := d.see(t)
	if st.Existence != unit.Present {
		d.made++
		d.names[fmt.Sprint(d.made)] = wantedName(t.Spec)
	} else if t.ID != "" {
		d.names[t.ID] = wantedName(t.Spec)
	}
	st = d.see(t)
	st.Owned = true
	return st, nil
}

func (d *unmarked) Delete(_ context.Context, t unit.Target, _ unit.State) (unit.State, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.names[t.ID] != "" {
		d.deleted = append(d.deleted, t.ID)
		delete(d.names, t.ID)
	}
	return unit.State{Existence: unit.Absent}, nil
}

// TestANameThatAnotherBlockGivesUp has a block get another name, for which another object takes the place of its own or its own is renamed, or go, and a
// new block the name that it had. That one waits until the name is free, and makes its own object then, in the same pass.
func TestANameThatAnotherBlockGivesUp(t *testing.T) {
	for name, test := range map[string]struct {
		goes, createFirst, inPlace bool
		want                       map[string]string
	}{
		"renamed":       {inPlace: true, want: map[string]string{"1": "new", "2": "old"}},
		"deleted first": {want: map[string]string{"2": "new", "3": "old"}},
		"created first": {createFirst: true, want: map[string]string{"2": "new", "3": "old"}},
		"goes":          {goes: true, want: map[string]string{"2": "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				records, err := inventory.Open(t.Context(), nowhere{})
				if err != nil {
					t.Fatal(err)
				}
				d, block := &unmarked{inPlace: test.inPlace, names: map[string]string{}}, schema.New().Resource("server_group")
				group := func(label, name string) unit.Unit {
					return unit.Unit{
						Address: addr.MustParseObject("server_group." + label), Class: unit.ClassResource, CreateFirst: test.createFirst,
						Spec: &unit.Resource{Kind: "server_group", Block: block, Desired: cty.StringVal(name)},
					}
				}
				e := New(Options{
					Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
					Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
				})
				second := &Revision{ID: "two", Units: []unit.Unit{group("a", "new"), group("b", "old")}}
				if test.goes {
					second.Units = second.Units[1:]
				}
				for _, r := range []*Revision{{ID: "one", Units: []unit.Unit{group("a", "old")}}, second} {
					if err := e.Converge(t.Context(), r, time.Second); err != nil {
						t.Fatal(err)
					}
				}
				for _, u := range e.Snapshot().Units {
					if u.Phase != PhaseReady && u.Phase != PhaseGone {
						t.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
					}
				}
				deleted := "[1]"
				if test.inPlace {
					deleted = "[]"
				}
				if fmt.Sprint(d.names) != fmt.Sprint(test.want) || fmt.Sprint(d.deleted) != deleted {
					t.Errorf("there are %v, and %v was deleted", d.names, d.deleted)
				}
			})
		})
	}
}

// TestAnObjectOfTwoBlocks has two blocks write one role assignment. When one of them is taken out nobody loses the role, for a
// moment neither; it goes with the last of them.
func TestAnObjectOfTwoBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		d := &unmarked{names: map[string]string{}}
		assigned := func(label string) unit.Unit {
			return unit.Unit{
				Address: addr.MustParseObject("role_assignment." + label), Class: unit.ClassResource,
				Spec: &unit.Resource{Kind: "role_assignment", Block: schema.New().Resource("role_assignment"), Desired: cty.StringVal("ann is a member")},
			}
		}
		e := New(Options{
			Language: schema.New(),
			Drivers:  map[unit.DriverName]Driver{unit.OpenStack: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		a := addr.MustParseObject("role_assignment.a")
		for _, step := range []struct {
			revision *Revision
			phase    Phase // of the first one
			deleted  string
		}{
			{&Revision{ID: "one", Units: []unit.Unit{assigned("a")}}, PhaseReady, "[]"},
			{&Revision{ID: "two", Units: []unit.Unit{assigned("a"), assigned("b")}}, PhaseReady, "[]"},
			{&Revision{ID: "three", Units: []unit.Unit{assigned("b")}}, PhaseBlocked, "[]"},
			{&Revision{ID: "four", Units: []unit.Unit{assigned("b")}, Removals: plan.Removals{{From: a}}}, PhaseGone, "[]"},
			{&Revision{ID: "five", Removals: plan.Removals{{From: addr.MustParseObject("role_assignment.b"), Destroy: true}}}, PhaseGone, "[1]"},
		} {
			if err := e.Converge(t.Context(), step.revision, time.Second); err != nil {
				t.Fatal(err)
			}
			for _, u := range e.Snapshot().Units {
				if u.Address == a && u.Phase != step.phase || u.Address != a && u.Phase != PhaseReady && u.Phase != PhaseGone {
					t.Errorf("with %s, %s is %s: %s", step.revision.ID, u.Address, u.Phase, u.Reason)
				}
			}
			if fmt.Sprint(d.deleted) != step.deleted {
				t.Errorf("with %s, deleted are %q", step.revision.ID, d.deleted)
			}
		}
	})
}
