package plan_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestDecide(t *testing.T) {
	absent := unit.State{Existence: unit.Absent}
	deleting := func(e *inventory.Entry) { e.Phase = inventory.Deleting }
	older := func(e *inventory.Entry) { e.Applied = "digest of something older" }
	protected := func(u *unit.Unit) { u.PreventDestroy = true }
	policy := func(p unit.DriftPolicy) func(*unit.Unit) { return func(u *unit.Unit) { u.Drift = p } }
	for _, test := range []struct {
		name    string
		wanted  string
		unit    func(*unit.Unit)
		entry   func(*inventory.Entry) // nil: there is none
		state   unit.State
		want    unit.Action
		wanted2 unit.Action
		reason  string
		drift   bool
	}{
		{name: "an error is never absence", wanted: "a", state: unit.State{Message: "no answer"}, want: unit.ActionUnknown, reason: "no answer"},
		{name: "new", wanted: "a", state: absent, want: unit.ActionCreate},
		{name: "as it should be", wanted: "a", entry: func(*inventory.Entry) {}, state: seen("a"), want: unit.ActionNone},
		{name: "configuration changed", wanted: "b", entry: older, state: seen("a"), want: unit.ActionUpdate},
		{name: "world changed", wanted: "a", entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionUpdate, drift: true, reason: "it was changed outside of the configuration"},
		{name: "gone", wanted: "a", entry: func(*inventory.Entry) {}, state: absent, want: unit.ActionCreate, drift: true, reason: "it was deleted outside of the configuration"},
		{name: "drift is ignored", wanted: "a", unit: policy(unit.DriftIgnore), entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionNone},
		{name: "ignored drift is about attributes", wanted: "a", unit: policy(unit.DriftIgnore), entry: func(*inventory.Entry) {}, state: absent, want: unit.ActionCreate, drift: true, reason: "it was deleted outside of the configuration"},
		{name: "an ignored unit still follows the configuration", wanted: "b", unit: policy(unit.DriftIgnore), entry: older, state: seen("x"), want: unit.ActionUpdate},
		{name: "drift is reported", wanted: "a", unit: policy(unit.DriftReport), entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionNone, wanted2: unit.ActionUpdate, drift: true, reason: "drift is only reported"},
		{name: "a deletion is reported", wanted: "a", unit: policy(unit.DriftReport), entry: func(*inventory.Entry) {}, state: absent, want: unit.ActionNone, wanted2: unit.ActionCreate, drift: true, reason: "it was deleted outside of the configuration, and drift is only reported"},
		{name: "our own deletion is no drift", wanted: "a", unit: policy(unit.DriftReport), entry: deleting, state: absent, want: unit.ActionCreate, reason: "it is made again: our own deletion of it is done"},
		{name: "nor is that of a replacement", wanted: "b", entry: func(e *inventory.Entry) { older(e); deleting(e) }, state: absent, want: unit.ActionCreate, reason: "it is made again: our own deletion of it is done"},
		{name: "drift that cannot be put back", wanted: "?a", entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionBlocked, reason: "it cannot be put right"},
		{name: "it is ignored", wanted: "?a", unit: policy(unit.DriftIgnore), entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionNone},
		{name: "it is reported", wanted: "?a", unit: policy(unit.DriftReport), entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionNone, drift: true, reason: "drift is only reported, and this cannot be put back: it cannot be put right"},
		{name: "what the configuration wants is not ignored", wanted: "?b", unit: policy(unit.DriftIgnore), entry: older, state: seen("a"), want: unit.ActionBlocked, reason: "it cannot be put right"},
		{name: "nor only reported", wanted: "?b", unit: policy(unit.DriftReport), entry: older, state: seen("a"), want: unit.ActionBlocked, reason: "it cannot be put right"},
		{name: "nor what something else blocks", wanted: "??a", unit: policy(unit.DriftIgnore), entry: func(*inventory.Entry) {}, state: seen("x"), want: unit.ActionBlocked, reason: "it cannot be put right"},
		{name: "nor what was never applied", wanted: "?a", unit: policy(unit.DriftIgnore), state: seen("x"), want: unit.ActionBlocked, reason: "it cannot be put right"},
		{name: "replace", wanted: "!b", entry: older, state: seen("a"), want: unit.ActionReplace},
		{name: "replace is forbidden", wanted: "!b", unit: protected, entry: older, state: seen("a"), want: unit.ActionBlocked, wanted2: unit.ActionReplace, reason: "it would have to be replaced, and prevent_destroy forbids that"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := of("service.a", test.wanted)
			if test.unit != nil {
				test.unit(&u)
			}
			var entry *inventory.Entry
			if test.entry != nil {
				e := entryOf(u)
				test.entry(&e)
				entry = &e
			}
			c := plan.Decide(&u, entry, plan.Identity{Marker: marker()}.Target(&u, entry), cty.NilVal, test.state, compare)
			if c.Action != test.want || c.Wanted != test.wanted2 || c.Reason != test.reason || c.Drift != test.drift {
				t.Errorf("got %+v", c)
			}
			if c.Address != u.Address || c.Class != u.Class {
				t.Errorf("it is about %s of %s", c.Address, c.Class)
			}
		})
	}
}

