package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// instance returns a unit with an image and a security group by reference, and secret user data.
func instance(address, image, group string) unit.Unit {
	desired := func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		id := func(a string) cty.Value {
			if v, ok := outputs[at(a)]; ok {
				return v.GetAttr("id")
			}
			return cty.UnknownVal(cty.String)
		}
		return cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal("web"), "image": id(image), "keypair": cty.NullVal(cty.String),
			"security_groups": cty.ListVal([]cty.Value{cty.StringVal("g0"), id(group)}),
			"user_data":       id(image).Mark(model.Sensitive),
		}), nil
	}
	u := of(address, "", image, group)
	unknown, _ := desired(nil)
	u.Spec = &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance"), Desired: unknown, Resolve: desired}
	return u
}

// hasInstance adds an instance that exists.
func hasInstance(in *plan.Input, u unit.Unit) {
	in.Units = append(in.Units, u)
	in.Entries = append(in.Entries, entryOf(u))
	s := seen("web")
	s.Outputs = cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal("v1"), "image": cty.StringVal("i1"),
		"security_groups": cty.ListVal([]cty.Value{cty.StringVal("g0"), cty.StringVal("g1")}),
		"user_data":       cty.StringVal("hush").Mark(model.Sensitive),
	})
	in.States[u.Address] = new(s)
	plain := in.Compare[unit.OpenStack]
	in.Compare[unit.OpenStack] = func(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
		if _, ok := t.Spec.(*unit.Resource); ok && s.Existence == unit.Present {
			return unit.Diff{Action: unit.ActionNone} // what is not known counts as no difference
		}
		return plain(t, desired, s)
	}
}

func fieldTexts(c *plan.Change) string {
	var all []string
	for _, f := range c.Fields {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s: %s -> %s %s", f.Path, f.Before, f.After, f.Effect)))
	}
	return strings.Join(all, "\n")
}

// TestWhatIsNotKnownYetIsShown: a plan says of what exists that it follows what is still to be made,
// with no value where there is none yet.
func TestWhatIsNotKnownYetIsShown(t *testing.T) {
	group, image := of("resource.group", "g"), of("resource.image", "i")
	another := of("resource.image", "!2") // is replaced
	first := another
	first.CreateFirst = true
	const follows = "image: i1 -> (known after apply) replace\nuser_data: (sensitive) -> (sensitive) replace"
	for _, test := range []struct {
		name   string
		image  unit.Unit
		group  unit.Existence
		change func(*unit.Unit)
		want   string // of the instance
		fields string
		base   string // of the image
	}{
		{"all is there", image, unit.Present, nil, "none", "", "none"},
		{"a new group", image, unit.Absent, nil, "update: once resource.group is there", `security_groups: ["g0","g1"] -> ["g0","(known after apply)"]`, "none"},
		{"what is lost is not agreed to", first, unit.Present, func(u *unit.Unit) { u.MayLose = false }, "blocked: what is on its disk", follows, "replace"},
		{"an image that is created first", first, unit.Present, nil, "replace: once resource.image is there", follows, "replace"},
		{"a change that is ignored", first, unit.Present, func(u *unit.Unit) {
			u.Spec.(*unit.Resource).Ignore = []string{"image", "user_data"}
		}, "none", "", "replace"},
		{"a change that is prevented", first, unit.Present, func(u *unit.Unit) { u.PreventDestroy = true }, "blocked: prevent_destroy", follows, "replace"},
		{"an image that it is replaced for", first, unit.Present, func(u *unit.Unit) {
			r := u.Spec.(*unit.Resource)
			r.Ignore = []string{"image", "user_data"}
			r.Triggers = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
				desired, _ := r.Resolve(outputs)
				return cty.TupleVal([]cty.Value{cty.StringVal("a"), desired.GetAttr("image")}), nil
			}
		}, "replace: once resource.image is there", "lifecycle.replace_triggered_by[1]: (as it was made) -> (known after apply) replace", "replace"},
		{
			"an image that would be deleted first, beside a new group", another, unit.Absent, nil,
			"update: once resource.group is there", `security_groups: ["g0","g1"] -> ["g0","(known after apply)"]`, "blocked: resource.web needs it",
		},
		{"an image that would be deleted first", another, unit.Present, nil, "none", "", "blocked: resource.web needs it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(group, test.image)
			has(in, group, test.image)
			wantGroup := "none"
			if test.group == unit.Absent {
				in.States[group.Address], wantGroup = &unit.State{Existence: unit.Absent}, "create"
			}
			in.States[test.image.Address] = new(seen("i"))
			web := instance("resource.web", "resource.image", "resource.group")
			web.MayLose = true
			if test.change != nil {
				test.change(&web)
			}
			hasInstance(in, web)
			in.Entries[len(in.Entries)-1].Triggers = []string{"of a", "of i1"}
			p := plan.Make(*in)
			expect(t, p, "resource.group "+wantGroup, "resource.image "+test.base, "resource.web "+test.want)
			if c := p.Change(web.Address); fieldTexts(c) != test.fields || c.Later != (test.fields != "") {
				t.Errorf("got\n%s\nwant\n%s", fieldTexts(c), test.fields)
			}
		})
	}
}

