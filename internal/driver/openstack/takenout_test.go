package openstack

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// A policy, a scope or a QoS that is taken out of a block goes where it is the one that we have set, and others' stays.
func TestAssociationsTakenOut(t *testing.T) {
	for _, test := range []struct {
		kind, attribute, key string
		beside               map[string]cty.Value
		want                 string
	}{
		{"network", "qos_policy", "qos_policy_id", nil, `PUT /network/v2.0/networks/x1 {"network":{"qos_policy_id":null}}`},
		{"port", "qos_policy", "qos_policy_id", nil, `PUT /network/v2.0/ports/x1 {"port":{"qos_policy_id":null}}`},
		{"floating_ip", "qos_policy", "qos_policy_id", map[string]cty.Value{"port": cty.StringVal("p1")}, `PUT /network/v2.0/floatingips/x1 {"floatingip":{"qos_policy_id":null}}`},
		{"subnet_pool", "address_scope", "address_scope_id", nil, `PUT /network/v2.0/subnetpools/x1 {"subnetpool":{"address_scope_id":null}}`},
		{"volume_type", "qos", "qos_specs_id", nil, `GET /block-storage/v3/qos-specs/q1/disassociate`},
	} {
		t.Run(test.kind, func(t *testing.T) {
			d := testDriver(t)
			written := map[string]cty.Value{}
			if schema.New().Resource(test.kind).Attribute("name") != nil {
				written["name"] = cty.StringVal("web")
			}
			for name, v := range test.beside {
				written[name] = v
			}
			want := wantValue(test.kind, written)
			k := d.kinds[test.kind]
			raw := map[string]any{"id": "x1", "name": "web", "description": "[" + testMark + "]", "port_id": "p1", test.key: "q1"}
			m := match{object: k.(interface{ read(map[string]any) *object }).read(raw), owned: true}
			target := testTarget(t, test.kind, want)
			target.Complete, target.Set = true, map[string][]string{test.attribute: {"others"}}
			if diff := d.Compare(target, want, state(target, m)); diff.Action != unit.ActionNone {
				t.Errorf("of others, the plan shows %+v", diff)
			}
			target.Set = map[string][]string{test.attribute: {"q1"}}
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 || diff.Fields[0].Path != test.attribute || diff.Fields[0].Before != "q1" {
				t.Fatalf("the plan shows %+v", diff)
			}
			r := newRecorder(t)
			w := wanted{value: want, mark: testMark, named: "web", drop: surplus(target.Spec.(*unit.Resource), target, m, want)}
			if err := k.update(t.Context(), r.session, m.object, w, []string{test.attribute}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.asked, []string{test.want}) {
				t.Errorf("sent %q, want %s", r.asked, test.want)
			}
		})
	}
}