func TestTell(t *testing.T) {
	noticed := func(wanted string) unit.State {
		s := seen(wanted)
		s.Notice = "another one bears its mark"
		return s
	}
	u := of("service.a", "a")
	entry := entryOf(u)
	for _, test := range []struct {
		name   string
		policy unit.DriftPolicy
		state  unit.State
		action unit.Action
		reason string
		drift  bool
	}{
		{"as it should be", "", seen("a"), unit.ActionNone, "", false},
		{"noticed", "", noticed("a"), unit.ActionNone, "another one bears its mark", true},
		{"something is done first", "", noticed("x"), unit.ActionUpdate, "it was changed outside of the configuration", true},
		{"beside what is only reported", unit.DriftReport, noticed("x"), unit.ActionNone, "drift is only reported; another one bears its mark", true},
		{"it is no attribute that drifts", unit.DriftIgnore, noticed("x"), unit.ActionNone, "another one bears its mark", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			u.Drift = test.policy
			c := plan.Decide(&u, &entry, plan.Identity{Marker: marker()}.Target(&u, &entry), cty.NilVal, test.state, compare)
			if c.Tell(test.state); c.Action != test.action || c.Reason != test.reason || c.Drift != test.drift {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestVanished(t *testing.T) {
	const stays = "it stays: no rule of the configuration wants it now, and only a removed block deletes or forgets it"
	intended := func(e *inventory.Entry) {
		e.PreventDestroy, e.Locator.Driver, e.Phase, e.ID = true, unit.OpenStack, inventory.Intent, ""
	}
	for _, test := range []struct {
		name    string
		address string
		entry   func(*inventory.Entry)
		state   unit.State
		removed bool
		want    unit.Action
		reason  string
	}{
		{name: "a resource", address: "resource.a", state: seen("a"), want: unit.ActionDelete, reason: "it is no longer in the configuration"},
		{name: "gone already", address: "resource.a", state: unit.State{Existence: unit.Absent}, want: unit.ActionForget, reason: "it is gone already"},
		{name: "not seen", address: "resource.a", want: unit.ActionBlocked, reason: "it could not be observed"},
		{name: "protected", address: "resource.a", entry: func(e *inventory.Entry) { e.PreventDestroy = true }, state: seen("a"), want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "protected and never there", address: "resource.a", entry: intended, state: unit.State{Existence: unit.Absent}, want: unit.ActionForget, reason: "it is gone already"},
		{name: "protected and maybe created", address: "resource.a", entry: intended, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "protected and created", address: "resource.a", entry: intended, state: seen("a"), want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "protected and gone", address: "resource.a", entry: func(e *inventory.Entry) { e.PreventDestroy = true }, state: unit.State{Existence: unit.Absent}, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "one that stays", address: "resource.a", entry: func(e *inventory.Entry) { e.Stays = true }, state: seen("a"), want: unit.ActionNone, reason: stays},
		{name: "one that stays and is not seen", address: "resource.a", entry: func(e *inventory.Entry) { e.Stays = true }, want: unit.ActionNone, reason: stays},
		{name: "one that stays and is gone", address: "resource.a", entry: func(e *inventory.Entry) { e.Stays = true }, state: unit.State{Existence: unit.Absent}, want: unit.ActionForget, reason: "it is gone already"},
		{name: "one that stays and is removed", address: "resource.a", entry: func(e *inventory.Entry) { e.Stays = true }, state: seen("a"), removed: true, want: unit.ActionDelete, reason: "it is no longer in the configuration"},
		{name: "kept", address: "system.a", entry: func(e *inventory.Entry) { e.Locator.Keep = true }, state: seen("a"), want: unit.ActionNone, reason: "it is kept"},
		{name: "a service", address: "service.a", state: seen("a"), want: unit.ActionNone, reason: `it is kept: a block that is taken away uninstalls nothing; write enabled = false in service "a" for that`},
		{name: "a database", address: "service.a", entry: func(e *inventory.Entry) { e.Class = unit.ClassInfrastructure }, state: seen("a"), want: unit.ActionNone, reason: `it is kept: a block that is taken away uninstalls nothing; write enabled = false in service "a" for that`},
		{name: "a removed service", address: "service.a", state: seen("a"), removed: true, want: unit.ActionDelete, reason: "enabled = false"},
		{name: "a removed and protected service", address: "service.a", entry: func(e *inventory.Entry) { e.PreventDestroy = true }, state: seen("a"), removed: true, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "a node", address: "node.a", state: seen("a"), want: unit.ActionDelete, reason: "it is no longer in the configuration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := entryOf(of(test.address, "a"))
			if test.entry != nil {
				test.entry(&e)
			}
			if c := plan.Vanished(&e, test.state, test.removed); c.Action != test.want || c.Reason != test.reason {
				t.Errorf("got %+v", c)
			}
		})
	}
}

// resource returns a unit whose text is the id of what it refers to.
func resource(address, to string) unit.Unit {
	u := of(address, "")
	u.Edges = []unit.Edge{{To: at(to), Until: unit.Ready, Gate: unit.GateStart}}
	u.Spec = &unit.Resource{
		Kind: "resource", Desired: cty.UnknownVal(cty.String),
		Resolve: func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
			if v, ok := outputs[at(to)]; ok {
				return v.GetAttr("id"), nil
			}
			return cty.UnknownVal(cty.String), nil
		},
	}
	return u
}

func TestWhatOthersDecideIsNoDrift(t *testing.T) {
	u := resource("resource.b", "resource.a")
	u.Drift = unit.DriftReport
	now, before := cty.StringVal("id2"), cty.StringVal("id1")
	e := entryOf(u)
	e.Applied = plan.Applied(&u, before)
	c := plan.Decide(&u, &e, plan.Identity{Marker: marker()}.Target(&u, &e), now, seen("id1"), compare)
	if c.Action != unit.ActionUpdate || c.Drift {
		t.Errorf("the id of what it refers to changed: %+v", c)
	}
	e.Applied = plan.Applied(&u, now)
	c = plan.Decide(&u, &e, plan.Identity{Marker: marker()}.Target(&u, &e), now, seen("other"), compare)
	if c.Action != unit.ActionNone || !c.Drift {
		t.Errorf("somebody changed it: %+v", c)
	}
}

func TestTarget(t *testing.T) {
	u := of("resource.a", "a")
	fresh := plan.Identity{Marker: marker()}.Target(&u, nil)
	if !fresh.Fresh || fresh.UID != marker().UID(u.Address) || fresh.Mark != marker().Mark(fresh.UID) || fresh.Locator.Kind != "resource" {
		t.Errorf("new: %+v", fresh)
	}
	e := entryOf(u)
	e.ID, e.Imported, e.Locator.Project = "the id", true, "p"
	for _, going := range []struct {
		phase         inventory.Phase
		kind, applied string
	}{
		{inventory.Owned, unit.KindObjects, "a.j"},
		{inventory.Intent, unit.KindObjects, "a.j"},
		{inventory.Deleting, unit.KindObjects, "a."},
		{inventory.Deleting, unit.KindRelease, "a.j"},
	} {
		entry := inventory.Entry{Phase: going.phase, Applied: "a.j", Locator: unit.Locator{Kind: going.kind}}
		if got := (plan.Identity{}).Target(&u, &entry).Applied; got != going.applied {
			t.Errorf("applied to %s that is %s is %q, want %q", going.kind, going.phase, got, going.applied)
		}
	}
	if tried := (inventory.Entry{Attempted: true}); !(plan.Identity{}).Target(&u, &tried).Attempted || (plan.Identity{}).Recorded(unit.Target{}, &tried).Attempted || tried.Anew().Attempted {
		t.Error("an attempt before is mixed up with the one that begins")
	}
	for _, wanted := range []*unit.Unit{&u, nil} {
		got := plan.Identity{Marker: marker()}.Target(wanted, &e)
		if got.Fresh || got.UID != e.UID || got.Mark != marker().Mark(e.UID) || got.ID != "the id" || !got.Imported || got.Locator.Project != "p" {
			t.Errorf("known: %+v", got)
		}
	}
}
