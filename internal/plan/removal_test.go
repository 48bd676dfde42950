package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestDeparted(t *testing.T) {
	protected := func(e *inventory.Entry) { e.PreventDestroy = true }
	for _, test := range []struct {
		name     string
		address  string
		entry    func(*inventory.Entry)
		state    unit.State
		removals plan.Removals
		disabled bool
		cleanUp  []string
		want     unit.Action
		reason   string
		cost     string
	}{
		{name: "nothing is said", address: "resource.a", state: seen("a"), want: unit.ActionDelete, reason: "it is no longer in the configuration"},
		{name: "deleted", address: "resource.a", state: seen("a"), removals: plan.Removals{{From: at("resource.a"), Destroy: true}}, want: unit.ActionDelete, reason: "its removed block says so"},
		{name: "deleted, but protected", address: "resource.a", entry: protected, state: seen("a"), removals: plan.Removals{{From: at("resource.a"), Destroy: true}}, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "forgotten, though protected", address: "resource.a", entry: protected, state: seen("a"), removals: plan.Removals{{From: at("resource.a")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more"},
		{name: "forgotten with what it has replaced", address: "resource.a", entry: func(e *inventory.Entry) {
			e.Former = []inventory.Former{{UID: "u", ID: "id1"}, {UID: "v", ID: "id2"}}
		}, state: seen("a"), removals: plan.Removals{{From: at("resource.a")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more; what it has replaced was still to be deleted, and stays as well: id1, id2"},
		{name: "forgotten unseen", address: "resource.a", removals: plan.Removals{{From: at("resource.a")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more"},
		{name: "all keys", address: `resource.a["x"]`, state: seen("a"), removals: plan.Removals{{From: at("resource.a")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more"},
		{name: "one key otherwise", address: `resource.a["x"]`, state: seen("a"), removals: plan.Removals{{From: at("resource.a")}, {From: at(`resource.a["x"]`), Destroy: true}}, want: unit.ActionDelete, reason: "its removed block says so"},
		{name: "one key otherwise, said first", address: `resource.a["x"]`, state: seen("a"), removals: plan.Removals{{From: at(`resource.a["x"]`), Destroy: true}, {From: at("resource.a")}}, want: unit.ActionDelete, reason: "its removed block says so"},
		{name: "a module", address: `module.m["k"].resource.a`, state: seen("a"), removals: plan.Removals{{From: anyAddress(t, "module.m")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more"},
		{name: "another one", address: "resource.b", state: seen("a"), removals: plan.Removals{{From: at("resource.a")}}, want: unit.ActionDelete, reason: "it is no longer in the configuration"},
		{name: "a service", address: "service.a", state: seen("a"), removals: plan.Removals{{From: at("service.a"), Destroy: true}}, want: unit.ActionDelete, reason: "its removed block says so"},
		{name: "the cloud", address: "service.a", state: seen("a"), removals: plan.Removals{{From: addr.Module{}, Destroy: true}}, want: unit.ActionDelete, reason: "the cloud is removed"},
		{name: "the cloud, with something protected", address: "resource.a", entry: protected, state: seen("a"), removals: plan.Removals{{From: addr.Module{}, Destroy: true}}, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{name: "the cloud, but for one thing", address: "resource.a", state: seen("a"), removals: plan.Removals{{From: addr.Module{}, Destroy: true}, {From: at("resource.a")}}, want: unit.ActionForget, reason: "destroy = false in its removed block: it stays, and is not managed any more"},
		{name: "a disabled service", address: "service.a", state: seen("a"), disabled: true, want: unit.ActionDelete, reason: "enabled = false"},
		{
			name: "a disabled service and what it leaves in others", address: "service.a", state: seen("a"), disabled: true, cleanUp: []string{"database", "users", "pools", "catalogue", "messaging"},
			want: unit.ActionDelete, reason: "enabled = false",
			cost: "deleted with it: its entries in the catalogue, its users in Keystone unless another region has the service, its user and virtual host in RabbitMQ, its databases with all that is in them, its pools in Ceph with all that is in them",
		},
		{name: "a disabled service that is protected", address: "service.a", entry: protected, state: seen("a"), disabled: true, cleanUp: []string{"database"}, want: unit.ActionBlocked, reason: "prevent_destroy forbids that; take it out before the block"},
		{
			name: "a disabled service that goes already", address: "service.a", state: unit.State{Existence: unit.Present, TooLate: true}, disabled: true, cleanUp: []string{"database", "users"}, want: unit.ActionBlocked,
			reason: "database, users of clean_up cannot go with it any more: that was not asked for before its release went; take database, users out of clean_up in service \"a\", and away by hand what is there; or enable the service again, and disable it once it is ready, with clean_up in the same commit",
		},
		{
			name: "a disabled service with what cannot go", address: "service.a", state: unit.State{Existence: unit.Present, Stuck: map[string]unit.Stuck{"pools": {Why: "the pool is used by b"}, "users": {Why: "no Job"}}},
			disabled: true, cleanUp: []string{"database", "pools"}, want: unit.ActionBlocked, reason: "the pool is used by b", cost: "deleted with it: its databases with all that is in them, its pools in Ceph with all that is in them",
		},
		{name: "one with what could not go before", address: "service.a", state: unit.State{Existence: unit.Present, Stuck: map[string]unit.Stuck{"pools": {Why: "the pool is used by b"}}}, disabled: true, want: unit.ActionDelete, reason: "enabled = false"},
		{name: "one that goes after what it had", address: "service.a", state: unit.State{Existence: unit.Present, TooLate: true, CleanedUp: []string{"database"}}, disabled: true, cleanUp: []string{"database"}, want: unit.ActionDelete, reason: "enabled = false"},
		{
			name: "a disabled service that is gone without", address: "service.a", state: unit.State{Existence: unit.Absent}, disabled: true, cleanUp: []string{"database"}, want: unit.ActionBlocked,
			reason: "database of clean_up cannot go with it any more: that was not asked for before its release went; take database out of clean_up in service \"a\", and away by hand what is there; or enable the service again, and disable it once it is ready, with clean_up in the same commit",
		},
		{name: "a disabled service that is gone with it", address: "service.a", entry: func(e *inventory.Entry) { e.CleanedUp = []string{"database"} }, state: unit.State{Existence: unit.Absent}, disabled: true, cleanUp: []string{"database"}, want: unit.ActionForget, reason: "it is gone already"},
		{name: "a disabled service that is gone", address: "service.a", state: unit.State{Existence: unit.Absent}, disabled: true, want: unit.ActionForget, reason: "it is gone already"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := entryOf(of(test.address, "a"))
			if test.entry != nil {
				test.entry(&e)
			}
			if c := plan.Departed(&e, test.state, test.removals, test.disabled, test.cleanUp); c.Action != test.want || c.Reason != test.reason || c.Cost != test.cost || c.Address != e.Address || c.Class != e.Class {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestAConfigurationThatNamesAllThatGoesIsNotEmpty(t *testing.T) {
	in := input()
	has(in, of("resource.a", "a"))
	in.Removals = plan.Removals{{From: at("resource.a"), Destroy: true}}
	p := plan.Make(*in)
	expect(t, p, "resource.a delete")
	if len(p.Refused) > 0 {
		t.Errorf("it is refused: %v", p.Refused)
	}
}

// TestACloudIsTakenAwayAtOnce has no brake on what goes with the cloud that is named.
func TestACloudIsTakenAwayAtOnce(t *testing.T) {
	in := input()
	var want []string
	for i := range 3 * plan.DefaultMaxDeletes {
		u := of(fmt.Sprintf("resource.a%02d", i), "a")
		has(in, u)
		want = append(want, u.Address.String()+" delete")
	}
	in.Removals, in.MaxDeletes = plan.Removals{{From: addr.Module{}, Destroy: true}}, plan.AtMost(1)
	p := plan.Make(*in)
	expect(t, p, want...)
	if len(p.Refused) > 0 {
		t.Errorf("it is refused: %v", p.Refused)
	}
}

func TestImports(t *testing.T) {
	who := plan.Identity{Marker: marker(), Imports: plan.ImportsOf([]model.Import{{To: at("resource.a"), ID: "theirs"}})}
	u := of("resource.a", "a")
	for _, test := range []struct {
		name  string
		entry *inventory.Entry
		want  string
	}{
		{"new", nil, "theirs"},
		{"an attempt to create it left nothing", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent}, "theirs"},
		{"done", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Owned, ID: "theirs", Imported: true}, ""},
		{"cut off before the mark was written", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent, ID: "theirs", Imported: true}, ""},
		{"to be replaced", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent, ImportedID: "theirs"}, ""},
		{"imported before, under another id", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent, ImportedID: "another"}, "theirs"},
		{"what it has replaced", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent, Former: []inventory.Former{{UID: "v", ID: "theirs"}}}, ""},
		{"another object", &inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Owned, ID: "ours"}, ""},
	} {
		if target := who.Target(&u, test.entry); target.Import != test.want {
			t.Errorf("%s: it imports %q", test.name, target.Import)
		}
	}
	b := of("resource.b", "b")
	if target := who.Target(&b, nil); target.Import != "" {
		t.Errorf("another unit imports %q", target.Import)
	}
}

func TestMakeImports(t *testing.T) {
	adopting := func(t unit.Target, _ cty.Value, s unit.State) unit.Diff {
		return unit.Diff{Action: unit.ActionAdopt, Reason: t.Import}
	}
	in := input(of("resource.a", "a"), of("resource.b", "b"), of("resource.c", "c", "service.api"), of("resource.d", "d", "resource.c"), of("service.api", "s"))
	in.Imports = plan.ImportsOf([]model.Import{{To: at("resource.a"), ID: "one"}, {To: at("resource.c"), ID: "three"}})
	in.Compare[unit.OpenStack] = adopting
	in.States[at("resource.a")], in.States[at("resource.b")] = new(seen("a")), new(seen("b"))
	in.States[at("service.api")] = &unit.State{Existence: unit.Absent}
	expect(t, plan.Make(*in), "resource.a import: one", "resource.b adopt", "resource.c import: once service.api is there",
		"resource.d create: once resource.c is there", "service.api create")

	owner := entryOf(of("resource.owner", "o"))
	owner.ID = "one"
	in = input(of("resource.a", "a"), of("resource.owner", "o"))
	in.Entries = append(in.Entries, owner)
	in.Imports = plan.ImportsOf([]model.Import{{To: at("resource.a"), ID: "one"}})
	in.Compare[unit.OpenStack] = adopting
	in.States[at("resource.a")], in.States[owner.Address] = new(seen("a")), new(seen("o"))
	if c := plan.Make(*in).Change(at("resource.a")); c.Action != unit.ActionBlocked || c.Wanted != unit.ActionImport {
		t.Errorf("what is somebody's is imported: %+v", c)
	}
}

// TestImportsByFilter searches only for what nothing is on record of yet: what has an id, or had one, is not another
// object because a filter finds that.
func TestImportsByFilter(t *testing.T) {
	filter := cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("theirs")})
	who := plan.Identity{Marker: marker(), Imports: plan.ImportsOf([]model.Import{{To: at("resource.a"), Filter: filter}})}
	u := of("resource.a", "a")
	entry := inventory.Entry{UID: "u", Address: u.Address, Phase: inventory.Intent}
	owned, former := entry, entry
	owned.ID, former.Former = "ours", []inventory.Former{{UID: "v", ID: "old"}}
	again := who.Anew(owned)
	for _, test := range []struct {
		name  string
		entry *inventory.Entry
		want  bool
	}{
		{"new", nil, true},
		{"an attempt to create it left nothing", &entry, true},
		{"done", &owned, false},
		{"deleted by somebody since", &again, false},
		{"takes the place of another one", &former, false},
	} {
		if target := who.Target(&u, test.entry); target.Imports() != test.want || test.want && !target.ImportBy.RawEquals(filter) {
			t.Errorf("%s: it imports %#v", test.name, target.ImportBy)
		}
	}
	taken := who.Take(entry, unit.State{Existence: unit.Present, ID: "theirs"})
	if taken.ID != "theirs" || !taken.Imported {
		t.Errorf("what is taken is %+v", taken)
	}
	if none := who.Take(entry, unit.State{Existence: unit.Present}); none.ID != "" || none.Imported {
		t.Errorf("of several one is taken: %+v", none)
	}
}

// TestFiltersThatFindTheSame has none of them import it, nor what is on record as something else.
func TestFiltersThatFindTheSame(t *testing.T) {
	filter := cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("theirs")})
	in := input(of("resource.a", "a"), of("resource.b", "b"), of("resource.c", "c"), of("resource.owner", "o"))
	owner := entryOf(of("resource.owner", "o"))
	owner.ID = "owned"
	in.Entries = append(in.Entries, owner)
	in.Compare[unit.OpenStack] = func(t unit.Target, _ cty.Value, _ unit.State) unit.Diff {
		if t.Imports() {
			return unit.Diff{Action: unit.ActionAdopt}
		}
		return unit.Diff{Action: unit.ActionNone}
	}
	for address, id := range map[string]string{"resource.a": "one", "resource.b": "one", "resource.c": "owned", "resource.owner": "owned"} {
		state := seen(id)
		state.ID = id
		in.States[at(address)] = new(state)
	}
	var imports []model.Import
	for _, address := range []string{"resource.a", "resource.b", "resource.c"} {
		imports = append(imports, model.Import{To: at(address), Filter: filter})
	}
	in.Imports = plan.ImportsOf(imports)
	p := plan.Make(*in)
	for address, says := range map[string]string{"resource.a": "as resource.b as well", "resource.b": "as resource.a as well", "resource.c": "is resource.owner already"} {
		if c := p.Change(at(address)); c.Action != unit.ActionBlocked || c.Wanted != unit.ActionImport || !strings.Contains(c.Reason, says) {
			t.Errorf("%s: %+v", address, c)
		}
	}
}

// TestWhatIsSharedGoesWithTheLast: what two services have is in the way of one that goes alone, and not where the other one goes in the
// same plan; what each would take from the other stays.
func TestWhatIsSharedGoesWithTheLast(t *testing.T) {
	release := func(name string) unit.Locator {
		return unit.Locator{Driver: unit.Helm, Kind: unit.KindRelease, Namespace: "o", Name: name}
	}
	for name, test := range map[string]struct {
		removed string
		by      map[string][]string // the releases, by the services whose pools they have
		want    map[string]unit.Action
	}{
		"alone":                   {"a", map[string][]string{"a": {"b"}}, map[string]unit.Action{"a": unit.ActionBlocked}},
		"with the other":          {"ab", map[string][]string{"a": {"b"}}, map[string]unit.Action{"a": unit.ActionDelete, "b": unit.ActionDelete}},
		"with one of two":         {"ab", map[string][]string{"a": {"b", "c"}}, map[string]unit.Action{"a": unit.ActionBlocked, "b": unit.ActionDelete}},
		"with both":               {"abc", map[string][]string{"a": {"b", "c"}}, map[string]unit.Action{"a": unit.ActionDelete, "b": unit.ActionDelete, "c": unit.ActionDelete}},
		"in a row":                {"abc", map[string][]string{"a": {"b"}, "b": {"c"}}, map[string]unit.Action{"a": unit.ActionDelete, "b": unit.ActionDelete, "c": unit.ActionDelete}},
		"each from the other":     {"ab", map[string][]string{"a": {"b"}, "b": {"a"}}, map[string]unit.Action{"a": unit.ActionBlocked, "b": unit.ActionBlocked}},
		"of a release of nobody":  {"a", map[string][]string{"a": {"x"}}, map[string]unit.Action{"a": unit.ActionBlocked}},
		"that it cannot at all":   {"ab", map[string][]string{"a": nil}, map[string]unit.Action{"a": unit.ActionBlocked, "b": unit.ActionDelete}},
		"a service that it is by": {"ab", map[string][]string{"b": {"a"}}, map[string]unit.Action{"a": unit.ActionDelete, "b": unit.ActionDelete}},
	} {
		in := input()
		in.CleanUps = map[addr.Object][]string{}
		for _, service := range []string{"a", "b", "c"} {
			e, state := entryOf(of("service."+service, service)), seen(service)
			e.Locator = release(service)
			if others, held := test.by[service]; held {
				stuck := unit.Stuck{Why: "no"}
				for _, other := range others {
					stuck.By = append(stuck.By, release(other))
				}
				state.Stuck = map[string]unit.Stuck{"pools": stuck}
				in.CleanUps[e.Address] = []string{"pools"}
			}
			in.Entries, in.States[e.Address] = append(in.Entries, e), &state
			in.Removed[e.Address] = strings.Contains(test.removed, service)
		}
		p := plan.Make(*in)
		for service, want := range test.want {
			c := p.Change(at("service." + service))
			if c.Action != want || want == unit.ActionDelete && (c.Reason != "enabled = false" || c.Wanted != "") {
				t.Errorf("%s: %s is %s (%s), %q", name, service, c.Action, c.Wanted, c.Reason)
			}
		}
	}
}

// TestKeysAreACost has a plan tell that what keys encrypt is lost with them, and what is on volumes.
func TestKeysAreACost(t *testing.T) {
	claim := func(kind string) unit.Claim {
		return unit.Claim{Ref: unit.ObjectRef{Kind: kind, Namespace: "o", Name: "n"}, UID: kind}
	}
	for _, test := range []struct {
		claims []unit.Claim
		want   string
	}{
		{[]unit.Claim{claim("Secret"), claim("Secret")}, "deleted with it: its keys, without which nobody can read what is encrypted with them"},
		{[]unit.Claim{claim("PersistentVolumeClaim"), claim("Secret")}, "deleted with it: its claims to volumes, with all that is on them; deleted with it: its keys, without which nobody can read what is encrypted with them"},
	} {
		e, state := entryOf(of("service.a", "a")), seen("a")
		state.Data = &unit.Data{Claims: test.claims}
		c := plan.Departed(&e, state, plan.Removals{{From: addr.Module{}, Destroy: true, DeleteData: []string{"a"}}}, false, nil)
		if c.Action != unit.ActionDelete || c.Cost != test.want || len(c.Fields) != len(test.claims) {
			t.Errorf("got %+v", c)
		}
	}
}

// TestDataGoesWithItsService has the claims on record count once there are some, and those that are seen before.
func TestDataGoesWithItsService(t *testing.T) {
	data := func(names ...string) *unit.Data {
		d := &unit.Data{}
		for _, name := range names {
			d.Claims = append(d.Claims, unit.Claim{Ref: unit.ObjectRef{Kind: "PersistentVolumeClaim", Namespace: "o", Name: name}, UID: name, Size: "5Gi"})
		}
		return d
	}
	there := func(d *unit.Data) unit.State {
		s := seen("a")
		s.Data = d
		return s
	}
	cloud := plan.Removals{{From: addr.Module{}, Destroy: true, DeleteData: []string{"a", "b"}}}
	for _, test := range []struct {
		name     string
		address  string
		recorded *unit.Data
		state    unit.State
		removals plan.Removals
		want     unit.Action
		data     *unit.Data
		cost     bool
	}{
		{"before", "service.a", nil, there(data("x", "y")), cloud, unit.ActionDelete, data("x", "y"), true},
		{"once it has begun", "service.a", data("x"), there(data("x", "y")), cloud, unit.ActionDelete, data("x"), true},
		{"without any", "service.a", nil, there(data()), cloud, unit.ActionDelete, data(), false},
		{"nobody looked", "service.a", nil, seen("a"), cloud, unit.ActionBlocked, nil, false},
		{"unseen", "service.a", data("x"), unit.State{}, cloud, unit.ActionBlocked, nil, false},
		{"uninstalled by somebody else", "service.a", nil, unit.State{Existence: unit.Absent, Data: data("x")}, cloud, unit.ActionDelete, data("x"), true},
		{"all of it gone", "service.a", data("x"), unit.State{Existence: unit.Absent, Data: data()}, cloud, unit.ActionForget, nil, false},
		{"another service", "service.c", nil, there(data("x")), cloud, unit.ActionDelete, nil, false},
		{"what is no service", "resource.a", nil, there(data("x")), cloud, unit.ActionDelete, nil, false},
		{"named no more", "service.a", data("x"), there(data("x")), plan.Removals{{From: addr.Module{}, Destroy: true}}, unit.ActionDelete, nil, false},
		{"a service that stays", "service.a", nil, there(data("x")), append(plan.Removals{{From: at("service.a")}}, cloud...), unit.ActionForget, nil, false},
		{"a service that goes by its own block", "service.a", nil, there(data("x")), append(plan.Removals{{From: at("service.a"), Destroy: true}}, cloud...), unit.ActionDelete, data("x"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := entryOf(of(test.address, "a"))
			e.Data = test.recorded
			c := plan.Departed(&e, test.state, test.removals, false, nil)
			if c.Action != test.want || !c.Data.Equal(test.data) || (c.Cost != "") != test.cost {
				t.Errorf("got %+v with %+v", c, c.Data)
			}
			if strings.Contains(c.Cost, "its keys") {
				t.Errorf("without keys it costs %q", c.Cost)
			}
			if test.data != nil && len(c.Fields) != len(test.data.Claims) || test.data == nil && len(c.Fields) > 0 {
				t.Errorf("it shows %+v", c.Fields)
			}
		})
	}
}

// TestWhatWasUninstalledBefore has what was left of services looked for, where its removal is asked for.
func TestWhatWasUninstalledBefore(t *testing.T) {
	gone := map[addr.Object][]string{at("service.a"): {}, at("service.b"): {"database"}, at("service.c"): {}}
	cloud := plan.Removals{{From: addr.Module{}, Destroy: true, DeleteData: []string{"a", "b", "never"}}}
	there := &inventory.Deployment{Cloud: "demo", Namespace: "o"}
	for _, test := range []struct {
		name     string
		removals plan.Removals
		deployed *inventory.Deployment
		want     []string
	}{
		{"named", cloud, there, []string{"o/a", "o/b"}},
		{"one that stays", append(plan.Removals{{From: at("service.b")}}, cloud...), there, []string{"o/a"}},
		{"nothing is named", plan.Removals{{From: addr.Module{}, Destroy: true}}, there, nil},
		{"the cloud stays", nil, there, nil},
		{"nobody knows where it was", cloud, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			who := plan.Identity{Marker: marker(), Removals: test.removals}
			var got []string
			for _, e := range who.Remnants(gone, test.deployed) {
				got = append(got, e.Locator.Namespace+"/"+e.Locator.Name)
				if e.Phase != inventory.Deleting || e.Locator.Kind != unit.KindRelease || e.Locator.Driver != unit.Helm || e.UID == "" {
					t.Errorf("got %+v", e)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
