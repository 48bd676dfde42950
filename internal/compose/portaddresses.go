package compose

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// portsAfterSubnets has ports that name no subnet made once those are there that the configuration has in their networks:
// Neutron gives a port its addresses as it makes it, and later none but of subnets with SLAAC or stateless DHCPv6. A port that
// came first would have no address for good. One that exists has what it gets, and waits for none that may never come.
func (c *composer) portsAfterSubnets() {
	subnets, ports := map[addr.Object][]addr.Object{}, map[addr.Object]addr.Object{} // by network, and networks by port
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		network := refersTo(r, "network")
		switch {
		case network.IsZero() || r.Address.Mode() == addr.Data:
		case r.Kind == "subnet":
			subnets[network] = append(subnets[network], r.Address)
		case r.Kind == "port" && !namesSubnets(r):
			ports[r.Address] = network
		}
	}
	if len(subnets) == 0 || len(ports) == 0 {
		return
	}
	units := map[addr.Object]*unit.Unit{}
	for i := range c.units {
		units[c.units[i].Address] = &c.units[i]
	}
	for network, all := range subnets { // one that waits for such a port itself comes after it, whatever that has
		subnets[network] = slices.DeleteFunc(all, func(subnet addr.Object) bool { return waitsForOne(units, subnet, ports) })
	}
	for port, network := range ports {
		u := units[port]
		for _, subnet := range subnets[network] {
			if !slices.ContainsFunc(u.Edges, func(e unit.Edge) bool { return e.To == subnet }) {
				u.Edges = append(u.Edges, unit.Edge{To: subnet, Until: unit.Installed, Gate: unit.GateStart, Making: true})
			}
		}
	}
}

// namesSubnets tells whether a port says of which subnets its addresses are.
func namesSubnets(r *model.Resource) bool {
	written := attributeOf(r, "fixed_ip")
	return written != cty.NilVal && written.LengthInt() > 0
}

// waitsForOne tells whether a unit waits for one of some others, directly or through more.
func waitsForOne(units map[addr.Object]*unit.Unit, from addr.Object, others map[addr.Object]addr.Object) bool {
	seen := map[addr.Object]bool{from: true}
	for queue := []addr.Object{from}; len(queue) > 0; queue = queue[1:] {
		u := units[queue[0]]
		if u == nil {
			continue
		}
		for _, e := range u.Edges {
			if _, is := others[e.To]; is {
				return true
			}
			if e.Gate != unit.GateKeep && !seen[e.To] {
				seen[e.To] = true
				queue = append(queue, e.To)
			}
		}
	}
	return false
}
