package openstack_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lookUp is a data block as a configuration makes it, which searches by a name.
func lookUp(t testing.TB, kind, name string) unit.Target {
	t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Data, kind, name, addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	block := language().Resource(kind).DataBlock()
	want := map[string]cty.Value{}
	for name, typ := range block.DesiredType().AttributeTypes() {
		want[name] = cty.NullVal(typ)
	}
	want["name"] = text(name)
	spec := &unit.Resource{Kind: kind, Lookup: true, Block: block, Desired: cty.ObjectVal(want)}
	return unit.Target{Address: address, Spec: spec, Locator: spec.Locator()}
}

// TestLookupTellsAllThatIsSeen: what is looked up is of use by what it is not searched by, too, such as the size of a flavor or
// the rules of a group; and what is a secret of it stays one.
func TestLookupTellsAllThatIsSeen(t *testing.T) {
	t.Parallel()
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.1/flavors/detail": listed("flavors", map[string]any{"id": "f1", "name": "big", "vcpus": 8, "os-flavor-access:is_public": true}),
		"/v2.0/networks":       listed("networks", map[string]any{"id": "n1", "name": "public", "project_id": "p2", "mtu": 1450, "description": "out"}),
		"/v2.0/security-groups": listed("security_groups", map[string]any{
			"id": "g1", "name": "web", "project_id": "p1", "security_group_rules": []any{
				map[string]any{"id": "r1", "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 80, "port_range_max": 80},
			},
		}),
		"/v2.1/os-server-groups": func(*http.Request) any {
			return map[string]any{"server_groups": []any{map[string]any{"id": "s1", "name": "apart", "project_id": "p1", "policy": "affinity", "rules": map[string]any{}, "members": []any{"i1"}}}}
		},
		"/v2.1/servers/detail": listed("servers", map[string]any{
			"id": "i1", "name": "db", "tenant_id": "p1", "status": "ACTIVE", "OS-EXT-SRV-ATTR:host": "compute-1",
			"OS-EXT-SRV-ATTR:user_data": base64.StdEncoding.EncodeToString([]byte("canary")),
		}),
		"/v2.0/ports": listed("ports"),
	})
	for _, c := range []struct {
		kind, name, attribute string
		want                  cty.Value
	}{
		{"flavor", "big", "vcpus", cty.NumberIntVal(8)},
		{"network", "public", "mtu", cty.NumberIntVal(1450)},
		{"network", "public", "description", text("out")},
		{"server_group", "apart", "policy", text("affinity")},
		{"server_group", "apart", "members", set("i1")},
		{"instance", "db", "host", text("compute-1")},
	} {
		if got := seenOf(t, d, c.kind, c.name).GetAttr(c.attribute); !got.RawEquals(c.want) {
			t.Errorf("%s of data.%s.%s is %#v", c.attribute, c.kind, c.name, got)
		}
	}
	if rules := seenOf(t, d, "security_group", "web").GetAttr("rule"); rules.IsNull() || rules.LengthInt() != 1 {
		t.Errorf("the rules of a group that is looked up are %#v", rules)
	}
	if data := seenOf(t, d, "instance", "db").GetAttr("user_data"); !data.IsMarked() {
		t.Errorf("the user data of an instance that is looked up are shown: %#v", data)
	}
}

// seenOf is what references see of what is looked up.
func seenOf(t *testing.T, d *openstack.Driver, kind, name string) cty.Value {
	t.Helper()
	target := lookUp(t, kind, name)
	states, err := d.Observe(t.Context(), []unit.Target{target})
	seen := states[target.Address]
	if err != nil || seen.Outputs == cty.NilVal {
		t.Fatalf("data.%s.%s: %+v, %v", kind, name, seen, err)
	}
	return seen.Outputs
}
