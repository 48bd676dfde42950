package openstack

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Interfaces that others attach to an instance are theirs: they have nothing replaced, keep their security groups, and
// come last.
func TestInterfacesOfOthersStay(t *testing.T) {
	d := testDriver(t)
	k, _ := d.kinds["instance"].(instanceKind)
	port := func(id, network, created string) map[string]any {
		return map[string]any{
			"id": id, "device_owner": "compute:nova", "network_id": network, "created_at": created, "security_groups": []any{"g-" + id},
			"fixed_ips": []any{map[string]any{"ip_address": "10.0.0." + id[1:]}},
		}
	}
	ours, theirs := port("p1", "n1", "2026-01-01"), port("p2", "n2", "2026-01-02")
	named := port("p6", "n2", "2026-01-06")
	named["name"] = "probe"
	block := port("p5", "n5", "2026-01-05")
	block["description"] = "[" + testMark + "]"
	for _, test := range []struct {
		name    string
		written map[string][]string
		ports   []map[string]any
		action  unit.Action
		fields  []string
		changed []string // ports that get other security groups
		first   string   // address
		set     []string // networks on record
	}{
		{"its network", map[string][]string{"networks": {"n1"}}, []map[string]any{theirs, ours}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"its network, twice", map[string][]string{"networks": {"n1", "n1"}}, []map[string]any{ours, theirs, port("p3", "n1", "2026-01-03")}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"its network, and another interface there", map[string][]string{"networks": {"n1"}, "security_groups": {"g-p1"}}, []map[string]any{port("p3", "n1", "2026-01-03"), ours}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"an order of its own", map[string][]string{"networks": {"n2", "n1"}}, []map[string]any{ours, port("p3", "n3", "2025-01-01"), theirs}, unit.ActionNone, nil, nil, "10.0.0.2", nil},
		{"no network", map[string][]string{"networks": {}}, []map[string]any{theirs}, unit.ActionNone, nil, nil, "10.0.0.2", nil},
		{"its port", map[string][]string{"ports": {"p1"}, "security_groups": {"g"}}, []map[string]any{theirs, ours}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"security groups", map[string][]string{"networks": {"n1"}, "security_groups": {"g"}}, []map[string]any{theirs, ours}, unit.ActionUpdate, []string{"security_groups"}, []string{"p1"}, "10.0.0.1", nil},
		{"security groups of theirs alone", map[string][]string{"networks": {"n1"}, "security_groups": {"g-p1"}}, []map[string]any{theirs, ours}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"security groups that are written twice", map[string][]string{"networks": {"n1"}, "security_groups": {"g-p1", "g-p1"}}, []map[string]any{ours}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"a port with a block of its own", map[string][]string{"networks": {"n1", "n5"}, "security_groups": {"g-p1"}}, []map[string]any{ours, block}, unit.ActionNone, nil, nil, "10.0.0.1", nil},
		{"nobody knows which are ours", map[string][]string{"security_groups": {"g-p1"}}, []map[string]any{theirs, ours}, unit.ActionUpdate, []string{"security_groups"}, []string{"p2"}, "10.0.0.1", nil},
		{"one of ours is gone", map[string][]string{"networks": {"n1", "n3"}}, []map[string]any{theirs, ours}, unit.ActionUpdate, []string{"networks"}, nil, "10.0.0.1", []string{"n1", "n3"}},
		{"one of two is gone", map[string][]string{"networks": {"n1", "n1"}}, []map[string]any{theirs, ours}, unit.ActionUpdate, []string{"networks"}, nil, "10.0.0.1", []string{"n1"}},
		{"one is taken out", map[string][]string{"networks": {"n1"}}, []map[string]any{theirs, ours}, unit.ActionUpdate, []string{"networks"}, nil, "10.0.0.1", []string{"n1", "n2"}},
		{"one of two alike is taken out", map[string][]string{"networks": {"n1"}, "security_groups": {"g-p1"}}, []map[string]any{port("p3", "n1", "2026-01-03"), ours}, unit.ActionUpdate, []string{"networks"}, nil, "10.0.0.1", []string{"n1", "n1"}},
		{"one that an older program has not counted", map[string][]string{"networks": {"n1"}}, []map[string]any{port("p3", "n1", "2026-01-03"), ours}, unit.ActionNone, nil, nil, "10.0.0.1", []string{"n1"}},
		{"one is taken out beside another that looks the same", map[string][]string{"networks": {"n1"}}, []map[string]any{port("p3", "n2", "2026-01-03"), theirs, ours}, unit.ActionBlocked, []string{"networks"}, nil, "10.0.0.1", []string{"n1", "n2"}},
		{"one is taken out beside another that has a name", map[string][]string{"networks": {"n1"}}, []map[string]any{named, theirs, ours}, unit.ActionUpdate, []string{"networks"}, nil, "10.0.0.1", []string{"n1", "n2"}},
		{"one that has a name is left of what is taken out", map[string][]string{"networks": {"n1"}}, []map[string]any{named, ours}, unit.ActionNone, nil, nil, "10.0.0.1", []string{"n1", "n2"}},
		{"one is taken out that is gone", map[string][]string{"networks": {"n1"}}, []map[string]any{theirs, ours}, unit.ActionNone, nil, nil, "10.0.0.1", []string{"n1", "n3"}},
		{"they are not written any more", nil, []map[string]any{theirs, ours}, unit.ActionNone, nil, nil, "10.0.0.1", []string{"n1", "n2"}},
		{"our port is gone", map[string][]string{"ports": {"p4"}}, []map[string]any{theirs}, unit.ActionUpdate, []string{"ports"}, nil, "10.0.0.2", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := map[string]cty.Value{}
			for name, inner := range k.schema.DesiredType().AttributeTypes() {
				all[name] = cty.NullVal(inner)
			}
			for name, value := range map[string]string{"name": "web", "image": "i1", flavorAttribute: "f1"} {
				all[name] = cty.StringVal(value)
			}
			for name, names := range test.written {
				all[name] = texts(names, cty.List(cty.String))
			}
			want := cty.ObjectVal(all)
			o := k.read(map[string]any{
				"id": "v1", "name": "web", "status": "ACTIVE", "tenant_id": "p1", "metadata": map[string]any{markKey: testMark},
				"image": map[string]any{"id": "i1"}, "flavor": map[string]any{"id": "f1"},
			})
			k.join(found{object: o, want: want, set: map[string][]string{"networks": test.set}}, test.ports)
			tg := unit.Target{Spec: &unit.Resource{Kind: "instance", Block: k.schema, Desired: want}, ID: "v1", Mark: testMark}
			if test.set != nil {
				tg.Set = map[string][]string{"networks": test.set}
			}
			diff := d.Compare(tg, want, unit.State{Existence: unit.Present, ID: "v1", Owned: true, Observed: match{object: o, owned: true}})
			var fields []string
			for _, f := range diff.Fields {
				fields = append(fields, f.Path)
			}
			if diff.Action != test.action || !slices.Equal(fields, test.fields) {
				t.Errorf("the diff is %s of %v: %+v", diff.Action, fields, diff)
			}
			if groups := test.written["security_groups"]; groups != nil {
				if changed := portsToChange(groups, o); !slices.Equal(changed, test.changed) {
					t.Errorf("%v get other security groups, want %v", changed, test.changed)
				}
			}
			if address := o.values.get("access_ip"); address.AsString() != test.first {
				t.Errorf("it is reached at %#v", address)
			}
		})
	}
}
