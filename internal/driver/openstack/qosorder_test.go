package openstack_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestBedGuaranteesBesideLimits changes what a policy guarantees and what it limits in one go, down and up: Neutron takes no
// limit below a guarantee of the policy, whatever their directions.
func TestBedGuaranteesBesideLimits(t *testing.T) {
	b := newBench(t)
	limits := func(egress, ingress int64) cty.Value {
		return objects(values{"direction": text("egress"), "max_kbps": number(egress)}, values{"direction": text("ingress"), "max_kbps": number(ingress)})
	}
	least := func(egress, ingress int64) cty.Value {
		return objects(values{"direction": text("egress"), "min_kbps": number(egress)}, values{"direction": text("ingress"), "min_kbps": number(ingress)})
	}
	policy := target(t, "qos_policy", unique("policy"), values{"bandwidth_limit": limits(1000, 1000), "minimum_bandwidth": least(500, 500)})
	b.converge(t, &policy)
	for _, next := range []values{
		{"bandwidth_limit": limits(100, 200), "minimum_bandwidth": least(50, 60)},
		{"bandwidth_limit": limits(3000, 4000), "minimum_bandwidth": least(2000, 40)},
		{"bandwidth_limit": limits(300, 300), "minimum_bandwidth": least(200, 300)},
	} {
		policy = with(t, policy, next)
		b.converge(t, &policy)
		b.settled(t, policy, "/v2.0/qos/policies")
	}
	policy = recorded(policy, map[string][]string{"bandwidth_limit": {"egress", "ingress"}, "minimum_bandwidth": {"egress", "ingress"}})
	policy = with(t, policy, values{"bandwidth_limit": limits(10, 20), "minimum_bandwidth": emptyBlocks("qos_policy", "minimum_bandwidth")})
	if got := blocksAt(b.converge(t, &policy), "bandwidth_limit", "max_kbps"); got != "10 20" && got != "20 10" {
		t.Errorf("the limits are %s", got)
	}
}
