package schema

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// GroupRule is a rule of a security group in the spelling that makes equal rules equal.
type GroupRule struct {
	Direction, Ethertype, Protocol, CIDR, Group string
	Addresses                                   string // a group of addresses
	Self                                        bool   // Group stands for the group that the rule is in, and is not known
	PortMin, PortMax                            string
}

// GroupRuleOf spells a rule as Neutron does when it looks for one that is there already: protocols by name,
// ICMP by the name that it has in IPv6, no remote for all addresses and no ports for all of them. What is not known, or
// a secret, counts as not written.
func GroupRuleOf(v cty.Value) GroupRule {
	part := func(name string) cty.Value {
		if v = plainOf(v); v == cty.NilVal || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
			return cty.NilVal
		}
		return plainOf(v.GetAttr(name))
	}
	text := func(name string) string {
		if p := part(name); p != cty.NilVal && p.Type() == cty.String {
			return p.AsString()
		}
		return ""
	}
	number := func(name string) string {
		if p := part(name); p != cty.NilVal && p.Type() == cty.Number {
			return p.AsBigFloat().Text('f', 0)
		}
		return ""
	}
	self := part("self")
	r := GroupRule{
		Direction: text("direction"), Ethertype: cmp.Or(text("ethertype"), "IPv4"), Protocol: protocolName(text("protocol")),
		CIDR: canonical(text("remote_cidr")), Group: text("remote_group"), Addresses: text("remote_address_group"), Self: self != cty.NilVal && self.Type() == cty.Bool && self.True(),
		PortMin: number(portMin), PortMax: number(portMax),
	}
	if strings.HasSuffix(r.CIDR, "/0") {
		r.CIDR = ""
	}
	if r.Ethertype == "IPv6" && r.Protocol == protocolICMP {
		r.Protocol = protocolICMPv6
	}
	if r.Protocol == protocolICMP || r.Protocol == protocolICMPv6 {
		return r // they are type and code, and a type alone is with all codes
	}
	r.PortMin, r.PortMax = cmp.Or(r.PortMin, r.PortMax), cmp.Or(r.PortMax, r.PortMin)
	if r.PortMin == firstPort && r.PortMax == lastPort {
		r.PortMin, r.PortMax = "", ""
	}
	return r
}

const (
	protocolICMP, protocolICMPv6 = "icmp", "ipv6-icmp"
	firstPort, lastPort          = "1", "65535"
)

// canonical gives a range or an address the one spelling that it has, and leaves other texts alone.
func canonical(text string) string {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().String()
	}
	if address := addressOf(text); address.IsValid() {
		return address.String()
	}
	return text
}

// Key is what the rule goes on record by. It says nothing of the description, which makes no other rule.
func (r GroupRule) Key() string {
	remote := cmp.Or(r.CIDR, r.Group)
	switch {
	case r.Self:
		remote = "self"
	case r.Addresses != "":
		remote = "addresses:" + r.Addresses
	}
	parts := []string{r.Direction, r.Ethertype, r.Protocol, r.PortMin, r.PortMax, remote}
	for i, part := range parts {
		parts[i] = cmp.Or(part, "any")
	}
	return strings.Join(parts, " ")
}

// firstGroupRules are the keys of the rules that Neutron gives a new group by itself, unless who runs it has chosen others:
// they let everything out. They count for the quota as others do.
func firstGroupRules() []string {
	return []string{GroupRule{Direction: "egress", Ethertype: "IPv4"}.Key(), GroupRule{Direction: "egress", Ethertype: "IPv6"}.Key()}
}

// groupOfProject is what Neutron makes by itself in each project: a group whose rules let out all, and in what comes from the group.
func groupOfProject() map[string]int64 {
	return map[string]int64{"security_groups": 1, "security_group_rules": 4}
}

// DefaultGroup is what it calls that group.
const DefaultGroup = "default"

// groupRuleKey is the key of a rule that is known and no secret.
func groupRuleKey(v cty.Value) string {
	if !v.IsWhollyKnown() || v.ContainsMarked() || v.IsNull() {
		return ""
	}
	return GroupRuleOf(v).Key()
}

// protocolName is the name that Neutron has for a protocol; one that it knows by number only stays a
// number.
func protocolName(protocol string) string {
	names := map[string]string{
		"any": "", "0": "", "icmpv6": protocolICMPv6,
		"1": protocolICMP, "2": "igmp", "4": "ipip", "6": "tcp", "8": "egp", "17": "udp", "33": "dccp", "41": "ipv6-encap",
		"43": "ipv6-route", "44": "ipv6-frag", "46": "rsvp", "47": "gre", "50": "esp", "51": "ah", "58": protocolICMPv6,
		"59": "ipv6-nonxt", "60": "ipv6-opts", "89": "ospf", "112": "vrrp", "113": "pgm", "132": "sctp", "136": "udplite",
	}
	protocol = strings.ToLower(protocol)
	if name, known := names[protocol]; known {
		return name
	}
	return protocol
}
