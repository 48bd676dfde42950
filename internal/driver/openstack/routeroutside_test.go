package openstack_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestBedRoutesThroughTheGateway has a route by a router outside follow the gateway to another network, and go with it:
// Neutron takes no gateway from a router that a route passes.
func TestBedRoutesThroughTheGateway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, _ := segment(t, b, "203.0.113.0/25", values{"external": cty.True})
	second, _ := segment(t, b, "203.0.113.128/25", values{"external": cty.True})
	route := func(by string) cty.Value {
		return objects(values{"destination": text("10.23.0.0/16"), "next_hop": text(by)})
	}
	router := target(t, "router", unique("router"), values{"external_network": text(first), "route": route("203.0.113.99")})
	b.converge(t, &router)
	router = recorded(router, map[string][]string{"external_network": {first}, "route": {"10.23.0.0/16 203.0.113.99"}})
	router = with(t, router, values{"external_network": text(second), "route": route("203.0.113.199")})
	if got := blocksAt(b.converge(t, &router), "route", "next_hop"); got != "203.0.113.199" {
		t.Errorf("the route is by %s", got)
	}
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	router = recorded(router, map[string][]string{"external_network": {second}, "route": {"10.23.0.0/16 203.0.113.199"}})
	router = with(t, router, values{"external_network": cty.NullVal(cty.String), "route": emptyBlocks("router", "route")})
	if st := b.converge(t, &router); !st.Outputs.GetAttr("external_network").IsNull() {
		t.Errorf("the gateway is still there: %#v", st.Outputs)
	}
}
