package plan_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNothingIsDeletedByAnInventoryInDoubt: but what a block says is to go, and what we make beside other things.
func TestNothingIsDeletedByAnInventoryInDoubt(t *testing.T) {
	m := marker()
	const held = "resource.a blocked: it may be older: if it was moved, write its moved block again; else name it in a removed block, by which it is deleted, or with destroy = false forgotten"
	planned := func(set func(in *plan.Input, e *inventory.Entry)) (*plan.Plan, plan.Input) {
		a := of("resource.a", "a")
		entry := entryOf(a)
		entry.UID = m.UID(a.Address)
		in := input()
		set(in, &entry)
		in.Entries, in.States[a.Address] = []inventory.Entry{entry}, new(seen("a"))
		in.Units = append(in.Units, of("resource.other", "x"))
		in.States[at("resource.other")] = new(seen("x"))
		return plan.Make(*in), *in
	}
	doubt := func(in *plan.Input) { in.Doubt = "it may be older" }
	p, in := planned(func(in *plan.Input, _ *inventory.Entry) { doubt(in) })
	expect(t, p, held, "resource.other none")
	if p.Trusts(in.Entries, in.Units) {
		t.Error("it is trusted though something is in doubt")
	}
	p, _ = planned(func(*plan.Input, *inventory.Entry) {})
	expect(t, p, "resource.a delete: it is no longer in the configuration", "resource.other none")
	p, _ = planned(func(in *plan.Input, e *inventory.Entry) {
		doubt(in)
		e.Class = unit.ClassSystem
	})
	expect(t, p, "resource.a delete: it is no longer in the configuration", "resource.other none")
	for destroy, want := range map[bool]string{true: "resource.a delete: its removed block says so", false: "resource.a forget: destroy = false in its removed block: it stays, and is not managed any more"} {
		p, in = planned(func(in *plan.Input, _ *inventory.Entry) {
			doubt(in)
			in.Removals = plan.Removals{{From: addr.Address(at("resource.a")), Destroy: destroy}}
		})
		expect(t, p, want, "resource.other none")
		if p.Trusts(in.Entries, in.Units) {
			t.Error("it is trusted before that is done")
		}
	}
	// What it may have been moved to is not made a second time.
	b := of("resource.b", "b")
	named := unit.State{Existence: unit.Absent, Marked: []unit.Marked{{Name: "web (id1)", Mark: m.Mark(m.UID(at("resource.a")))}}}
	p, _ = planned(func(in *plan.Input, _ *inventory.Entry) {
		doubt(in)
		in.Units, in.States[b.Address] = []unit.Unit{b}, &named
	})
	expect(t, p, held, "resource.b blocked: web (id1) has this name and the mark of what is on record and no block wants, and it may be older: if it was moved here, "+
		"write its moved block again; else name what is on record in a removed block, or rename one of the two", "resource.other none")
	p, in = planned(func(in *plan.Input, _ *inventory.Entry) {
		doubt(in)
		in.Moves = []model.Move{{From: at("resource.a"), To: at("resource.b")}}
		in.Units, in.States[b.Address] = []unit.Unit{of("resource.b", "a")}, new(seen("a"))
	})
	if c := p.Change(b.Address); c == nil || c.Action != unit.ActionMove || p.Trusts(in.Entries, in.Units) {
		t.Errorf("the move is %+v, and it is trusted before that is done: %v", c, p.Trusts(in.Entries, in.Units))
	}
	in.Entries[0].Address, in.Moves = b.Address, nil
	if p = plan.Make(in); !p.Trusts(in.Entries, in.Units) {
		t.Error("with a block for all that it has it is not trusted")
	}
}

// TestWhatWasMovedIsNotTakenForWhatCameAfterIt: an inventory from before a move has the thing where another block is by now, which
// would have it renamed or replaced, and one more made where it was moved to.
func TestWhatWasMovedIsNotTakenForWhatCameAfterIt(t *testing.T) {
	m := marker()
	for wanted, then := range map[string]unit.Action{"a": unit.ActionUpdate, "!a": unit.ActionReplace} {
		a, b := of("resource.a", wanted), of("resource.b", "b")
		entry := entryOf(a)
		entry.UID, entry.ID = m.UID(a.Address), "id1"
		moved := seen("b")
		moved.Mark, moved.ID = m.Mark(entry.UID), "id1"
		planned := func(doubt string, seen unit.State) (*plan.Plan, *plan.Input) {
			in := input(a, b)
			in.Entries, in.Doubt = []inventory.Entry{entry}, doubt
			in.States[a.Address], in.States[b.Address] = &moved, &seen
			in.Compare[unit.OpenStack] = func(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
				d := compare(t, desired, s)
				for i := range d.Fields {
					d.Fields[i].Path = "name"
				}
				return d
			}
			return plan.Make(*in), in
		}
		named := unit.State{Existence: unit.Absent, Marked: []unit.Marked{{Name: "b (id1)", Mark: moved.Mark}}}
		p, in := planned("it may be older", named)
		const held = " blocked: b (id1) has the mark of resource.a and the name of resource.b, and it may be older: if it was moved there, write its moved block again"
		expect(t, p, "resource.a"+held, "resource.b"+held)
		if p.Change(a.Address).Wanted != then || p.Trusts(in.Entries, in.Units) {
			t.Errorf("held back is %s, want %s, and it is trusted: %v", p.Change(a.Address).Wanted, then, p.Trusts(in.Entries, in.Units))
		}
		if p, in = planned("it may be older", unit.State{}); p.Trusts(in.Entries, in.Units) {
			t.Error("it is trusted though it was not seen whether it was moved")
		}
		if p, _ = planned("", named); p.Change(a.Address).Action != then || p.Change(b.Address).Action != unit.ActionCreate {
			t.Errorf("without a doubt they are %s and %s", p.Change(a.Address).Action, p.Change(b.Address).Action)
		}
	}
}
