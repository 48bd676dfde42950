package openstack

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	portsAttribute = "ports"
	groupsOfPorts  = "security_groups"
	interfacesPath = "os-interface"
)

// instanceDetail is what is known of an instance besides its values.
type instanceDetail struct {
	ports []serverPort
	// named are the networks that are on record as those of the block.
	named []string
	// leaving are the ports that Nova made in networks which the block names no longer, or less often.
	leaving []string
	// alike says which ports in such a network may be of others, so that none of them goes; "" where that is clear.
	alike string
	// unsure says that a network was taken out since the last request for a port.
	unsure bool
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
	named, marked        bool // by a block of its own, or as others name theirs: Nova does neither
	declared             bool // by the block, as a port of its own
	theirs               bool // attached by others, beside what the block names
}

// ofBlock tells whether the security groups of the instance's block are for the port: not of one that others attached, or
// that has a block of its own.
func (p serverPort) ofBlock() bool { return !p.declared && !p.theirs && !p.marked }

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
		_, mark := splitMark(textAt(raw, keyDescription))
		p.named, p.marked = textAt(raw, "name") != "", mark != ""
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
	order, named := namedIn(f.want, networksAttribute)
	declared, own := namedIn(f.want, portsAttribute)
	for i, p := range ports {
		// What no block has yet is exported with the ports beside it that become blocks. One that is to be detached is none
		// of those that Nova has made.
		ports[i].declared = slices.Contains(declared, p.id) || slices.Contains(f.set[portsAttribute], p.id) || f.whole && (p.named || p.marked)
	}
	compare := func(a, b serverPort) int {
		byNova := cmp.Compare(place(order, a.network), place(order, b.network))
		if byNova == 0 && named && a.marked != b.marked { // one that has a block of its own is not what Nova made for this one
			byNova = map[bool]int{true: 1, false: -1}[a.marked]
		}
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(place(declared, a.id), place(declared, b.id)),
			byNova, cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
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
	detail.ports, detail.named = ports, f.set[networksAttribute]
	if named {
		detail.leaving, detail.alike = portsLeaving(ports, order, detail.named)
		detail.unsure = len(without(detail.named, order)) > 0
	}
	o.detail = detail
	if o.health == unit.HealthProgressing && len(ports) == 0 || o.partial && len(ports) < len(order)+len(declared) {
		return // they come one by one while it is being built
	}
	var ids, networks, addresses, groups []string
	for _, p := range ports {
		if addresses = append(addresses, p.addresses...); !f.whole || p.declared {
			ids = append(ids, p.id)
		}
		if p.declared { // it has its own network and security groups
			continue
		}
		networks = append(networks, p.network)
		if p.ofBlock() {
			groups = append(groups, p.groups...)
		}
	}
	o.values.set(portsAttribute, texts(ids, cty.List(cty.String)))
	slices.Sort(groups)
	o.values.set(networksAttribute, texts(networks, cty.List(cty.String)))
	o.values.set("addresses", texts(addresses, cty.List(cty.String)))
	o.values.set("security_groups", texts(slices.Compact(groups), cty.List(cty.String)))
	if len(addresses) > 0 {
		i := max(0, slices.IndexFunc(addresses, func(a string) bool { return strings.Contains(a, ".") }))
		o.values.set("access_ip", cty.StringVal(addresses[i]))
	}
	k.followPlug(f)
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
// filter have none and keep it so, and those of others or with a block of their own have their own.
func portsToChange(want []string, o *object) []string {
	detail, _ := o.detail.(instanceDetail)
	want = slices.Compact(slices.Sorted(slices.Values(want)))
	var changed []string
	for _, p := range detail.ports {
		if p.filtered && p.ofBlock() && !slices.Equal(slices.Sorted(slices.Values(p.groups)), want) {
			changed = append(changed, p.id)
		}
	}
	return changed
}

// groupSets are the different sets of security groups that the ports have which the block's are for.
func groupSets(o *object) [][]string {
	detail, _ := o.detail.(instanceDetail)
	var sets [][]string
	for _, p := range detail.ports {
		groups := slices.Sorted(slices.Values(p.groups))
		if p.filtered && p.ofBlock() && !slices.ContainsFunc(sets, func(set []string) bool { return slices.Equal(set, groups) }) {
			sets = append(sets, groups)
		}
	}
	return sets
}

// theirs are security groups that differ between the ports, which no list of the block can say.
func (k instanceKind) theirs(o *object) []string {
	if len(groupSets(o)) > 1 {
		return []string{groupsOfPorts}
	}
	return nil
}

// tells the security groups of each port where they differ: all of them together may be what is wanted of each; and the
// networks of the block without those that others have attached it to.
func (k instanceKind) tells(name string, o *object) string {
	if name == networksAttribute {
		return ownNetworks(o)
	}
	sets := groupSets(o)
	if name != groupsOfPorts || len(sets) < 2 {
		return ""
	}
	var each []string
	for _, set := range sets {
		each = append(each, show(texts(set, cty.List(cty.String))))
	}
	return strings.Join(each, " and ") + ", by interface"
}

// detach takes ports away from an instance. They stay, as Nova has not made them, and are free once they tell of no
// device any more: Nova does not say how far it is.
func (k instanceKind) detach(ctx context.Context, s *session, o *object, ports []string) error {
	err := takeAway(ports, func(port string) error {
		return s.erase(ctx, serviceCompute, pathOf("servers", o.id, interfacesPath, port))
	})
	if err != nil {
		return err
	}
	for _, port := range ports {
		err := waitForPort(ctx, s, port, "detach", func(now map[string]any) bool { return textAt(now, "device_id") != o.id })
		if err != nil {
			return err
		}
	}
	return nil
}
