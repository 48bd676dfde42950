package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// backendOfCharts is where the charts of Neutron, Nova and libvirt take what moves the packets. They have to agree.
const backendOfCharts = "network.backend"

// backends are the names that the charts have for backends of networks, of which a cloud has one.
func backends() map[string]string {
	return map[string]string{networkOVS: "openvswitch", networkOVN: "ovn"}
}

// readBackend are the services whose charts read it.
func readBackend() []string { return []string{"libvirt", "neutron", "nova"} }

// mechanism warns of charts that were given another backend than the cloud's. There may be more beside that one, such as
// sriov.
func (c *composer) mechanism() {
	for _, service := range readBackend() {
		if !c.deployed(service) || c.otherBackend(service) == "" {
			continue
		}
		s, network := c.m.Service(service), c.m.Cloud.NetworkBackend
		at, text := c.whereKey(s, s.Settings, steps(backendOfCharts))
		c.failAt(codeUnsafe, at, "another network backend than the cloud's",
			fmt.Sprintf("%s of %s is %v, and the network_backend of the cloud is %s: which services and agents there are, the options of Neutron and what nodes are looked at for stay made for %s, and pods may wait for others that never come",
				text, service, get(c.written[service], backendOfCharts), network, network),
			fmt.Sprintf("take it away, or write a list with %s and without %s", backends()[network], others(network)))
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// otherBackend says which of the backends a chart was given in the place of the cloud's, or beside it; "" where it has that.
func (c *composer) otherBackend(service string) string {
	written := get(c.written[service], backendOfCharts)
	if written == nil {
		return ""
	}
	names, _ := written.([]any)
	var given []string
	for _, name := range backends() {
		if slices.Contains(names, any(name)) {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	switch text := strings.Join(given, " and "); text {
	case backends()[c.m.Cloud.NetworkBackend]:
		return ""
	case "":
		return "neither"
	default:
		return text
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
