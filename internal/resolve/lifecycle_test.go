package resolve_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

func TestLifecycle(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
network "plain" {}
network "some" {
  lifecycle {
    ignore_changes        = [description, tags]
    create_before_destroy = true
    prevent_destroy       = true
    drift                 = "report"
  }
}
security_group "every" {
  lifecycle { ignore_changes = all }
}
`, nil)
	for name, want := range map[string]model.Lifecycle{
		"network.plain": {},
		"network.some": {
			Drift: model.DriftReport, PreventDestroy: true, CreateBeforeDestroy: true, IgnoreChanges: []string{"description", "tags"},
		},
		"security_group.every": {IgnoreChanges: []string{"name", "project", "description", "stateful", "tags", "rule"}},
	} {
		if got := m.Resource(object(name)).Lifecycle; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestTriggers has the values of replace evaluated for each object and at both stages.
func TestTriggers(t *testing.T) {
	m, e := mustResolve(t, reachOnly+`
variable "generation" { default = 7 }
network "none" {}
network "known" {
  lifecycle { replace_triggered_by = [var.generation, "x"] }
}
network "pair" {
  for_each = toset(["b"])
  name     = each.key
}
network "later" {
  for_each = { a = network.known.id }
  name     = each.key
  lifecycle { replace_triggered_by = [each.value, each.key, network.known, network.pair] }
}
`, nil)
	if v := m.Resource(object("network.none")).Triggers; v != cty.NilVal {
		t.Errorf("without any: %#v", v)
	}
	known := m.Resource(object("network.known")).Triggers
	if want := cty.TupleVal([]cty.Value{cty.NumberIntVal(7), cty.StringVal("x")}); !known.RawEquals(want) {
		t.Errorf("known: %#v", known)
	}
	later := m.Resource(object(`network.later["a"]`))
	if later.Triggers.IsWhollyKnown() || strings.Join(edges(later), " ") != `network.known network.pair["b"]` {
		t.Errorf("at load: %#v, it depends on %v", later.Triggers, later.Edges)
	}
	outputs := map[addr.Object]cty.Value{}
	for name, id := range map[string]string{"network.known": "id1", `network.pair["b"]`: "id2"} {
		outputs[object(name)] = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "mtu": cty.NumberIntVal(1500)})
	}
	got, diags := e.Triggers(later.Address, outputs)
	if want := cty.TupleVal([]cty.Value{cty.StringVal("id1"), cty.StringVal("a"), cty.StringVal("id1"), cty.ObjectVal(map[string]cty.Value{"b": cty.StringVal("id2")})}); !got.RawEquals(want) || len(diags) > 0 {
		t.Errorf("later: %#v %v", got, diags)
	}
	if v, diags := e.Triggers(object("network.other"), nil); v != cty.NilVal || len(diags) != 1 {
		t.Errorf("of nothing: %#v %v", v, diags)
	}
}

func TestDependsOnNodes(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
node "worker-7" { roles = ["compute"] }
network "web" { depends_on = [node.worker-7] }
`, nil)
	if got := edges(m.Resource(object("network.web"))); len(got) != 1 || got[0] != "node.worker-7" {
		t.Errorf("it depends on %v", got)
	}
}
