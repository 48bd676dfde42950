package openstack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const portsAttribute = "ports"

// instanceDetail is what is known of an instance besides its values.
type instanceDetail struct {
	ports []serverPort
	// unresized says why a resize of ours had no effect, "" where none is known of.
	unresized string
	// awaited says by the names of attributes what they wait for.
	awaited map[string]string
}

// serverPort is what we need to know of a port of an instance.
type serverPort struct {
	id, network, created string
	groups, addresses    []string
	filtered             bool // by security groups
	declared             bool // by the block, as a port of its own
}

// serverPorts reads the ports that instances have by themselves.
func serverPorts(raws []map[string]any) []serverPort {
	var ports []serverPort
	for _, raw := range raws {
		if !strings.HasPrefix(textAt(raw, "device_owner"), "compute:") {
			continue
		}
		p := serverPort{
			id: textAt(raw, "id"), network: textAt(raw, "network_id"), created: textAt(raw, "created_at"),
			groups: textsAt(raw, "security_groups"), filtered: raw["port_security_enabled"] != false,
		}
		for _, address := range objectsAt(raw, "fixed_ips") {
			p.addresses = append(p.addresses, textAt(address, "ip_address"))
		}
		ports = append(ports, p)
	}
	return ports
}

func unmarked(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return v
	}
	v, _ = v.UnmarkDeep()
	return v
}

// join takes networks, addresses and security groups from the ports: the list of servers has networks
// and groups by name only, and names are not unique. Lists do not show the order of interfaces: where
// the block names networks their order is taken from there, else from the ports' age.
func (k instanceKind) join(f found, raws []map[string]any) {
	o, ports := f.object, serverPorts(raws)
	order := listOf(unmarked(attribute(f.want, "networks")))
	declared := listOf(unmarked(attribute(f.want, portsAttribute)))
	for i := range ports {
		ports[i].declared = slices.Contains(declared, ports[i].id)
	}
	slices.SortFunc(ports, func(a, b serverPort) int {
		if a.declared != b.declared {
			return map[bool]int{true: 1, false: -1}[a.declared]
		}
		if a.declared {
			return cmp.Compare(place(declared, a.id), place(declared, b.id))
		}
		return cmp.Or(cmp.Compare(place(order, a.network), place(order, b.network)), cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	detail, _ := o.detail.(instanceDetail)
	detail.ports = ports
	o.detail = detail
	if o.health == unit.HealthProgressing && len(ports) == 0 || o.partial && len(ports) < len(order)+len(declared) {
		return // they come one by one while it is being built
	}
	var ids, networks, addresses, groups []string
	for _, p := range ports {
		ids, addresses = append(ids, p.id), append(addresses, p.addresses...)
		if p.declared { // it has its own network and security groups
			continue
		}
		networks, groups = append(networks, p.network), append(groups, p.groups...)
	}
	o.values.set(portsAttribute, texts(ids, cty.List(cty.String)))
	slices.Sort(groups)
	o.values.set("networks", texts(networks, cty.List(cty.String)))
	o.values.set("addresses", texts(addresses, cty.List(cty.String)))
	o.values.set("security_groups", texts(slices.Compact(groups), cty.List(cty.String)))
	if len(addresses) > 0 {
		i := max(0, slices.IndexFunc(addresses, func(a string) bool { return strings.Contains(a, ".") }))
		o.values.set("access_ip", cty.StringVal(addresses[i]))
	}
}

func place(order []string, network string) int {
	if i := slices.Index(order, network); i >= 0 {
		return i
	}
	return len(order)
}

// portsToChange are the ports that have other security groups than wanted. Ports without any
// filter have none and keep it so.
func portsToChange(want []string, o *object) []string {
	detail, _ := o.detail.(instanceDetail)
	want = slices.Sorted(slices.Values(want))
	var changed []string
	for _, p := range detail.ports {
		if p.filtered && !p.declared && !slices.Equal(slices.Sorted(slices.Values(p.groups)), want) {
			changed = append(changed, p.id)
		}
	}
	return changed
}
