package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const testMark = "kupenstack:0123456789abcdef"

func testDriver(t *testing.T) *Driver {
	t.Helper()
	d := New(Options{Language: schema.New()})
	t.Cleanup(d.Close)
	return d
}

// wantValue makes a desired value from the attributes that are written.
func wantValue(kind string, written map[string]cty.Value) cty.Value {
	block := schema.New().Resource(kind)
	all := map[string]cty.Value{}
	for name, inner := range block.DesiredType().AttributeTypes() {
		v, ok := written[name]
		switch {
		case ok:
			all[name] = v
		case block.Nested(name) != nil:
			all[name] = cty.ListValEmpty(inner.ElementType())
		default:
			all[name] = cty.NullVal(inner)
		}
	}
	return cty.ObjectVal(all)
}

func testTarget(t *testing.T, kind string, want cty.Value) unit.Target {
	t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Managed, kind, "web", addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return unit.Target{Address: address, Mark: testMark, Spec: &unit.Resource{Kind: kind, Block: schema.New().Resource(kind), Desired: want}}
}

func texts3(elements ...string) cty.Value { return texts(elements, cty.List(cty.String)) }

func TestCompareOwned(t *testing.T) {
	d := testDriver(t)
	network := map[string]any{"id": "n1", "name": "web", "description": "Front [" + testMark + "]", "mtu": "1500", "tags": []any{"a", "theirs"}, "project_id": "p1", "provider:network_type": "vxlan", "shared": false}
	port := map[string]any{"id": "p1", "name": "web", "description": "[" + testMark + "]", "network_id": "n1", "security_groups": []any{"g1", "g2"}}
	credential := map[string]any{"id": "c1", "name": "web", "description": "[" + testMark + "]", "project_id": "p1", "roles": []any{map[string]any{"id": "r1"}}}
	subnet := map[string]any{
		"id": "s1", "name": "web", "description": "[" + testMark + "]", "cidr": "2001:db8::/64", "gateway_ip": "2001:db8::1", "ip_version": "6", "network_id": "n1",
		"allocation_pools": []any{map[string]any{"start": "2001:db8::10", "end": "2001:db8::20"}, map[string]any{"start": "2001:db8::30", "end": "2001:db8::40"}},
		"dns_nameservers":  []any{"2001:db8::53", "2001:db8::54"}, "host_routes": []any{},
	}
	expiring := map[string]any{"id": "c1", "name": "web", "description": "[" + testMark + "]", "expires_at": "2099-01-01T00:00:00.123456"}
	server := map[string]any{
		"id": "v1", "name": "web", "status": "ACTIVE", "metadata": map[string]any{markKey: testMark, "tier": "web", "other": "x"}, "flavor": map[string]any{"id": "f1"},
		"image": map[string]any{"id": "i1"}, keyZone: "nova", keyUserData: "c2VjcmV0", "config_drive": "", "tags": []any{},
	}
	volume := map[string]any{"id": "d1", "name": "web", "description": "Of the shop.\nAll of it.", "status": "available", "metadata": map[string]any{markKey: testMark}}
	project := map[string]any{"id": "p1", "name": "web", "description": "Of the shop.\n", "tags": []any{testMark}}
	pools := func(pairs ...string) cty.Value {
		var list []cty.Value
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, cty.ObjectVal(map[string]cty.Value{"start": cty.StringVal(pairs[i]), "end": cty.StringVal(pairs[i+1])}))
		}
		return cty.ListVal(list)
	}
	for _, test := range []struct {
		name, kind string
		raw        map[string]any
		written    map[string]cty.Value
		action     unit.Action
		fields     string
	}{
		{"nothing written", "network", network, nil, unit.ActionNone, ""},
		{"the same", "network", network, map[string]cty.Value{"description": cty.StringVal("Front"), "mtu": cty.NumberIntVal(1500)}, unit.ActionNone, ""},
		{"tags of others stay", "network", network, map[string]cty.Value{"tags": cty.SetVal([]cty.Value{cty.StringVal("a")})}, unit.ActionNone, ""},
		{"a missing tag", "network", network, map[string]cty.Value{"tags": cty.SetVal([]cty.Value{cty.StringVal("b")})}, unit.ActionUpdate, "tags"},
		{"another mtu", "network", network, map[string]cty.Value{"mtu": cty.NumberIntVal(9000)}, unit.ActionUpdate, "mtu"},
		{"another project", "network", network, map[string]cty.Value{"project": cty.StringVal("p2"), "mtu": cty.NumberIntVal(9000)}, unit.ActionReplace, "project mtu"},
		{"unknown is no change", "network", network, map[string]cty.Value{"project": cty.UnknownVal(cty.String)}, unit.ActionNone, ""},
		{"what cannot be seen is no change", "network", network, map[string]cty.Value{"port_security": cty.True}, unit.ActionNone, ""},
		{"no text is no text", "network", network, map[string]cty.Value{"provider_physical_network": cty.StringVal("")}, unit.ActionNone, ""},

		{"groups that are written twice", "port", port, map[string]cty.Value{"security_groups": texts3("g2", "g1", "g2")}, unit.ActionNone, ""},
		{"a group less", "port", port, map[string]cty.Value{"security_groups": texts3("g2", "g2")}, unit.ActionUpdate, "security_groups"},
		{"a group more", "port", port, map[string]cty.Value{"security_groups": texts3("g2", "g1", "g3")}, unit.ActionUpdate, "security_groups"},
		{"a role that is written twice", "application_credential", credential, map[string]cty.Value{"roles": texts3("r1", "r1")}, unit.ActionNone, ""},

		{"addresses in another spelling", "subnet", subnet, map[string]cty.Value{
			"cidr": cty.StringVal("2001:0DB8:0::/64"), "gateway_ip": cty.StringVal("2001:db8:0:0::1"), "dns_nameservers": texts3("2001:DB8::53", "2001:db8::54"),
		}, unit.ActionNone, ""},
		{"pools in another order", "subnet", subnet, map[string]cty.Value{
			"allocation_pools": pools("2001:db8::30", "2001:db8::40", "2001:DB8::10", "2001:db8::20"),
		}, unit.ActionNone, ""},
		{"a pool less", "subnet", subnet, map[string]cty.Value{"allocation_pools": pools("2001:db8::30", "2001:db8::40")}, unit.ActionUpdate, "allocation_pools"},
		{"name servers have an order", "subnet", subnet, map[string]cty.Value{"dns_nameservers": texts3("2001:db8::54", "2001:db8::53")}, unit.ActionUpdate, "dns_nameservers"},
		{"no gateway any more", "subnet", subnet, map[string]cty.Value{"no_gateway": cty.True}, unit.ActionUpdate, "no_gateway"},
		{"another range", "subnet", subnet, map[string]cty.Value{"cidr": cty.StringVal("2001:db8:1::/64")}, unit.ActionReplace, "cidr"},

		{"a text that Cinder cuts at its end", "volume", volume, map[string]cty.Value{"name": cty.StringVal("web "), "description": cty.StringVal("Of the shop.\nAll of it.\n")}, unit.ActionNone, ""},
		{"another text", "volume", volume, map[string]cty.Value{"description": cty.StringVal("Of the shop.\n")}, unit.ActionUpdate, "description"},
		{"a name that Keystone cuts at its end", "project", project, map[string]cty.Value{"name": cty.StringVal("web ")}, unit.ActionNone, ""},
		{"a text that Keystone keeps as it is", "project", project, map[string]cty.Value{"description": cty.StringVal("Of the shop.")}, unit.ActionUpdate, "description"},

		{"metadata of others stays", "instance", server, map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("web")})}, unit.ActionNone, ""},
		{"other metadata", "instance", server, map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("db")})}, unit.ActionUpdate, "metadata"},
		{"a moment that Keystone cuts", "application_credential", expiring, map[string]cty.Value{"expires_at": cty.StringVal("2099-01-01T01:00:00.123456789+01:00")}, unit.ActionNone, ""},
		{"another moment", "application_credential", expiring, map[string]cty.Value{"expires_at": cty.StringVal("2099-01-01T00:00:00.123457Z")}, unit.ActionReplace, "expires_at"},
		{"a zone with a host", "instance", server, map[string]cty.Value{"availability_zone": cty.StringVal("nova:host1")}, unit.ActionNone, ""},
		{"runs from a volume", "instance", map[string]any{"id": "v1", "name": "web", "status": "ACTIVE", "metadata": map[string]any{markKey: testMark}, "image": ""}, map[string]cty.Value{"image": cty.StringVal("i1")}, unit.ActionNone, ""},
		{"another flavor", "instance", server, map[string]cty.Value{"flavor": cty.StringVal("f2"), "image": cty.StringVal("i2")}, unit.ActionReplace, "image flavor"},
		{"another flavor alone", "instance", server, map[string]cty.Value{"flavor": cty.StringVal("f2")}, unit.ActionUpdate, "flavor"},
		{"the same user data", "instance", server, map[string]cty.Value{"user_data": cty.StringVal("secret").Mark(model.Sensitive)}, unit.ActionNone, ""},
		{"other user data", "instance", server, map[string]cty.Value{"user_data": cty.StringVal("hidden")}, unit.ActionReplace, "user_data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := wantValue(test.kind, test.written)
			target := testTarget(t, test.kind, want)
			o := d.kinds[test.kind].(interface{ read(map[string]any) *object }).read(test.raw)
			diff := d.Compare(target, want, state(target, match{object: o, owned: true}))
			var paths []string
			for _, f := range diff.Fields {
				paths = append(paths, f.Path)
				if strings.Contains(f.Before+f.After, "secret") || strings.Contains(f.Before+f.After, "hidden") {
					t.Errorf("the diff tells the secret: %+v", f)
				}
			}
			if diff.Action != test.action || strings.Join(paths, " ") != test.fields {
				t.Errorf("got %s of %q (%s), want %s of %q", diff.Action, paths, diff.Reason, test.action, test.fields)
			}
			if diff.Action == unit.ActionReplace && diff.Cost == "" {
				t.Error("replacing has a cost")
			}
		})
	}
}

