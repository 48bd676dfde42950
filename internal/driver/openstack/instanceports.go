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
	// loose are the volumes that are wanted no longer, and can be detached now.
	loose []string
}

// serverPort is what we need to know of a port of an instance.
type serverPort struct {
	id, network, created string
	groups, addresses    []string
	filtered             bool // by security groups
	declared             bool // by the block, as a port of its own
	theirs               bool // attached by others, beside what the block names
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

// rank is where an interface comes: what Nova has made for the block, then the block's own ports, then those of others.
func (p serverPort) rank() int {
	switch {
	case p.theirs:
		return 2
	case p.declared:
		return 1
	}
	return 0
}

// join takes networks, addresses and security groups from the ports: the list of servers has networks
// and groups by name only, and names are not unique. Lists do not show the order of interfaces: where
// the block names networks their order is taken from there, else from the ports' age. Ports beside those that
// the block names are of others, the youngest of a network first.
func (k instanceKind) join(f found, raws []map[string]any) {
	o, ports := f.object, serverPorts(raws)
	order, named := namedIn(f.want, "networks")
	declared, own := namedIn(f.want, portsAttribute)
	for i := range ports {
		ports[i].declared = slices.Contains(declared, ports[i].id)
	}
	compare := func(a, b serverPort) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(place(declared, a.id), place(declared, b.id)),
			cmp.Compare(place(order, a.network), place(order, b.network)), cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	}
	slices.SortFunc(ports, compare)
	left := slices.Clone(order)
	for i := range ports {
		p := &ports[i]
		if p.declared || !named && !own {
			continue
		}
		at := slices.Index(left, p.network)
		if p.theirs = at < 0; !p.theirs {
			left = slices.Delete(left, at, at+1)
		}
	}
	slices.SortFunc(ports, compare)
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
		networks = append(networks, p.network)
		if !p.theirs {
			groups = append(groups, p.groups...)
		}
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

// without are the names that are not there, each of them as often as it is wanted.
func without(want, have []string) []string {
	left, lacks := slices.Clone(have), []string(nil)
	for _, name := range want {
		at := slices.Index(left, name)
		if at < 0 {
			lacks = append(lacks, name)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	return lacks
}

// namedIn returns what a list of the block names, and whether it is written at all as far as that is known.
func namedIn(want cty.Value, name string) (names []string, written bool) {
	v := unmarked(attribute(want, name))
	return listOf(v), v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown()
}

func place(order []string, network string) int {
	if i := slices.Index(order, network); i >= 0 {
		return i
	}
	return len(order)
}

// portsToChange are the ports that have other security groups than wanted. Ports without any
// filter have none and keep it so, and those of others have their own.
func portsToChange(want []string, o *object) []string {
	detail, _ := o.detail.(instanceDetail)
	want = slices.Sorted(slices.Values(want))
	var changed []string
	for _, p := range detail.ports {
		if p.filtered && !p.declared && !p.theirs && !slices.Equal(slices.Sorted(slices.Values(p.groups)), want) {
			changed = append(changed, p.id)
		}
	}
	return changed
}
