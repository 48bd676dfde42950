package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// nowhere is a store that forgets.
type nowhere struct{}

func (nowhere) Load(context.Context) (map[string]inventory.Shard, error) { return nil, nil }

func (nowhere) Put(context.Context, string, []byte, string) (string, error) { return "1", nil }

// TestNamesAreOnRecordBeforeTheyAreSet: a process that is killed before it can say that a step is done has
// on record what it may have set, and still what it may not have taken away.
func TestNamesAreOnRecordBeforeTheyAreSet(t *testing.T) {
	records, err := inventory.Open(t.Context(), nowhere{})
	if err != nil {
		t.Fatal(err)
	}
	tagged := func(tags ...string) cty.Value {
		var all []cty.Value
		for _, tag := range tags {
			all = append(all, cty.StringVal(tag))
		}
		return cty.ObjectVal(map[string]cty.Value{"tags": cty.SetVal(all)})
	}
	e := &Engine{}
	e.Inventory = records
	u := &unit.Unit{Address: addr.MustParseObject("network.web"), Spec: &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: tagged("c")}}
	first := inventory.Entry{Address: u.Address, UID: "u", Phase: inventory.Owned, ID: "n1", Applied: "x", Set: map[string][]string{"tags": {"a"}}}
	if err := records.Put(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	who := plan.Identity{Marker: inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))}
	there := unit.State{Existence: unit.Present, Owned: true, ID: "n1"}
	if err := e.intend(t.Context(), inventory.Deployment{}, who, u, there, unit.Target{}, tagged("c"), false); err != nil {
		t.Fatal(err)
	}
	entry, _ := records.Entry(u.Address)
	if want := (map[string][]string{"tags": {"a", "c"}}); !reflect.DeepEqual(entry.Set, want) || !reflect.DeepEqual(who.Recorded(unit.Target{}, &entry).Set, want) {
		t.Errorf("begun: %v, want %v", entry.Set, want)
	}
	if got := done(entry, u, tagged("c"), unit.Target{}).Set; !reflect.DeepEqual(got, map[string][]string{"tags": {"c"}}) {
		t.Errorf("done: %v", got)
	}
	if err := e.intend(t.Context(), inventory.Deployment{}, who, u, unit.State{Existence: unit.Absent}, unit.Target{}, tagged("d"), false); err != nil {
		t.Fatal(err)
	}
	if entry, _ = records.Entry(u.Address); !reflect.DeepEqual(entry.Set, map[string][]string{"tags": {"d"}}) {
		t.Errorf("made anew: %v", entry.Set)
	}
}

// TestWhatIsNotToldStaysOnRecord: user data that is taken out, or is not known for a while as what it is made from is made again, is
// in the object as before. Written again it is no other.
func TestWhatIsNotToldStaysOnRecord(t *testing.T) {
	marker := inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))
	wanted := func(data cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web"), "user_data": data})
	}
	text := func(s string) cty.Value { return cty.StringVal(s).Mark(model.Sensitive) }
	u := &unit.Unit{Address: addr.MustParseObject("instance.web"), MayLose: true, Spec: &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance")}}
	there := unit.State{
		Existence: unit.Present, Owned: true, Installed: true, Health: unit.HealthReady, ID: "i1",
		Outputs: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web"), "user_data": cty.NullVal(cty.String)}),
	}
	nothing := func(unit.Target, cty.Value, unit.State) unit.Diff { return unit.Diff{Action: unit.ActionNone} }
	recorded := func(entry inventory.Entry, data cty.Value) inventory.Entry {
		desired := wanted(data)
		return done(found(entry, there), u, desired, unit.Target{Sensitive: plan.Sensitive(desired, marker)})
	}
	first := inventory.Entry{Address: u.Address, UID: "u", Phase: inventory.Owned, ID: "i1"}
	for name, c := range map[string]struct {
		before, between, after cty.Value
		want                   unit.Action
	}{
		"taken out and back":               {text("x"), cty.NullVal(cty.String), text("x"), unit.ActionNone},
		"taken out, then another":          {text("x"), cty.NullVal(cty.String), text("y"), unit.ActionReplace},
		"never there":                      {cty.NullVal(cty.String), cty.NullVal(cty.String), text("x"), unit.ActionReplace},
		"not known for a while":            {text("x"), cty.UnknownVal(cty.String).Mark(model.Sensitive), text("x"), unit.ActionNone},
		"not known for a while, then more": {text("x"), cty.UnknownVal(cty.String), text("y"), unit.ActionReplace},
	} {
		entry := recorded(recorded(first, c.before), c.between)
		desired := wanted(c.after)
		target := unit.Target{Sensitive: plan.Sensitive(desired, marker)}
		if got := plan.Decide(u, &entry, target, desired, there, nothing); got.Action != c.want {
			t.Errorf("%s: %s, %s", name, got.Action, got.Reason)
		}
		if twice := recorded(entry, c.between); !reflect.DeepEqual(twice, entry) {
			t.Errorf("%s: the record does not come to rest: %+v, %+v", name, entry, twice)
		}
	}
}