func TestCompareMarksAndHealth(t *testing.T) {
	d := testDriver(t)
	want := wantValue("instance", map[string]cty.Value{"name": cty.StringVal("web")})
	target := testTarget(t, "instance", want)
	read := func(status, mark, name string) *object {
		return instanceKind{schema.New().Resource("instance")}.read(map[string]any{
			"id": "v1", "name": name, "status": status, "metadata": map[string]any{markKey: mark}, "fault": map[string]any{"message": "No valid host"},
		})
	}
	for _, test := range []struct {
		name   string
		match  match
		action unit.Action
		health unit.Health
	}{
		{"ours", match{object: read("ACTIVE", testMark, "web"), owned: true}, unit.ActionNone, unit.HealthReady},
		{"stopped by its user", match{object: read("SHUTOFF", testMark, "web"), owned: true}, unit.ActionNone, unit.HealthReady},
		{"being built under another name", match{object: read("BUILD", testMark, "x"), owned: true}, unit.ActionUpdate, unit.HealthProgressing},
		{"failed", match{object: read("ERROR", testMark, "x"), owned: true}, unit.ActionNone, unit.HealthFailed},
		{"its mark was taken away", match{object: read("ACTIVE", "", "web"), owned: true}, unit.ActionUpdate, unit.HealthReady},
		{"another's mark", match{object: read("ACTIVE", "kupenstack:other", "web"), owned: true}, unit.ActionBlocked, unit.HealthReady},
		{"nobody's", match{object: read("ACTIVE", "", "web")}, unit.ActionAdopt, unit.HealthReady},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := state(target, test.match)
			if diff := d.Compare(target, want, st); diff.Action != test.action || st.Health != test.health {
				t.Errorf("got %+v and %s", diff, st.Health)
			}
			if test.health == unit.HealthFailed && st.Message != "No valid host" {
				t.Errorf("the message is %q", st.Message)
			}
		})
	}
	for _, test := range []struct {
		status, heal, host, task string
		running                  cty.Value
		met                      bool
		action                   unit.Action
		field                    string
	}{
		{"ERROR", "", "h1", "", cty.NilVal, true, unit.ActionNone, ""},
		{"ERROR", "none", "h1", "", cty.NilVal, true, unit.ActionNone, ""},
		{"ERROR", "restart", "h1", "", cty.NilVal, true, unit.ActionUpdate, "heal"},
		{"ERROR", "rebuild", "h1", "", cty.NilVal, false, unit.ActionUpdate, "heal"},
		{"SHUTOFF", "rebuild", "h1", "powering-on", cty.NilVal, true, unit.ActionUpdate, "running"},
		{"ERROR", "restart", "h1", "reboot_started_hard", cty.NilVal, true, unit.ActionUpdate, "heal"},
		{"ERROR", "rebuild", "", "", cty.NilVal, true, unit.ActionBlocked, "heal"},
		{"ERROR", "recreate", "", "", cty.NilVal, false, unit.ActionReplace, "heal"},
		{"SHUTOFF", "rebuild", "h1", "", cty.NilVal, true, unit.ActionUpdate, "running"},
		{"SHUTOFF", "rebuild", "h1", "", cty.True, true, unit.ActionUpdate, "running"},
		{"SHUTOFF", "rebuild", "h1", "", cty.NilVal, false, unit.ActionNone, ""},
		{"SHUTOFF", "rebuild", "h1", "", cty.False, true, unit.ActionNone, ""},
		{"SHUTOFF", "", "h1", "", cty.NilVal, true, unit.ActionNone, ""},
		{"SHUTOFF", "", "h1", "", cty.True, true, unit.ActionUpdate, "running"},
		{"ACTIVE", "restart", "h1", "", cty.False, true, unit.ActionUpdate, "running"},
		{"ACTIVE", "restart", "h1", "", cty.True, true, unit.ActionNone, ""},
		{"PAUSED", "restart", "h1", "", cty.True, true, unit.ActionNone, ""},
	} {
		t.Run(test.status+" with heal "+test.heal, func(t *testing.T) {
			written := map[string]cty.Value{"name": cty.StringVal("web")}
			if test.heal != "" {
				written["heal"] = cty.StringVal(test.heal)
			}
			if test.running != cty.NilVal {
				written["running"] = test.running
			}
			want := wantValue("instance", written)
			target := testTarget(t, "instance", want)
			target.Met = test.met
			target.Spec.(*unit.Resource).Ignore = []string{"heal"} // as ignore_changes = all has it
			o := instanceKind{schema.New().Resource("instance")}.read(map[string]any{
				"id": "v1", "name": "web", "status": test.status, "metadata": map[string]any{markKey: testMark}, keyHost: test.host, keyTask: test.task,
			})
			diff := d.Compare(target, want, state(target, match{object: o, owned: true}))
			var field string
			for _, f := range diff.Fields {
				field += f.Path
			}
			heals := test.action.Changes() && test.heal != "" && test.status != "ACTIVE"
			if diff.Action != test.action || field != test.field || diff.Heals != heals || diff.Waits != (test.task != "") {
				t.Errorf("got %+v", diff)
			}
			if field == "heal" && diff.Heals && diff.Cost == "" {
				t.Error("the remedy has a cost")
			}
		})
	}
	// What the block says to leave as it is, is nobody's wish: a stop is not undone.
	left := wantValue("instance", map[string]cty.Value{"name": cty.StringVal("web"), "heal": cty.StringVal("restart"), "running": cty.False})
	off := testTarget(t, "instance", left)
	off.Met = true
	off.Spec.(*unit.Resource).Ignore = []string{"running"}
	stopped := instanceKind{schema.New().Resource("instance")}.read(map[string]any{"id": "v3", "name": "web", "status": "SHUTOFF", "metadata": map[string]any{markKey: testMark}})
	if diff := d.Compare(off, left, state(off, match{object: stopped, owned: true})); diff.Action != unit.ActionNone {
		t.Errorf("what is ignored is healed: %+v", diff)
	}
	// What cannot be marked now is ours by its record until then, which nobody has to wait for.
	for status, sealed := range map[string]bool{
		"ACTIVE": false, "PAUSED": false, "SHELVED": true, "SHELVED_OFFLOADED": true, "RESCUE": true, "ERROR": true, "VERIFY_RESIZE": true,
	} {
		theirs := instanceKind{schema.New().Resource("instance")}.read(map[string]any{"id": "v4", "name": "web", "status": status})
		named := wantValue("instance", map[string]cty.Value{"name": cty.StringVal("web")})
		for _, owned := range []bool{false, true} { // as before it is on record, and after
			want := unit.ActionAdopt
			if owned {
				want = map[bool]unit.Action{true: unit.ActionNone, false: unit.ActionUpdate}[sealed]
			}
			if diff := d.Compare(target, named, state(target, match{object: theirs, owned: owned})); diff.Action != want || diff.Waits {
				t.Errorf("without a mark, %s, owned %t: %+v", status, owned, diff)
			}
		}
	}
	foreign := instanceKind{schema.New().Resource("instance")}.read(map[string]any{"id": "v2", "name": "web", "status": "ACTIVE", "key_name": "k1"})
	other := wantValue("instance", map[string]cty.Value{"keypair": cty.StringVal("k2")})
	if diff := d.Compare(target, other, state(target, match{object: foreign})); diff.Action != unit.ActionBlocked {
		t.Errorf("adopting what differs for good: %+v", diff)
	}
}

