package model

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// At returns where an attribute of the network was written, or the block.
func (n *PhysicalNetwork) At(attribute string) diag.Range {
	return orElse(n.Ranges[attribute], n.Range)
}

// physicalNetworks checks that there is something that connects them, and that each has a bridge and a device of its
// own.
func (c *checker) physicalNetworks(cloud *Cloud) {
	taken := map[string]string{} // by the name: a bridge is a device as well
	for _, own := range []string{"br-int", "br-tun"} {
		taken[own] = "a bridge of Neutron's agents"
	}
	for i := range cloud.Physical {
		n := &cloud.Physical[i]
		if len(cloud.Services) == 0 {
			c.fail(codeIncomplete, n.Range, "nothing to connect", "the cloud has no service block, so it has no Neutron of its own that networks could be connected to",
				"take the block away; an OpenStack that is there has its own")
			continue
		}
		for _, use := range [][2]string{{"bridge", n.Bridge}, {"device", n.Device}} {
			if use[1] == "" {
				continue
			}
			if c.usedTwice(n, use[0], use[1], taken) {
				continue
			}
			taken[use[1]] = fmt.Sprintf("the %s of the physical network %s", use[0], n.Name)
		}
	}
	// Devices of some nodes can be those of another network on others, which is found out for each node.
	for i := range cloud.Physical {
		n := &cloud.Physical[i]
		if n.Devices != nil && len(n.Devices) == 0 {
			c.fail(codeInvalid, n.At("devices"), "no devices", "devices is empty, so no node has a device for the network", "write an entry, or take the line away, which leaves the bridge to whoever looks after the nodes")
		}
		for _, d := range n.Devices {
			c.usedTwice(n, "devices", d.Device, taken)
		}
	}
}

// usedTwice tells of a bridge or device that is something else already.
func (c *checker) usedTwice(n *PhysicalNetwork, attribute, name string, taken map[string]string) bool {
	other, found := taken[name]
	if found {
		c.fail(codeInvalid, n.At(attribute), "used twice",
			fmt.Sprintf("%q is %s already, and a bridge or device is part of one network only", name, other), "give each of them its own")
	}
	return found
}
