package schema

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// The rules that Neutron has for subnets and for rules of security groups, and nothing that it takes: a
// gateway beside the range, for example, is for a link that leads there.

func subnetRules() []Rule {
	return []Rule{
		{
			Doc:      "cidr, subnet_pool or both are written; prefix_length is of what is taken from subnet_pool.",
			breaches: rangeSourceBreaches,
		},
		{Doc: "cidr has a prefix of at least one bit: Neutron takes no range of all addresses.", breaches: wholeBreaches},
		{
			Doc:      "An allocation pool lies in cidr, does not end before it starts, and shares no address with another one.",
			breaches: poolBreaches,
		},
		{
			Doc:      "The gateway, which is the second address of cidr, or the first one of IPv6, unless gateway_ip or no_gateway is written, is in none of the allocation pools. A written one is of the version of IP of cidr, and is neither the first nor the last address of a range of IPv4, which stand for the network.",
			breaches: gatewayBreaches,
		},
		{Doc: "Destination and next hop of a host route are of the version of IP of cidr.", breaches: routeBreaches},
		{
			Doc:      "ipv6_address_mode and ipv6_ra_mode are of a range of IPv6 with enable_dhcp, and the same where both are written. With slaac and dhcpv6-stateless, the range has a prefix of 64 bits.",
			breaches: modeBreaches,
		},
	}
}

func rangeSourceBreaches(v values) []Breach {
	switch {
	case !v.missing("subnet_pool"):
		return nil
	case !v.missing("prefix_length"):
		return []Breach{{Attribute: "prefix_length", Says: "needs the subnet pool that the range is taken from", Hint: "write subnet_pool beside it, or cidr in its place"}}
	case v.missing("cidr"):
		return []Breach{{Attribute: "cidr", Says: "or subnet_pool must be written", Hint: "write the range, such as cidr = \"10.1.0.0/24\", or the pool that it is taken from"}}
	}
	return nil
}

// wholeBreaches: dnsmasq cannot serve such a range (_validate_subnet_cidr in neutron/db/ipam_backend_mixin.py).
func wholeBreaches(v values) []Breach {
	text, _ := v.text("cidr")
	if cidr, err := netip.ParsePrefix(text); err != nil || cidr.Bits() > 0 {
		return nil
	}
	return []Breach{{Attribute: "cidr", Says: "is a range of all addresses, which Neutron does not take", Hint: "write a smaller one, such as \"10.1.0.0/24\""}}
}

// pool is an allocation pool; its addresses are not valid where they are not known.
type pool struct{ start, end netip.Addr }

func (p pool) known() bool { return p.start.IsValid() && p.end.IsValid() }

func (p pool) holds(a netip.Addr) bool { return !a.Less(p.start) && !p.end.Less(a) }

func poolsOf(v values) []pool {
	var pools []pool
	for _, element := range v.list("allocation_pools") {
		start, _ := element.text("start")
		end, _ := element.text("end")
		pools = append(pools, pool{addressOf(start), addressOf(end)})
	}
	return pools
}

// addressOf is not valid for a text that is none, which its format tells.
func addressOf(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap()
}

