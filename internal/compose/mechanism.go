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
		if !c.deployed(service) || c.otherBackend(service) == "" && !takenAway(c.written[service], backendOfCharts) {
			continue
		}
		s, network := c.m.Service(service), c.m.Cloud.NetworkBackend
		at, text := c.whereKey(s, s.Settings, steps(backendOfCharts))
		is := "null"
		if v := get(c.written[service], backendOfCharts); v != nil {
			is = fmt.Sprint(v)
		}
		c.failAt(codeUnsafe, at, "another network backend than the cloud's",
			fmt.Sprintf("%s of %s is %s, and the network_backend of the cloud is %s: which services and agents there are, the options of Neutron and what nodes are looked at for stay made for %s, and pods may wait for others that never come",
				text, service, is, network, network),
			fmt.Sprintf("take it away, or write a list with %s and without %s", backends()[network], others(network)))
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// connection is an option of Neutron by which it works with what moves the packets: what it has for each backend, of which it needs
// its own and stands none of the other's.
type connection struct {
	path, summary string
	names         map[string]string // by the backend of the cloud
	without       string            // what becomes of it otherwise
	derived       bool              // by the chart from network.backend, where nothing is written
}

// connections are these options.
func connections() []connection {
	return []connection{
		{
			"conf.plugins.ml2_conf.ml2.mechanism_drivers", "mechanism drivers of another network backend",
			map[string]string{networkOVS: "openvswitch", networkOVN: networkOVN},
			"no port of an instance could be bound", true,
		},
		{
			"conf.neutron.DEFAULT.service_plugins", "plugins of another network backend",
			map[string]string{networkOVS: "router", networkOVN: "ovn-router"},
			"there would be no routers that work", false,
		},
	}
}

// tellConnections warns where Neutron is told to work with another backend than the cloud's, or with none. More drivers and plugins
// may be beside the cloud's.
func (c *composer) tellConnections() {
	const service = "neutron"
	if !c.deployed(service) {
		return
	}
	network := c.m.Cloud.NetworkBackend
	for _, option := range connections() {
		v := get(c.written[service], option.path)
		if _, secret := v.(hidden); secret || !covers(c.written[service], option.path) {
			continue
		}
		given, own := namesIn(v), option.names[network]
		foreign := slices.ContainsFunc(given, func(name string) bool {
			return network == networkOVS && name == option.names[networkOVN] // the other way round it has nothing to do
		})
		has := slices.ContainsFunc(given, func(name string) bool { return name == own || strings.Contains(name, ".") }) // a class may be that
		if has && !foreign || len(given) == 0 && option.derived {
			continue
		}
		s := c.m.Service(service)
		at, text := c.whereKey(s, s.Settings, steps(option.path))
		is, hint := "has "+strings.Join(given, ", "), fmt.Sprintf("take it away, or write a list with %s in it", own)
		if len(given) == 0 {
			is = "has nothing"
		}
		if foreign {
			hint = fmt.Sprintf("take it away, or write a list with %s and without %s", own, option.names[networkOVN])
		}
		c.failAt(codeUnsafe, at, option.summary,
			fmt.Sprintf("%s of %s %s, and the network_backend of the cloud is %s, which needs %s: %s", text, service, is, network, own, option.without), hint)
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
