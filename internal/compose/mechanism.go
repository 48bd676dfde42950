package compose

import (
	"fmt"
	"slices"
	"strings"
)

// backendOfCharts is where the charts of Neutron, Nova and libvirt take what moves the packets. They have to agree.
const backendOfCharts = "network.backend"

// backends are the names that the charts have for backends of networks, of which a cloud has one.
func backends() map[string]string {
	return map[string]string{networkOVS: "openvswitch", networkOVN: "ovn"}
}

// mechanism tells of charts that were given another backend than the cloud's. There may be more beside that one, such as
// sriov.
func (c *composer) mechanism() {
	for _, service := range []string{"libvirt", "neutron", "nova"} {
		written := get(c.written[service], backendOfCharts)
		if written == nil || !c.deployed(service) {
			continue
		}
		names, _ := written.([]any)
		for network, name := range backends() {
			if slices.Contains(names, any(name)) == (network == c.m.Cloud.NetworkBackend) {
				continue
			}
			s := c.m.Service(service)
			at, text := c.whereKey(s, s.Settings, steps(backendOfCharts))
			c.failAt(codeValue, at, "another network backend than the cloud's",
				fmt.Sprintf("%s of %s is %v, and the network_backend of the cloud is %s", text, service, written, c.m.Cloud.NetworkBackend),
				fmt.Sprintf("take it away, or write a list with %s and without %s", backends()[c.m.Cloud.NetworkBackend], others(c.m.Cloud.NetworkBackend)))
			break
		}
	}
}

// others are the names of all backends but one.
func others(network string) string {
	var names []string
	for other, name := range backends() {
		if other != network {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}