func TestCompareAbsentAndUnknown(t *testing.T) {
	d := testDriver(t)
	want := wantValue("instance", map[string]cty.Value{"name": cty.StringVal("web"), "image": cty.UnknownVal(cty.String), "user_data": cty.StringVal("secret")})
	target := testTarget(t, "instance", want)
	diff := d.Compare(target, want, unit.State{Existence: unit.Absent})
	if diff.Action != unit.ActionCreate || len(diff.Fields) != 3 {
		t.Fatalf("the diff is %+v", diff)
	}
	for i, after := range []string{"web", unit.TextUnknown, unit.TextSensitive} {
		if diff.Fields[i].After != after {
			t.Errorf("%s is shown as %q, want %q", diff.Fields[i].Path, diff.Fields[i].After, after)
		}
	}
	if diff := d.Compare(target, want, unit.State{Message: "no answer"}); diff.Action != unit.ActionUnknown || diff.Reason != "no answer" {
		t.Errorf("the diff is %+v", diff)
	}
	if _, err := d.Apply(t.Context(), target, want, unit.State{Existence: unit.Absent}); err == nil || !strings.Contains(err.Error(), "not known yet") {
		t.Errorf("applying the unknown: %v", err)
	}
}

func TestInstanceThatIsGoing(t *testing.T) {
	k := instanceKind{schema.New().Resource("instance")}
	for name, raw := range map[string]map[string]any{
		"being deleted":         {"id": "v1", "status": "ACTIVE", keyTask: "deleting", "metadata": map[string]any{}},
		"deleted a moment ago":  {"id": "v1", "status": "DELETED", "metadata": map[string]any{}},
		"kept for a while more": {"id": "v1", "status": "SOFT_DELETED", "metadata": map[string]any{markKey: testMark}},
	} {
		if o := k.read(raw); !o.going || o.health != unit.HealthProgressing || o.after == 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestWhatARuleTakesOver: a project of which somebody else has made one of that name is not ours by its name, whatever is
// in it, but by our mark or an import.
func TestWhatARuleTakesOver(t *testing.T) {
	d := testDriver(t)
	k := projectKind{schema.New().Resource("project")}
	want := wantValue("project", map[string]cty.Value{"name": cty.StringVal("k8s-shop")})
	project := func(mark string) *object {
		raw := map[string]any{"id": "p1", "name": "k8s-shop", "domain_id": "default"}
		if mark != "" {
			raw["tags"] = []any{mark}
		}
		return k.read(raw)
	}
	session := &session{domain: "default"}
	for _, test := range []struct {
		name   string
		mark   string
		ruled  bool
		imp    string
		action unit.Action
		reason string
	}{
		{"nobody's", "", true, "", unit.ActionBlocked, "k8s-shop (p1) has this name and is not ours, and a rule takes over nothing: import it to project.web, name its namespace in a project block, or rename it"},
		{"nobody's, and imported", "", true, "p1", unit.ActionAdopt, "is the object to import"},
		{"nobody's, for a block", "", false, "", unit.ActionAdopt, "nobody's mark"},
		{"ours", testMark, true, "", unit.ActionNone, ""},
		{"another's", "kupenstack:fedcba9876543210", true, "p1", unit.ActionBlocked, "a mark that is not of this block"},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := testTarget(t, "project", want)
			target.Spec.(*unit.Resource).ByMark, target.Import = test.ruled, test.imp
			m, done := find(k, session, target, want, indexed([]*object{project(test.mark)}))
			if !done || m.object == nil {
				t.Fatalf("found %+v", m)
			}
			if diff := d.Compare(target, want, state(target, m)); diff.Action != test.action || !strings.Contains(diff.Reason, test.reason) {
				t.Errorf("got %+v", diff)
			}
		})
	}
}
