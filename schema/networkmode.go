package schema

import "github.com/zclconf/go-cty/cty"

// The modes with which the addresses of a subnet follow from the hardware addresses of ports.
const slaac, stateless = "slaac", "dhcpv6-stateless"

// modeBreaches says of the ways to get addresses of IPv6 what Neutron refuses as it makes a subnet.
func modeBreaches(v values) []Breach {
	const addressMode, announcing = "ipv6_address_mode", "ipv6_ra_mode"
	written := addressMode
	if v.missing(written) {
		written = announcing
	}
	if v.missing(written) {
		return nil
	}
	ours, known := v.text(written)
	other, both := v.text(announcing)
	cidr, bounded := rangeOf(v, "cidr")
	switch enabled := plainOf(v["enable_dhcp"]); {
	case bounded && cidr.Addr().Is4():
		return []Breach{{Attribute: written, Says: "is of IPv6 only, and cidr is of IPv4", Hint: "take it away, or write a range of IPv6"}}
	case enabled != cty.NilVal && enabled.Type() == cty.Bool && enabled.False():
		return []Breach{{Attribute: written, Says: "cannot be written beside enable_dhcp = false", Hint: "take one of the two away"}}
	case known && both && ours != other:
		return []Breach{{Attribute: announcing, Says: "must be the same as " + addressMode, Hint: "write the same in both, or take one of the two away"}}
	case !automatic(ours) && !automatic(other):
		return nil
	case bounded && cidr.Bits() != 64:
		return []Breach{{Attribute: "cidr", Says: "must have a prefix of 64 bits with " + written + " = " + slaac + " or " + stateless + ", as the rest of an address is made of a hardware address", Hint: "write a range that ends in /64, or dhcpv6-stateful"}}
	}
	if length, known := v.number("prefix_length"); known && length != 64 {
		return []Breach{{Attribute: "prefix_length", Says: "must be 64 with " + written + " = " + slaac + " or " + stateless + ", as the rest of an address is made of a hardware address", Hint: "write 64, or dhcpv6-stateful"}}
	}
	return nil
}

func automatic(mode string) bool { return mode == slaac || mode == stateless }

// inSubnets says of addresses that they are of subnets. Those that follow from hardware addresses Neutron takes away with a subnet.
func inSubnets() *Among {
	modes := []string{slaac, stateless}
	return &Among{Kind: "subnet", Range: "cidr", In: "network", Yields: map[string][]string{"ipv6_address_mode": modes, "ipv6_ra_mode": modes}}
}