func rangeOf(v values, name string) (netip.Prefix, bool) {
	text, ok := v.text(name)
	if !ok {
		return netip.Prefix{}, false
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err == nil
}

func poolBreaches(v values) []Breach {
	const name = "allocation_pools"
	var found []Breach
	add := func(i int, field, says, hint string) {
		path := cty.Path{}.Index(cty.NumberIntVal(int64(i)))
		if field != "" {
			path = path.GetAttr(field)
		}
		found = append(found, Breach{Attribute: name, Path: path, Says: says, Hint: hint})
	}
	cidr, bounded := rangeOf(v, "cidr")
	pools := poolsOf(v)
	for i, p := range pools {
		outside := false
		for _, side := range []struct {
			field   string
			address netip.Addr
		}{{"start", p.start}, {"end", p.end}} {
			if bounded && side.address.IsValid() && !cidr.Contains(side.address) {
				outside = true
				add(i, side.field, "must be an address in cidr", "write one that is in cidr, or another cidr")
			}
		}
		switch {
		case outside:
			pools[i] = pool{} // where it ends or begins is not known
		case !p.known():
		case p.start.Is4() == p.end.Is4() && p.end.Less(p.start):
			pools[i] = pool{}
			add(i, "end", "must be start or an address behind it", "exchange the two, or correct one of them")
		default:
			if other := slices.IndexFunc(pools[:i], func(o pool) bool { return o.known() && o.holds(p.start) || o.known() && p.holds(o.start) }); other >= 0 {
				add(i, "", fmt.Sprintf("must be apart from %s[%d], as no address is in two of them", name, other), "make one pool of the two, or let one end before the other starts")
			}
		}
	}
	return found
}

func gatewayBreaches(v values) []Breach {
	const name = "gateway_ip"
	text, _ := v.text(name)
	gateway := addressOf(text)
	cidr, bounded := rangeOf(v, "cidr")
	switch {
	case v.missing(name) && bounded:
		return firstAddressBreaches(v, cidr)
	case !gateway.IsValid():
		return nil
	case bounded && gateway.Is4() != cidr.Addr().Is4():
		return []Breach{{Attribute: name, Says: "must be an address of " + version(cidr.Addr()) + ", as cidr is", Hint: "write one that is in cidr"}}
	case bounded && gateway.Is4() && cidr.Bits() < 31 && cidr.Contains(gateway) && (gateway == cidr.Addr() || !cidr.Contains(gateway.Next())):
		return []Breach{{Attribute: name, Says: "must be neither the first nor the last address of cidr, which stand for the network", Hint: "write the address of a router, such as the second one of cidr"}}
	}
	for i, p := range poolsOf(v) {
		if p.known() && p.start.Is4() == gateway.Is4() && p.holds(gateway) {
			return []Breach{{Attribute: name, Says: fmt.Sprintf("must be outside of allocation_pools[%d], whose addresses are for others", i), Hint: "let the pool start behind the gateway, or end before it"}}
		}
	}
	return nil
}

// firstAddressBreaches looks at the gateway that Neutron chooses when none is written.
func firstAddressBreaches(v values, cidr netip.Prefix) []Breach {
	if plain := plainOf(v["no_gateway"]); !v.missing("no_gateway") && (plain == cty.NilVal || plain.True()) {
		return nil
	}
	gateway, place := cidr.Addr(), "first"
	if gateway.Is4() {
		gateway, place = gateway.Next(), "second"
	}
	for i, p := range poolsOf(v) {
		if cidr.Contains(p.start) && cidr.Contains(p.end) && p.holds(gateway) { // what is outside is told already
			return []Breach{{
				Attribute: "allocation_pools", Path: cty.Path{}.Index(cty.NumberIntVal(int64(i))),
				Says: "must leave out the " + place + " address of cidr, which is the gateway unless another one is written",
				Hint: "let the pool start behind it, or write gateway_ip with the address of the router, or no_gateway = true",
			}}
		}
	}
	return nil
}

func version(a netip.Addr) string {
	if a.Is4() {
		return "IPv4"
	}
	return "IPv6"
}

func routeBreaches(v values) []Breach {
	cidr, bounded := rangeOf(v, "cidr")
	if !bounded {
		return nil
	}
	var found []Breach
	for i, route := range v.list("host_routes") {
		add := func(field string, a netip.Addr) {
			if a.IsValid() && a.Is4() != cidr.Addr().Is4() {
				found = append(found, Breach{
					Attribute: "host_routes", Path: cty.Path{}.Index(cty.NumberIntVal(int64(i))).GetAttr(field),
					Says: "must be of " + version(cidr.Addr()) + ", as cidr is", Hint: "correct it, or write the route in a subnet of the other version",
				})
			}
		}
		if destination, ok := rangeOf(route, "destination"); ok {
			add("destination", destination.Addr())
		}
		hop, _ := route.text("next_hop")
		add("next_hop", addressOf(hop))
	}
	return found
}

func groupRuleRules() []Rule {
	return []Rule{
		{
			Doc:      "Ports need a protocol that has them, by name or number: tcp, udp, udplite, sctp or dccp. They begin with 1, and port_max is not below port_min. Of icmp and ipv6-icmp they are type and code, from 0 to 255, and there is no code without a type.",
			breaches: portBreaches,
		},
		{Doc: "The ethertype is that of remote_cidr, and IPv6 with a protocol that only IPv6 has, such as ipv6-icmp.", breaches: ethertypeBreaches},
		{Doc: "remote_address_group goes without remote_group and self, as a rule has one other end.", breaches: remoteBreaches},
	}
}

func remoteBreaches(v values) []Breach {
	const name = "remote_address_group"
	if v.missing(name) {
		return nil
	}
	for _, other := range []string{"remote_group", "self"} {
		if plain := plainOf(v[other]); !v.missing(other) && (other != "self" || plain == cty.NilVal || plain.True()) {
			return []Breach{{Attribute: name, Says: "must not be written beside " + other + ": a rule has one other end", Hint: "take one of the two out, or write two rules"}}
		}
	}
	return nil
}

const (
	portMin = "port_min"
	portMax = "port_max"
)

func portBreaches(v values) []Breach {
	low, hasLow := v.number(portMin)
	high, hasHigh := v.number(portMax)
	protocol, known := v.text("protocol")
	protocol = strings.ToLower(protocol)
	of := portMin
	if !hasLow {
		of = portMax
	}
	switch {
	case !hasLow && !hasHigh:
		return nil
	case v.missing("protocol") || known && (protocol == "any" || protocol == "0"):
		return []Breach{{Attribute: of, Says: "needs a protocol that has ports, and there is none", Hint: `write the protocol, such as protocol = "tcp"; without ports the rule is about all of them`}}
	case !known:
		return nil
	case slices.Contains([]string{"icmp", "icmpv6", "ipv6-icmp", "1", "58"}, protocol):
		return icmpBreaches(v, low, high, hasLow, hasHigh)
	case !slices.Contains([]string{"tcp", "udp", "udplite", "sctp", "dccp", "6", "17", "136", "132", "33"}, protocol):
		return []Breach{{Attribute: of, Says: "needs a protocol that has ports, which are tcp, udp, udplite, sctp and dccp", Hint: "take the ports away, or correct the protocol"}}
	}
	return rangeBreaches(low, high, hasLow, hasHigh)
}

func rangeBreaches(low, high int64, hasLow, hasHigh bool) []Breach {
	const must, hint = "must be 1 or more, as there is no port 0", "write 1 for the first port, or no ports at all for all of them"
	var found []Breach
	if hasLow && low == 0 {
		found = append(found, Breach{Attribute: portMin, Says: must, Hint: hint})
	}
	if hasHigh && high == 0 {
		found = append(found, Breach{Attribute: portMax, Says: must, Hint: hint})
	}
	if len(found) == 0 && hasLow && hasHigh && high < low {
		found = append(found, Breach{Attribute: portMax, Says: "must be port_min or more", Hint: "exchange the two, or correct one of them"})
	}
	return found
}

// icmpBreaches looks at type and code.
func icmpBreaches(v values, kind, code int64, hasType, hasCode bool) []Breach {
	const largest = 255
	var found []Breach
	if hasType && kind > largest {
		found = append(found, Breach{Attribute: portMin, Says: "must be the type of ICMP, from 0 to 255", Hint: "write, for example: port_min = 8, which is a request for an echo"})
	}
	if hasCode && code > largest {
		found = append(found, Breach{Attribute: portMax, Says: "must be the code of ICMP, from 0 to 255", Hint: "take it away for all codes"})
	}
	if hasCode && v.missing(portMin) {
		found = append(found, Breach{Attribute: portMax, Says: "needs port_min, as there is no code of ICMP without a type", Hint: "write the type: port_min = 8"})
	}
	return found
}

func ethertypeBreaches(v values) []Breach {
	ethertype, known := v.text("ethertype")
	if !known {
		return nil
	}
	if remote, ok := rangeOf(v, "remote_cidr"); ok && version(remote.Addr()) != ethertype {
		return []Breach{{
			Attribute: "remote_cidr", Says: fmt.Sprintf("must be a network of %s, which is the ethertype of the rule", ethertype),
			Hint: fmt.Sprintf("write ethertype = %q, or another network", version(remote.Addr())),
		}}
	}
	protocol, _ := v.text("protocol")
	only := []string{"ipv6-encap", "ipv6-frag", "ipv6-icmp", "icmpv6", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "41", "44", "58", "59", "60", "43"}
	if ethertype == "IPv4" && slices.Contains(only, strings.ToLower(protocol)) {
		return []Breach{{Attribute: "protocol", Says: "must be one that IPv4 has, which is the ethertype of the rule", Hint: `write ethertype = "IPv6", or another protocol`}}
	}
	return nil
}
