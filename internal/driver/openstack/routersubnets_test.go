package openstack

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestInterfacesThatAreWrittenNoLongerGo: those of a router that bear its mark do, those of others stay.
func TestInterfacesThatAreWrittenNoLongerGo(t *testing.T) {
	t.Parallel()
	const theirs = "[kupenstack:of-somebody]"
	port := func(subnet, description string) map[string]any {
		return map[string]any{
			"id": "port-" + subnet, "device_owner": "network:router_interface", "description": description,
			"fixed_ips": []any{map[string]any{"subnet_id": subnet, "ip_address": "10.0.0.1"}},
		}
	}
	for name, c := range map[string]struct {
		written cty.Value // the subnets
		ignored bool
		marks   []string // of the ports in s1, s2 and so on
		drop    []string
		action  unit.Action
		before  string
	}{
		"not written any more":  {cty.NullVal(cty.List(cty.String)), false, []string{"[" + testMark + "]", theirs, ""}, []string{"s1"}, unit.ActionUpdate, `["s1"]`},
		"not written, not ours": {cty.NullVal(cty.List(cty.String)), false, []string{theirs, ""}, nil, unit.ActionNone, ""},
		"ignored":               {cty.NullVal(cty.List(cty.String)), true, []string{"[" + testMark + "]"}, nil, unit.ActionNone, ""},
		"not known yet":         {cty.UnknownVal(cty.List(cty.String)), false, []string{"[" + testMark + "]"}, nil, unit.ActionNone, ""},
		"written":               {cty.ListVal([]cty.Value{cty.StringVal("s1")}), false, []string{"[" + testMark + "]"}, nil, unit.ActionNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testDriver(t)
			k := d.kinds["router"].(routerKind)
			o := k.read(map[string]any{"id": "r1", "name": "edge", "project_id": "p1", "description": "[" + testMark + "]", "external_gateway_info": nil, "routes": []any{}})
			all := map[string]cty.Value{}
			for attribute, inner := range k.schema.DesiredType().AttributeTypes() {
				all[attribute] = cty.NullVal(inner)
			}
			all["name"], all[subnetsAttribute] = cty.StringVal("edge"), c.written
			want := cty.ObjectVal(all)
			var ports []map[string]any
			for i, mark := range c.marks {
				ports = append(ports, port("s"+string(rune('1'+i)), mark))
			}
			k.join(found{object: o, want: want}, ports)
			r := &unit.Resource{Kind: "router", Block: k.schema, Desired: want}
			if c.ignored {
				r.Ignore = []string{subnetsAttribute}
			}
			tg, m := unit.Target{Spec: r, ID: "r1", Mark: testMark, Imported: true}, match{object: o, owned: true}
			if got := surplus(r, tg, m, want)[subnetsAttribute]; !slices.Equal(got, c.drop) {
				t.Errorf("%v are taken away, want %v", got, c.drop)
			}
			if c.written.IsKnown() {
				diff := d.Compare(tg, want, unit.State{Existence: unit.Present, ID: "r1", Owned: true, Observed: m})
				if diff.Action != c.action || len(c.drop) > 0 && (len(diff.Fields) != 1 || diff.Fields[0].Before != c.before) {
					t.Errorf("got %s %+v", diff.Action, diff.Fields)
				}
			}
		})
	}
}
