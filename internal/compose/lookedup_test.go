package compose_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestReferenceToWhatIsLookedUp: a reference gets what OpenStack says of an attribute that nothing is searched by.
func TestReferenceToWhatIsLookedUp(t *testing.T) {
	m, ev := composed.Text(t, `
cloud "prod" {
  region = "RegionOne"
  openstack { cloud = "prod" }
}
data "network" "public" { name = "public" }
network "web" { mtu = data.network.public.mtu }
`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	looked, web := units["data.network.public"].Spec.(*unit.Resource), units["network.web"].Spec.(*unit.Resource)
	if !slices.Equal(looked.Uses, []string{"mtu"}) || web.Uses != nil {
		t.Errorf("used are %q of the one, and %q of the other", looked.Uses, web.Uses)
	}
	if web.Desired.GetAttr("mtu").IsKnown() {
		t.Fatal("it is known before anything was looked up")
	}
	seen := map[string]cty.Value{}
	for name, typ := range looked.Block.ObjectType().AttributeTypes() { // as a driver makes outputs
		seen[name] = cty.NullVal(typ)
	}
	if _, there := seen["mtu"]; there {
		seen["mtu"] = cty.NumberIntVal(1450)
	}
	late, diags := web.Resolve(map[addr.Object]cty.Value{units["data.network.public"].Address: cty.ObjectVal(seen)})
	if got := late.GetAttr("mtu"); len(diags) > 0 || !got.RawEquals(cty.NumberIntVal(1450)) {
		t.Errorf("%#v, %v", got, diags)
	}
}