// TestOnlyCreationsAreAttempts: a search leaves nothing that could come later.
func TestOnlyCreationsAreAttempts(t *testing.T) {
	for _, lookup := range []bool{false, true} {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		e := &Engine{}
		e.Inventory = records
		u := &unit.Unit{Address: addr.MustParseObject("network.web"), Spec: &unit.Resource{Kind: "network", Lookup: lookup}}
		who := plan.Identity{Marker: inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))}
		if err := e.intend(t.Context(), inventory.Deployment{}, who, u, unit.State{Existence: unit.Absent}, unit.Target{}, cty.EmptyObjectVal, false); err != nil {
			t.Fatal(err)
		}
		if entry, _ := records.Entry(u.Address); entry.Attempted == lookup {
			t.Errorf("a lookup: %t, an attempt: %t", lookup, entry.Attempted)
		}
	}
}

// TestProjectIsOnRecordBeforeTheObject: where a creation was refused, or its answer was lost, it says where to look once
// the block is gone.
func TestProjectIsOnRecordBeforeTheObject(t *testing.T) {
	in := func(project cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"project": project}) }
	absent := func(project string) unit.State { return unit.State{Existence: unit.Absent, Project: project} }
	for _, test := range []struct {
		name    string
		desired cty.Value
		state   unit.State
		want    string
	}{
		{"the one that is written", in(cty.StringVal("p2")), absent("own"), "p2"},
		{"our user's own", in(cty.NullVal(cty.String)), absent("own"), "own"},
		{"no project is written", cty.EmptyObjectVal, absent("own"), "own"},
		{"a secret", in(cty.StringVal("p2").Mark("sensitive")), absent("own"), ""},
		{"a kind in no project, or a driver that does not know it", in(cty.StringVal("p2")), absent(""), ""},
		{"nothing desired", cty.NilVal, absent("own"), "own"},
		{"what is there", in(cty.StringVal("p2")), unit.State{Existence: unit.Present, Owned: true, ID: "i1", Project: "p2"}, "p1"},
	} {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		e := &Engine{}
		e.Inventory = records
		u := &unit.Unit{Address: addr.MustParseObject("network.web"), Spec: &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: cty.EmptyObjectVal}}
		before := inventory.Entry{Address: u.Address, UID: "u", Phase: inventory.Owned, ID: "i1", Locator: unit.Locator{Project: "p1"}}
		if err := records.Put(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		who := plan.Identity{Marker: inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))}
		if err := e.intend(t.Context(), inventory.Deployment{}, who, u, test.state, unit.Target{}, test.desired, false); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if entry, _ := records.Entry(u.Address); entry.Locator.Project != test.want {
			t.Errorf("%s: on record is %q, want %q", test.name, entry.Locator.Project, test.want)
		}
	}
}

// TestUserIsOnRecordBeforeTheObject, and stays there for as long as nothing else is seen: to nobody else is the object shown.
func TestUserIsOnRecordBeforeTheObject(t *testing.T) {
	absent := func(user string) unit.State { return unit.State{Existence: unit.Absent, User: user} }
	there := func(user string) unit.State {
		return unit.State{Existence: unit.Present, Owned: true, ID: "web", User: user}
	}
	for _, test := range []struct {
		name               string
		before             string // on record
		state              unit.State
		want, found, ready string
	}{
		{"it is created", "", absent("u1"), "u1", "u1", "u1"},
		{"it is created for another one", "u1", absent("u2"), "u2", "u2", "u2"},
		{"a kind that is nobody's", "", absent(""), "", "", ""},
		{"an older program made the record", "", there("u1"), "", "u1", "u1"},
		{"it is there", "u1", there("u1"), "u1", "u1", "u1"},
		{"nothing of that is known of it", "u1", there(""), "u1", "u1", "u1"},
	} {
		records, err := inventory.Open(t.Context(), nowhere{})
		if err != nil {
			t.Fatal(err)
		}
		e := &Engine{}
		e.Inventory = records
		u := &unit.Unit{Address: addr.MustParseObject("keypair.web"), Spec: &unit.Resource{Kind: "keypair", Block: schema.New().Resource("keypair"), Desired: cty.EmptyObjectVal}}
		before := inventory.Entry{Address: u.Address, UID: "u", Phase: inventory.Owned, ID: "web", Locator: unit.Locator{User: test.before}}
		if err := records.Put(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		who := plan.Identity{Marker: inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))}
		if err := e.intend(t.Context(), inventory.Deployment{}, who, u, test.state, unit.Target{}, cty.EmptyObjectVal, false); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		entry, _ := records.Entry(u.Address)
		seen := found(entry, test.state)
		ready := done(seen, u, cty.EmptyObjectVal, unit.Target{})
		if entry.Locator.User != test.want || seen.Locator.User != test.found || ready.Locator.User != test.ready {
			t.Errorf("%s: on record is %q, then %q, then %q", test.name, entry.Locator.User, seen.Locator.User, ready.Locator.User)
		}
	}
}
