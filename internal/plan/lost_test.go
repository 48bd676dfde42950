package plan_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// When the inventory is lost, what was moved bears the mark of an address where it is not any more.
func TestMovedThingsAreFoundByTheirOldMarks(t *testing.T) {
	m := marker()
	for _, test := range []struct {
		name, address string
		moves         []string
		origins       []string
	}{
		{"nothing moved", "resource.b", []string{"resource.a resource.c"}, nil},
		{"one move", "resource.b", []string{"resource.a resource.b"}, []string{"resource.a"}},
		{"a chain", "resource.c", []string{"resource.b resource.c", "resource.a resource.b"}, []string{"resource.b", "resource.a"}},
		{"a key", `resource.b["x"]`, []string{"resource.a resource.b"}, []string{`resource.a["x"]`}},
		{"one key besides the others", `resource.b["x"]`, []string{"resource.a resource.b", `resource.a["x"] resource.c`}, nil},
		{"a module", `module.n["k"].resource.a`, []string{"module.m module.n"}, []string{`module.m["k"].resource.a`}},
		{"out of a module", "resource.a", []string{"module.m.resource.b resource.a", "module.l module.m"}, []string{"module.m.resource.b", "module.l.resource.b"}},
		{"a circle", "resource.a", []string{"resource.a resource.b", "resource.b resource.a"}, []string{"resource.b"}},
	} {
		u := of(test.address, "v")
		who := plan.Identity{Marker: m, Moves: moves(t, test.moves...)}
		target := who.Target(&u, nil)
		want := []string{}
		for _, uid := range m.UIDs(u.Address, nil)[1:] {
			want = append(want, m.Mark(uid))
		}
		for _, from := range test.origins {
			for _, uid := range m.UIDs(at(from), nil) {
				want = append(want, m.Mark(uid))
			}
		}
		if target.Mark != m.Mark(m.UID(u.Address)) || !slices.Equal(target.Marks, want) {
			t.Errorf("%s: it is searched for by %d other marks, want %d", test.name, len(target.Marks), len(want))
		}
		for _, from := range test.origins {
			state := seen("v")
			state.Mark = m.Mark(m.UID(at(from)))
			if entry := who.First(&u, state); entry.UID != m.UID(at(from)) || entry.Address != u.Address {
				t.Errorf("%s: what came from %s gets %+v", test.name, from, entry)
			}
		}
		if entry := who.First(&u, unit.State{Existence: unit.Absent}); entry.UID != m.UID(u.Address) {
			t.Errorf("%s: what is created gets the uid of something else", test.name)
		}
	}
}

// renaming compares as the others do, for objects whose text is their name.
func renaming(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
	d := compare(t, desired, s)
	for i := range d.Fields {
		d.Fields[i].Path = "name"
	}
	return d
}

func TestNothingIsCreatedBesideWhatMayHaveBeenMoved(t *testing.T) {
	m := marker()
	mark := m.Mark(m.UID(at("resource.a")))
	named := unit.State{Existence: unit.Absent, Marked: []unit.Marked{{Name: "web (id1)", Mark: mark}}}
	planned := func(set func(in *plan.Input)) *plan.Plan {
		in := input(of("resource.b", "b"))
		in.States[at("resource.b")] = new(named)
		set(in)
		return plan.Make(*in)
	}
	const unexplained = "web (id1) has this name and a mark of ours, and nothing on record says what it is: if it was moved here, write its moved block again, else rename one of the two"
	expect(t, planned(func(*plan.Input) {}), "resource.b blocked: "+unexplained)
	expect(t, planned(func(in *plan.Input) { // of another installation, or forged
		in.States[at("resource.b")] = &unit.State{Existence: unit.Absent, Marked: []unit.Marked{{Name: "web (id2)", Mark: "kupenstack:x.y"}}}
	}), "resource.b blocked: web (id2) has this name and a KupenStack mark that cannot be checked: another installation made it, or one that was lost. "+
		"Restore the Secret of that one, rename one of the two, or take the mark off to have it taken over")
	expect(t, planned(func(in *plan.Input) { // it is somebody's for certain
		a := of("resource.a", "a")
		entry := entryOf(a)
		entry.UID = m.UID(a.Address)
		in.Entries, in.Units, in.States[a.Address] = []inventory.Entry{entry}, append(in.Units, a), new(seen("a"))
	}), "resource.a none", "resource.b create")
	onRecord := func(in *plan.Input, named unit.Marked) {
		entry := entryOf(in.Units[0])
		entry.UID, entry.ID = m.UID(entry.Address), "gone"
		in.Entries, in.States[entry.Address] = []inventory.Entry{entry}, &unit.State{Existence: unit.Absent, Marked: []unit.Marked{named}}
	}
	expect(t, planned(func(in *plan.Input) { // the inventory is of before another one took its place
		onRecord(in, unit.Marked{Name: "web (id3)", Mark: m.Mark(m.UIDs(at("resource.b"), nil)[1])})
	}), "resource.b blocked: what is on record is gone, and web (id3) has this name and a mark of ours, which nothing on record explains, as where the inventory was restored from an older backup: "+
		"to have that one, give up the record by a removed block with destroy = false, and then write this block again, or its moved block; else rename one of the two")
	expect(t, planned(func(in *plan.Input) { // another installation's was beside it before
		onRecord(in, unit.Marked{Name: "web (id4)", Mark: "kupenstack:x.y"})
	}), "resource.b create")
	holder := seen("a")
	holder.Mark = mark
	expect(t, planned(func(in *plan.Input) { // two with one name
		in.Units, in.States[at("resource.a")] = append(in.Units, of("resource.a", "a")), new(holder)
	}), "resource.a none", "resource.b create")
	in := input(of("resource.a", "!a"), of("resource.b", "b"))
	in.States[at("resource.a")], in.States[at("resource.b")] = new(holder), new(named)
	in.Compare[unit.OpenStack] = renaming
	p := plan.Make(*in)
	if a := p.Change(at("resource.a")); a.Action != unit.ActionBlocked || a.Wanted != unit.ActionReplace {
		t.Errorf("what may be another thing is changed: %+v", a)
	}
	if b := p.Change(at("resource.b")); b.Action != unit.ActionBlocked || b.Wanted != unit.ActionCreate {
		t.Errorf("what may be there is created: %+v", b)
	}
}
