package openstack

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestTakenAway: what we have set and is wanted no longer goes, what others have added stays, and the plan
// shows neither more nor less than that.
func TestTakenAway(t *testing.T) {
	d := testDriver(t)
	set := func(of ...string) cty.Value { return texts(of, cty.Set(cty.String)) }
	tier := cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("db")})
	theirs := map[string]any{"n": "1", "tier": "web", "theirs": "x"}
	tags := []any{"a", "b", "theirs"}
	inDescription := map[string]any{"description": "[" + testMark + "]", "tags": tags}
	for _, test := range []struct {
		name, kind, attribute string
		want                  cty.Value // NilVal for one that is taken out as a whole
		raw                   map[string]any
		set                   []string
		before, after         string
		gone                  []string // ends of deleting requests, or what they hold
	}{
		{"metadata", "instance", "metadata", tier, map[string]any{"metadata": map[string]any{markKey: testMark, "n": "1", "tier": "web", "theirs": "x"}}, []string{"n", "tier"}, `{"n":"1","tier":"web"}`, `{"tier":"db"}`, []string{"DELETE /compute/v2.1/servers/x1/metadata/n"}},
		{"nothing on record", "instance", "metadata", tier, map[string]any{"metadata": map[string]any{markKey: testMark, "n": "1", "tier": "web"}}, nil, `{"tier":"web"}`, `{"tier":"db"}`, nil},
		{"the mark on record", "instance", "metadata", tier, map[string]any{"metadata": map[string]any{markKey: testMark, "tier": "web"}}, []string{markKey}, `{"tier":"web"}`, `{"tier":"db"}`, nil},
		{"tags of instances", "instance", "tags", set("c"), map[string]any{"metadata": map[string]any{markKey: testMark}, "tags": tags}, []string{"a", "b"}, `["a","b"]`, `["c"]`, []string{"DELETE /compute/v2.1/servers/x1/tags/a", "DELETE /compute/v2.1/servers/x1/tags/b"}},
		{"tags of networks", "network", "tags", set("a"), inDescription, []string{"a", "b", "gone"}, `["a","b"]`, `["a"]`, []string{"DELETE /network/v2.0/networks/x1/tags/b"}},
		{"tags of routers, as a whole", "router", "tags", cty.NilVal, inDescription, []string{"a", "b"}, `["a","b"]`, `[]`, []string{"DELETE /network/v2.0/routers/x1/tags/a", "DELETE /network/v2.0/routers/x1/tags/b"}},
		{"tags of security groups", "security_group", "tags", set(), inDescription, []string{"a"}, `["a"]`, `[]`, []string{"DELETE /network/v2.0/security-groups/x1/tags/a"}},
		{"tags of projects", "project", "tags", set("a"), map[string]any{"tags": append([]any{testMark}, tags...)}, []string{"a", "b", testMark}, `["a","b"]`, `["a"]`, []string{"DELETE /identity/v3/projects/x1/tags/b"}},
		{"routes", "router", "route", cty.ListValEmpty(routeType()), map[string]any{"description": "[" + testMark + "]", "routes": []any{
			map[string]any{"destination": "2001:db8:1::/48", "nexthop": "2001:db8::0009"}, map[string]any{"destination": "10.2.0.0/16", "nexthop": "10.0.0.9"},
		}}, []string{"2001:db8:1::/48 2001:db8::9"}, `[{"destination":"2001:db8:1::/48","next_hop":"2001:db8::0009"}]`, `[]`, []string{`extraroutes {"router":{"routes":[{"destination":"2001:db8:1::/48","nexthop":"2001:db8::0009"}]}}`}},
		{"sub-ports", "trunk", "sub_port", cty.ListValEmpty(schema.New().Resource("trunk").Nested("sub_port").ValueType().ElementType()), map[string]any{"description": "[" + testMark + "]", "sub_ports": []any{
			map[string]any{"port_id": "p1", "segmentation_type": "vlan", "segmentation_id": "7"}, map[string]any{"port_id": "p2", "segmentation_type": "vlan", "segmentation_id": "8"},
		}}, []string{"p1"}, `[{"port":"p1","segmentation_id":7,"segmentation_type":"vlan"}]`, `[]`, []string{`subports {"sub_ports":[{"port_id":"p1"}]}`}},
		{"extra specs", "flavor", "extra_specs", tier, map[string]any{"description": "[" + testMark + "]", "extra_specs": theirs}, []string{"n", "tier"}, `{"n":"1","tier":"web"}`, `{"tier":"db"}`, []string{"DELETE /compute/v2.1/flavors/x1/os-extra_specs/n"}},
		{"extra specs as a whole", "flavor", "extra_specs", cty.NilVal, map[string]any{"description": "[" + testMark + "]", "extra_specs": theirs}, []string{"n"}, `{"n":"1"}`, `{}`, []string{"DELETE /compute/v2.1/flavors/x1/os-extra_specs/n"}},
		{"properties", "image", "properties", tier, map[string]any{"status": "active", markKey: testMark, "n": "1", "tier": "web", "theirs": "x"}, []string{"n", "tier"}, `{"n":"1","tier":"web"}`, `{"tier":"db"}`, []string{`[{"op":"remove","path":"/n"},{"op":"replace","path":"/tier","value":"db"}]`}},
		{"tags of images", "image", "tags", set("c"), map[string]any{"status": "active", markKey: testMark, "tags": tags}, []string{"a"}, `["a"]`, `["c"]`, []string{"DELETE /image/v2/images/x1/tags/a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			written := map[string]cty.Value{"name": cty.StringVal("web")}
			if test.want != cty.NilVal {
				written[test.attribute] = test.want
			}
			want := wantValue(test.kind, written)
			raw := map[string]any{"id": "x1", "name": "web"}
			for key, v := range test.raw {
				raw[key] = v
			}
			if test.kind == "instance" {
				raw["status"] = "ACTIVE"
			}
			k := d.kinds[test.kind]
			m := match{object: k.(interface{ read(map[string]any) *object }).read(raw), owned: true}
			target := testTarget(t, test.kind, want)
			target.Complete, target.Set = true, map[string][]string{test.attribute: test.set}
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 || diff.Fields[0].Before != test.before || diff.Fields[0].After != test.after {
				t.Fatalf("the plan shows %+v", diff)
			}
			r := newRecorder(t)
			w := wanted{value: want, mark: testMark, named: "web", drop: surplus(target.Spec.(*unit.Resource), target, m, want)}
			if err := k.update(t.Context(), r.session, m.object, w, []string{test.attribute}); err != nil {
				t.Fatal(err)
			}
			var gone []string
			for _, asked := range r.asked {
				if strings.HasPrefix(asked, "DELETE ") {
					gone = append(gone, asked)
				} else if _, patch, is := strings.Cut(asked, " /image/v2/images/x1 "); is {
					gone = append(gone, patch)
				} else if _, sent, is := strings.Cut(asked, "/remove_"); is {
					gone = append(gone, sent)
				}
			}
			if !slices.Equal(gone, test.gone) {
				t.Errorf("deleted %q, want %q", gone, test.gone)
			}
			target.Spec.(*unit.Resource).Ignore = []string{test.attribute}
			if diff := d.Compare(target, want, state(target, m)); len(diff.Fields) > 0 {
				t.Errorf("ignored, and the plan shows %+v", diff.Fields)
			}
		})
	}
}

func routeType() cty.Type {
	return schema.New().Resource("router").Nested("route").ValueType().ElementType()
}
