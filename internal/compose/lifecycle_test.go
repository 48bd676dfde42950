package compose_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

func TestLifecycleReachesTheUnit(t *testing.T) {
	m, ev := composed.Text(t, `
cloud "c" {
  openstack {
    cloud = "c"
  }
}
node "worker-7" { roles = ["compute"] }
network "web" {
  depends_on = [node.worker-7]
  lifecycle {
    ignore_changes        = [tags]
    create_before_destroy = true
    replace               = true
    replace_triggered_by  = ["x"]
  }
}
network "plain" {}
`)
	units, diags := compose.Compose(m, ev, compose.Facts{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	all := map[string]unit.Unit{}
	for _, u := range units {
		all[u.Address.String()] = u
	}
	web, plain := all["network.web"], all["network.plain"]
	spec := web.Spec.(*unit.Resource)
	if !web.CreateFirst || !web.MayLose || !slices.Equal(spec.Ignore, []string{"tags"}) {
		t.Errorf("got %+v %+v", web, spec)
	}
	values, diags := spec.Triggers(nil)
	if !values.RawEquals(cty.TupleVal([]cty.Value{cty.StringVal("x")})) || len(diags) > 0 {
		t.Errorf("it is replaced for %#v %v", values, diags)
	}
	want := unit.Edge{To: all["node.worker-7"].Address, Until: unit.Ready, Gate: unit.GateStart}
	if !slices.Equal(web.Edges, []unit.Edge{want}) {
		t.Errorf("it waits for %v", web.Edges)
	}
	if s := plain.Spec.(*unit.Resource); plain.CreateFirst || plain.MayLose || s.Ignore != nil || s.Triggers != nil || len(plain.Edges) > 0 {
		t.Errorf("got %+v", plain)
	}
}