// TestWhatIsNotKnownYetIsShownOnce: of a list with something in it that is not known, and something that is another one in any case, the
// driver tells a change as well.
func TestWhatIsNotKnownYetIsShownOnce(t *testing.T) {
	group, image := of("resource.group", "g"), of("resource.image", "i")
	in := input(group, image)
	has(in, group, image)
	in.States[group.Address] = &unit.State{Existence: unit.Absent}
	in.States[image.Address] = new(seen("i"))
	web := instance("resource.web", "resource.image", "resource.group")
	hasInstance(in, web)
	plain := in.Compare[unit.OpenStack]
	in.Compare[unit.OpenStack] = func(target unit.Target, desired cty.Value, s unit.State) unit.Diff {
		if target.Address == web.Address {
			return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{
				{Path: "security_groups", Before: "[]", After: `["(known after apply)"]`}, {Path: "name", Before: "old", After: "web"},
			}}
		}
		return plain(target, desired, s)
	}
	c := plan.Make(*in).Change(web.Address)
	const want = `security_groups: ["g0","g1"] -> ["g0","(known after apply)"]` + "\nname: old -> web"
	if got := fieldTexts(c); got != want || c.Action != unit.ActionUpdate || !c.Later {
		t.Errorf("%s: got\n%s\nwant\n%s", c.Action, got, want)
	}
}

// TestCreateFirst: what uses it does not keep it, unless something below it is deleted before.
func TestCreateFirst(t *testing.T) {
	net, sub, port := of("resource.net", "!2"), of("resource.sub", "!2", "resource.net"), of("resource.port", "p", "resource.sub")
	for _, test := range []struct {
		name     string
		net, sub bool
		want     []string
		first    string
	}{
		{"neither", false, false, []string{"resource.net blocked: resource.sub needs it", "resource.port none", "resource.sub blocked: resource.port needs it"}, "none"},
		{"the upper one alone", false, true, []string{"resource.net blocked: resource.sub needs it", "resource.port none", "resource.sub blocked: resource.port needs it"}, "none"},
		{"both", true, true, []string{"resource.net replace", "resource.port none", "resource.sub replace"}, "resource.net resource.sub"},
	} {
		t.Run(test.name, func(t *testing.T) {
			net, sub := net, sub
			net.CreateFirst, sub.CreateFirst = test.net, test.sub
			in := input(net, sub, port)
			has(in, net, sub, port)
			in.States[net.Address], in.States[sub.Address] = new(seen("1")), new(seen("1"))
			p := plan.Make(*in)
			expect(t, p, test.want...)
			first := "none"
			for _, c := range p.Changes {
				if c.CreateFirst && c.Action == unit.ActionReplace {
					first = strings.TrimPrefix(first+" "+c.Address.String(), "none ")
				}
			}
			if first != test.first {
				t.Errorf("created first: %s", first)
			}
		})
	}
}

// TestWhatWasReplacedIsNotForgotten: until it is gone it is part of every plan.
func TestWhatWasReplacedIsNotForgotten(t *testing.T) {
	u := of("resource.a", "x")
	e := entryOf(u)
	e.Former = []inventory.Former{{UID: "before", ID: "id0", Locator: e.Locator}}
	in := input(u)
	in.Entries, in.States[u.Address] = []inventory.Entry{e}, new(seen("x"))
	p := plan.Make(*in)
	expect(t, p, "resource.a update: what it has replaced is deleted")
	if p.Empty() {
		t.Error("something is to be deleted")
	}
	in.Units, in.States[u.Address] = []unit.Unit{of("resource.other", "x")}, &unit.State{Existence: unit.Absent}
	in.States[at("resource.other")] = new(seen("x"))
	expect(t, plan.Make(*in), "resource.a delete", "resource.other none")

	u.CreateFirst = true
	u.Spec.(*spec).value = "!y"
	e.UID, e.Former = marker().UID(u.Address), nil
	for more := true; more; {
		e, more = e.Succeed(marker(), nil, "id")
	}
	in = input(u)
	in.Entries, in.States[u.Address] = []inventory.Entry{e}, new(seen("x"))
	expect(t, plan.Make(*in), "resource.a blocked: too many")
}

func TestTextOfCreateFirst(t *testing.T) {
	p := &plan.Plan{Changes: []plan.Change{{
		Address: at("resource.a"), Class: unit.ClassResource, Kind: "resource", Action: unit.ActionReplace, CreateFirst: true, Later: true,
		Fields: []unit.Field{{Path: "image", Before: "1", After: unit.TextUnknown, Effect: unit.Replace}},
	}}}
	var b bytes.Buffer
	if err := p.Text(&b); err != nil {
		t.Fatal(err)
	}
	want := "+/- resource.a will be created again, and the old one deleted then\n      image: 1 -> (known after apply)  (forces a replacement)\n\nPlan: 1 to replace.\n"
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	text, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(text), `"createFirst":true,"later":true`) {
		t.Errorf("got %s %v", text, err)
	}
}

