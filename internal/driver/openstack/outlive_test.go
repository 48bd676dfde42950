package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestOutlive has somebody delete what an object was made from or lies in, and another one made in its place.
func TestOutlive(t *testing.T) {
	d := testDriver(t)
	lost := map[string][]string{"f2": {"f0", "f1"}, "i2": {"i1"}, "p2": {"p1"}, "n2": {"n1"}}
	server := map[string]any{
		"id": "v1", "name": "web", "status": "ACTIVE", "tenant_id": "p1", "metadata": map[string]any{markKey: testMark, "tier": "web"},
		"flavor": map[string]any{"id": "f1"}, "image": map[string]any{"id": "i1"}, keyZone: "nova", "config_drive": "", "tags": []any{},
	}
	subnet := map[string]any{"id": "s1", "name": "web", "description": "[" + testMark + "]", "cidr": "10.0.0.0/24", "network_id": "n1", "project_id": "p1"}
	text := cty.StringVal
	for _, test := range []struct {
		name, kind string
		raw        map[string]any
		written    map[string]cty.Value
		action     unit.Action
		fields     string
	}{
		{"its flavor and its image", "instance", server, map[string]cty.Value{"flavor": text("f2"), "image": text("i2")}, unit.ActionNone, ""},
		{"and it drifted otherwise", "instance", server, map[string]cty.Value{
			"flavor": text("f2"), "metadata": cty.MapVal(map[string]cty.Value{"tier": text("db")}),
		}, unit.ActionUpdate, "metadata"},
		{"another flavor is wanted", "instance", server, map[string]cty.Value{"flavor": text("f3")}, unit.ActionUpdate, "flavor"},
		{"another image is wanted", "instance", server, map[string]cty.Value{"flavor": text("f2"), "image": text("i3")}, unit.ActionReplace, "image"},
		{"its project", "instance", server, map[string]cty.Value{"project": text("p2")}, unit.ActionBlocked, "project"},
		{"its project, and another zone is wanted", "instance", server, map[string]cty.Value{"project": text("p2"), "availability_zone": text("far")}, unit.ActionReplace, "project availability_zone"},
		{"its network", "subnet", subnet, map[string]cty.Value{"network": text("n2"), "cidr": text("10.0.0.0/24")}, unit.ActionBlocked, "network"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := wantValue(test.kind, test.written)
			target := testTarget(t, test.kind, want)
			target.Lost = lost
			o := d.kinds[test.kind].(interface{ read(map[string]any) *object }).read(test.raw)
			diff := d.Compare(target, want, state(target, match{object: o, owned: true}))
			var paths []string
			for _, f := range diff.Fields {
				paths = append(paths, f.Path)
			}
			if diff.Action != test.action || strings.Join(paths, " ") != test.fields {
				t.Errorf("got %s of %q (%s), want %s of %q", diff.Action, paths, diff.Reason, test.action, test.fields)
			}
			if test.fields == "project" && !strings.Contains(diff.Reason, "delete it yourself") {
				t.Errorf("it does not say what to do: %s", diff.Reason)
			}
		})
	}
	networks := []cty.Value{text("n0"), text("n1")}
	have := follow(cty.ListVal(networks), map[string]string{"n1": "n2"})
	if !have.RawEquals(cty.ListVal([]cty.Value{text("n0"), text("n2")})) {
		t.Errorf("a list is followed as %#v", have)
	}
}
