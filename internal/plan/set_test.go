package plan

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestSet: names go on record before they are set, leave it only once the unit is as it is wanted, and what
// is sensitive never is there.
func TestSet(t *testing.T) {
	text := cty.StringVal
	u := &unit.Unit{Spec: &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance")}}
	before := map[string][]string{"metadata": {"n", "tier"}, "tags": {"a"}}
	desired := cty.ObjectVal(map[string]cty.Value{
		"name": text("web"), "tags": cty.SetVal([]cty.Value{text("c"), text("b")}),
		"metadata": cty.MapVal(map[string]cty.Value{"tier": text("db").Mark("s")}),
	})
	if got, want := Set(u, desired, inventory.Entry{Set: before}), (map[string][]string{"metadata": {"tier"}, "tags": {"b", "c"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("done: %v, want %v", got, want)
	}
	if got, want := Setting(u, desired, inventory.Entry{Set: before}, false), (map[string][]string{"metadata": {"n", "tier"}, "tags": {"a", "b", "c"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("begun: %v, want %v", got, want)
	}
	ignoring := &unit.Unit{Spec: &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance"), Ignore: []string{"tags"}}}
	if got := Set(ignoring, desired, inventory.Entry{Set: before}); !reflect.DeepEqual(got["tags"], []string{"a"}) {
		t.Errorf("ignored: %v", got)
	}
	making := func(recorded map[string][]string) map[string][]string {
		return Setting(ignoring, desired, inventory.Entry{Set: recorded}, true)
	}
	if got := making(nil); !reflect.DeepEqual(got["tags"], []string{"b", "c"}) {
		t.Errorf("ignored, and set as it is made: %v", got)
	}
	if got := Set(ignoring, desired, inventory.Entry{Set: making(nil)}); !reflect.DeepEqual(got["tags"], []string{"b", "c"}) {
		t.Errorf("ignored, and made: %v", got)
	}
	secret := cty.ObjectVal(map[string]cty.Value{
		"metadata": cty.MapVal(map[string]cty.Value{"token": text("x")}).Mark("s"), "tags": cty.SetVal([]cty.Value{text("x").Mark("s")}),
	})
	if got := Set(u, secret, inventory.Entry{}); got != nil {
		t.Errorf("sensitive: %v", got)
	}
	many := map[string]cty.Value{}
	for n := range maxSet + 1 {
		many[fmt.Sprint(n)] = text("")
	}
	if got := Setting(u, cty.ObjectVal(map[string]cty.Value{"metadata": cty.MapVal(many)}), inventory.Entry{Set: before}, false); len(got["metadata"]) != maxSet {
		t.Errorf("%d on record", len(got["metadata"]))
	}
}

// TestSetOfOlderRecords: what an older program set of nested blocks and kept no record of is taken for ours once the block
// writes it, and that of what was replaced once the block that took its place does.
func TestSetOfOlderRecords(t *testing.T) {
	limit := cty.ObjectVal(map[string]cty.Value{"direction": cty.StringVal("egress")})
	desired := cty.ObjectVal(map[string]cty.Value{"bandwidth_limit": cty.ListVal([]cty.Value{limit})})
	u := &unit.Unit{Spec: &unit.Resource{Kind: "qos_policy", Block: schema.New().Resource("qos_policy"), Ignore: []string{"bandwidth_limit"}}}
	set := func(keys ...string) map[string][]string { return map[string][]string{"bandwidth_limit": keys} }
	for name, test := range map[string]struct {
		entry inventory.Entry
		want  map[string][]string
	}{
		"an older one":    {inventory.Entry{}, set("egress")},
		"one of today":    {inventory.Entry{Set: set("ingress")}, set("ingress")},
		"of what was had": {inventory.Entry{Imported: true}, nil},
	} {
		if got := Set(u, desired, test.entry); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	entry := inventory.Entry{Set: set("egress")}
	for name, test := range map[string]struct{ had, want map[string][]string }{
		"an older one": {nil, set("egress")}, "nothing": {map[string][]string{}, map[string][]string{}}, "another": {set("ingress"), set("ingress")},
	} {
		if got := (Identity{}).Former(entry, inventory.Former{UID: "u", Set: test.had}); !reflect.DeepEqual(got.Set, test.want) || !got.Replaced {
			t.Errorf("%s: %+v, want %v", name, got, test.want)
		}
	}
}

// TestSetOfWhatConnects: what an object is connected to goes on record, other texts do not.
func TestSetOfWhatConnects(t *testing.T) {
	u := &unit.Unit{Spec: &unit.Resource{Kind: "floating_ip", Block: schema.New().Resource("floating_ip")}}
	desired := cty.ObjectVal(map[string]cty.Value{
		"floating_network": cty.StringVal("n1"), "port": cty.StringVal("p1"), "instance": cty.NullVal(cty.String),
	})
	if got, want := Set(u, desired, inventory.Entry{}), (map[string][]string{"port": {"p1"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	router := &unit.Unit{Spec: &unit.Resource{Kind: "router", Block: schema.New().Resource("router")}}
	joined := cty.ObjectVal(map[string]cty.Value{"subnets": cty.ListVal([]cty.Value{cty.StringVal("s2"), cty.StringVal("s1")})})
	if got, want := Setting(router, joined, inventory.Entry{Set: map[string][]string{"subnets": {"s0"}}}, false), (map[string][]string{"subnets": {"s0", "s1", "s2"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	router.Spec.(*unit.Resource).Ignore = []string{"subnets"} // what is recorded and not there would be looked for in each look
	if got := Set(router, joined, inventory.Entry{Set: map[string][]string{"subnets": {"s0"}}}); got != nil {
		t.Errorf("got %v of what is ignored", got)
	}
	if got := Setting(router, joined, inventory.Entry{}, true); got != nil {
		t.Errorf("got %v of what is ignored as it is made", got)
	}
	twice := cty.ObjectVal(map[string]cty.Value{"networks": cty.ListVal([]cty.Value{cty.StringVal("n1"), cty.StringVal("n2"), cty.StringVal("n1")})})
	servers := &unit.Unit{Spec: &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance")}}
	if got, want := Setting(servers, twice, inventory.Entry{Set: map[string][]string{"networks": {"n0", "n1", "n2", "n2"}}}, false), (map[string][]string{"networks": {"n0", "n1", "n1", "n2", "n2"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want each as often as it was, or is about to be: %v", got, want)
	}
	server := &unit.Unit{Spec: &unit.Resource{Kind: "instance", Block: schema.New().Resource("instance")}}
	connected := cty.ObjectVal(map[string]cty.Value{
		"networks": cty.ListVal([]cty.Value{cty.StringVal("n2"), cty.StringVal("n1"), cty.StringVal("n2"), cty.StringVal("x").Mark("s"), cty.UnknownVal(cty.String)}),
		"ports":    cty.ListVal([]cty.Value{cty.StringVal("p1")}),
	})
	if got, want := Set(server, connected, inventory.Entry{}), (map[string][]string{"networks": {"n1", "n2", "n2"}, "ports": {"p1"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