func TestDigestsOfTriggers(t *testing.T) {
	u := instance("resource.web", "resource.image", "resource.group")
	if plan.Triggers(&u, nil, marker()) != nil || plan.Triggered(&u) {
		t.Error("there are none")
	}
	values := cty.TupleVal([]cty.Value{cty.StringVal("hush").Mark(model.Sensitive), cty.NumberIntVal(1)})
	u.Spec.(*unit.Resource).Triggers = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		if len(outputs) == 0 {
			return cty.TupleVal([]cty.Value{cty.UnknownVal(cty.String), cty.NumberIntVal(1)}), nil
		}
		return values, nil
	}
	unknown := func(addr.Object) cty.Value { return cty.NilVal }
	known := func(addr.Object) cty.Value { return cty.EmptyObjectVal }
	if got := plan.Triggers(&u, unknown, marker()); got != nil {
		t.Errorf("not all are known: %q", got)
	}
	first := plan.Triggers(&u, known, marker())
	values = cty.TupleVal([]cty.Value{cty.StringVal("hush").Mark(model.Sensitive), cty.StringVal("1")})
	second := plan.Triggers(&u, known, marker())
	if len(first) != 2 || len(second) != 2 || first[0] != second[0] || first[1] == second[1] || strings.Contains(first[0], "hush") {
		t.Errorf("got %q and %q", first, second)
	}
}

// What could not be made again is not deleted, whoever asks for another one.
func TestTriggerOfWhatCannotBeMade(t *testing.T) {
	u, state := of("resource.a", "x"), seen("x")
	e := entryOf(u)
	e.Triggers = []string{"a"}
	target := plan.Identity{Marker: marker()}.Target(&u, &e)
	target.Triggers = []string{"b"}
	c := plan.Decide(&u, &e, target, cty.NilVal, state, func(unit.Target, cty.Value, unit.State) unit.Diff {
		return unit.Diff{Action: unit.ActionNone, Unmakeable: "its source is not allowed"}
	})
	if c.Action != unit.ActionBlocked || c.Wanted != unit.ActionReplace || c.Reason != "its source is not allowed" {
		t.Errorf("got %+v", c)
	}
}

func TestDecideByTriggers(t *testing.T) {
	for _, test := range []struct {
		name     string
		recorded []string
		now      []string
		change   func(*unit.Unit, *unit.State)
		action   unit.Action
		fields   string
	}{
		{"the same", []string{"a", "b"}, []string{"a", "b"}, nil, unit.ActionNone, ""},
		{"one is another", []string{"a", "b"}, []string{"a", "c"}, nil, unit.ActionReplace, "lifecycle.replace_triggered_by[1]: (as it was made) -> (another value) replace"},
		{"nothing on record", nil, []string{"a"}, nil, unit.ActionNone, ""},
		{"not known", []string{"a"}, nil, nil, unit.ActionNone, ""},
		{"another list", []string{"a"}, []string{"b", "a"}, nil, unit.ActionNone, ""},
		{"it is only reported what others did", []string{"a"}, []string{"b"}, func(u *unit.Unit, _ *unit.State) { u.Drift = unit.DriftReport }, unit.ActionReplace, "lifecycle.replace_triggered_by[0]: (as it was made) -> (another value) replace"},
		{"prevented", []string{"a"}, []string{"b"}, func(u *unit.Unit, _ *unit.State) { u.PreventDestroy = true }, unit.ActionBlocked, "lifecycle.replace_triggered_by[0]: (as it was made) -> (another value) replace"},
		{"it is gone", []string{"a"}, []string{"b"}, func(_ *unit.Unit, s *unit.State) { s.Existence = unit.Absent }, unit.ActionCreate, "text:  -> x"},
		{"it changes by itself", []string{"a"}, []string{"b"}, func(_ *unit.Unit, s *unit.State) { s.Health = unit.HealthProgressing }, unit.ActionNone, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, state := of("resource.a", "x"), seen("x")
			if test.change != nil {
				test.change(&u, &state)
			}
			e := entryOf(u)
			e.Triggers = test.recorded
			target := plan.Identity{Marker: marker()}.Target(&u, &e)
			target.Triggers = test.now
			c := plan.Decide(&u, &e, target, cty.NilVal, state, compare)
			if c.Action != test.action || fieldTexts(&c) != test.fields || c.Drift && test.action == unit.ActionReplace {
				t.Errorf("got %s, drift %t\n%s", c.Action, c.Drift, fieldTexts(&c))
			}
		})
	}
}
