package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func breachesOf(rules []Rule, attributes map[string]cty.Value) string {
	var all []string
	for i := range rules {
		for _, b := range rules[i].Check(attributes) {
			text := b.Attribute
			for _, step := range b.Path {
				switch step := step.(type) {
				case cty.IndexStep:
					text += fmt.Sprintf("[%s]", step.Key.AsBigFloat().Text('f', 0))
				case cty.GetAttrStep:
					text += "." + step.Name
				}
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

func pools(addresses ...string) cty.Value {
	var all []cty.Value
	for i := 0; i < len(addresses); i += 2 {
		all = append(all, cty.ObjectVal(map[string]cty.Value{"start": cty.StringVal(addresses[i]), "end": cty.StringVal(addresses[i+1])}))
	}
	return cty.ListVal(all)
}

// What Neutron takes is not refused, and what it refuses is told, as far as it is known.
func TestSubnetRules(t *testing.T) {
	text := cty.StringVal
	unknown := cty.UnknownVal(cty.String)
	for _, c := range []struct {
		name          string
		cidr, gateway cty.Value
		pools         cty.Value
		want          string
	}{
		{"usual", text("10.0.0.0/24"), text("10.0.0.1"), pools("10.0.0.2", "10.0.0.254"), ""},
		{"a gateway on the link", text("10.0.0.0/24"), text("192.0.2.1"), cty.NilVal, ""},
		{"a gateway of the link", text("2001:db8::/64"), text("fe80::1"), cty.NilVal, ""},
		{"the first address of IPv6", text("2001:db8::/64"), text("2001:db8::"), cty.NilVal, ""},
		{"two addresses", text("10.0.0.0/31"), text("10.0.0.0"), cty.NilVal, ""},
		{"one address", text("10.0.0.7/32"), text("10.0.0.7"), cty.NilVal, ""},
		{"first", text("10.0.0.0/30"), text("10.0.0.0"), cty.NilVal, "gateway_ip"},
		{"last", text("10.0.0.0/30"), text("10.0.0.3"), cty.NilVal, "gateway_ip"},
		{"last of all", text("255.255.255.0/24"), text("255.255.255.255"), cty.NilVal, "gateway_ip"},
		{"another version", text("10.0.0.0/24"), text("fe80::1"), cty.NilVal, "gateway_ip"},
		{"in a pool", unknown, text("10.0.0.5"), pools("10.0.0.5", "10.0.0.5"), "gateway_ip"},
		{"outside", text("10.0.0.0/24"), cty.NullVal(cty.String), pools("10.0.1.1", "10.0.0.9", "9.255.255.255", "10.0.0.20"), "allocation_pools[0].start allocation_pools[1].start"},
		{"backwards", unknown, unknown, pools("10.0.0.9", "10.0.0.8"), "allocation_pools[0].end"},
		{"one inside another", unknown, unknown, pools("10.0.0.5", "10.0.0.6", "10.0.0.1", "10.0.0.9"), "allocation_pools[1]"},
		{"one address twice", unknown, unknown, pools("10.0.0.1", "10.0.0.5", "10.0.0.5", "10.0.0.9"), "allocation_pools[1]"},
		{"side by side", unknown, unknown, pools("10.0.0.1", "10.0.0.4", "10.0.0.5", "10.0.0.9"), ""},
		{"not known", unknown, text("10.0.0.5"), cty.UnknownVal(cty.List(cty.EmptyObject)), ""},
		{"no addresses", text("10.0.0.0/24"), text("x"), pools("x", "10.0.0.1"), ""},
		{"all addresses", text("0.0.0.0/0"), cty.NilVal, cty.NilVal, "cidr"},
		{"all addresses of IPv6", text("::/0"), cty.NilVal, cty.NilVal, "cidr"},
		{"half of them", text("0.0.0.0/1"), cty.NilVal, cty.NilVal, ""},
		{"secret", text("10.0.0.0/24").Mark("s"), text("10.0.0.0").Mark("s"), cty.NilVal, "gateway_ip"},
	} {
		got := breachesOf(subnetRules(), map[string]cty.Value{"cidr": c.cidr, "gateway_ip": c.gateway, "allocation_pools": c.pools})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Neutron takes the first address as the gateway when nothing is written about it.
func TestGatewayOfItself(t *testing.T) {
	text, null := cty.StringVal, cty.NullVal(cty.Bool)
	for _, c := range []struct {
		name       string
		cidr       string
		gateway    cty.Value
		none       cty.Value
		start, end string
		want       string
	}{
		{"in the pool", "10.0.0.0/24", cty.NilVal, null, "10.0.0.1", "10.0.0.9", "allocation_pools[0]"},
		{"in the pool, and wanted", "10.0.0.0/24", cty.NilVal, cty.False, "10.0.0.1", "10.0.0.9", "allocation_pools[0]"},
		{"beside the pool", "10.0.0.0/24", cty.NilVal, null, "10.0.0.2", "10.0.0.9", ""},
		{"none", "10.0.0.0/24", cty.NilVal, cty.True, "10.0.0.1", "10.0.0.9", ""},
		{"perhaps none", "10.0.0.0/24", cty.NilVal, cty.UnknownVal(cty.Bool), "10.0.0.1", "10.0.0.9", ""},
		{"another", "10.0.0.0/24", text("10.0.0.254"), null, "10.0.0.1", "10.0.0.9", ""},
		{"perhaps another", "10.0.0.0/24", cty.UnknownVal(cty.String), null, "10.0.0.1", "10.0.0.9", ""},
		{"IPv6", "2001:db8::/64", cty.NilVal, null, "2001:db8::1", "2001:db8::9", ""},
		{"the first of IPv6", "2001:db8::/64", cty.NilVal, null, "2001:db8::", "2001:db8::9", "allocation_pools[0]"},
	} {
		got := breachesOf(subnetRules(), map[string]cty.Value{
			"cidr": text(c.cidr), "gateway_ip": c.gateway, "no_gateway": c.none, "allocation_pools": pools(c.start, c.end),
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Neutron makes no subnet whose ways to get addresses do not fit the rest of it.
func TestModesOfSubnets(t *testing.T) {
	text, unknown := cty.StringVal, cty.UnknownVal(cty.String)
	for _, c := range []struct {
		name            string
		cidr            cty.Value
		address, router cty.Value
		dhcp, length    cty.Value
		want            string
	}{
		{"usual", text("2001:db8::/64"), text("slaac"), text("slaac"), cty.NilVal, cty.NilVal, ""},
		{"DHCP that is written", text("2001:db8::/64"), text("dhcpv6-stateless"), text("dhcpv6-stateless"), cty.True, cty.NilVal, ""},
		{"none", text("10.0.0.0/24"), cty.NilVal, cty.NullVal(cty.String), cty.False, cty.NilVal, ""},
		{"one of the two", text("2001:db8::/64"), text("slaac"), cty.NilVal, cty.NilVal, cty.NilVal, ""},
		{"the other", text("2001:db8::/64"), cty.NilVal, text("slaac"), cty.NilVal, cty.NilVal, ""},
		{"larger with DHCP", text("2001:db8::/48"), text("dhcpv6-stateful"), text("dhcpv6-stateful"), cty.NilVal, cty.NilVal, ""},
		{"not known", unknown, unknown, text("slaac"), cty.UnknownVal(cty.Bool), cty.UnknownVal(cty.Number), ""},
		{"different", text("2001:db8::/64"), text("slaac"), text("dhcpv6-stateless"), cty.NilVal, cty.NilVal, "ipv6_ra_mode"},
		{"of IPv4", text("10.0.0.0/24"), text("slaac"), text("slaac"), cty.NilVal, cty.NilVal, "ipv6_address_mode"},
		{"announced, of IPv4", text("10.0.0.0/24"), cty.NilVal, text("slaac"), cty.NilVal, cty.NilVal, "ipv6_ra_mode"},
		{"without DHCP", text("2001:db8::/64"), text("slaac"), cty.NilVal, cty.False, cty.NilVal, "ipv6_address_mode"},
		{"a larger range", text("2001:db8::/63"), text("slaac"), text("slaac"), cty.NilVal, cty.NilVal, "cidr"},
		{"a smaller range, announced", text("2001:db8::/80"), cty.NilVal, text("dhcpv6-stateless"), cty.NilVal, cty.NilVal, "cidr"},
		{"of a pool", cty.NilVal, text("slaac"), text("slaac"), cty.NilVal, cty.NumberIntVal(64), ""},
		{"of a pool, larger", cty.NilVal, text("slaac"), text("slaac"), cty.NilVal, cty.NumberIntVal(60), "prefix_length"},
		{"secret", text("2001:db8::/60").Mark("s"), text("slaac").Mark("s"), cty.NilVal, cty.NilVal, cty.NilVal, "cidr"},
	} {
		got := breachesOf(subnetRules(), map[string]cty.Value{
			"cidr": c.cidr, "ipv6_address_mode": c.address, "ipv6_ra_mode": c.router, "enable_dhcp": c.dhcp, "prefix_length": c.length, "subnet_pool": text("p"),
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestGroupRuleRules(t *testing.T) {
	n := cty.NumberIntVal
	for _, c := range []struct {
		name      string
		ethertype string
		protocol  cty.Value
		low, high cty.Value
		cidr      string
		want      string
	}{
		{"all", "IPv4", cty.NilVal, cty.NilVal, cty.NilVal, "", ""},
		{"one port", "IPv4", cty.StringVal("TCP"), n(80), cty.NilVal, "10.0.0.0/8", ""},
		{"by number", "IPv6", cty.StringVal("132"), n(1), n(65535), "::/0", ""},
		{"echo", "IPv4", cty.StringVal("icmp"), n(8), n(0), "", ""},
		{"type above code", "IPv6", cty.StringVal("ipv6-icmp"), n(128), n(0), "", ""},
		{"no code", "IPv4", cty.StringVal("1"), n(0), cty.NilVal, "", ""},
		{"backwards", "IPv4", cty.StringVal("udp"), n(9), n(8), "", "port_max"},
		{"port 0", "IPv4", cty.StringVal("udp"), n(0), n(0), "", "port_min port_max"},
		{"without a protocol", "IPv4", cty.NullVal(cty.String), n(8), n(9), "", "port_min"},
		{"of any protocol", "IPv4", cty.StringVal("any"), cty.NilVal, n(9), "", "port_max"},
		{"a protocol without ports", "IPv4", cty.StringVal("gre"), n(8), n(9), "", "port_min"},
		{"a protocol that is not known", "IPv4", cty.UnknownVal(cty.String), n(9), n(8), "", ""},
		{"a port that is not known", "IPv4", cty.StringVal("tcp"), cty.UnknownVal(cty.Number), n(8), "", ""},
		{"a type that is not known", "IPv4", cty.StringVal("icmp"), cty.UnknownVal(cty.Number), n(8), "", ""},
		{"a code alone", "IPv4", cty.StringVal("icmp"), cty.NilVal, n(8), "", "port_max"},
		{"no type", "IPv4", cty.StringVal("icmp"), n(256), n(256), "", "port_min port_max"},
		{"another version", "IPv6", cty.NilVal, cty.NilVal, cty.NilVal, "10.0.0.0/8", "remote_cidr"},
		{"of IPv6 alone", "IPv4", cty.StringVal("58"), cty.NilVal, cty.NilVal, "", "protocol"},
		{"icmp in IPv6", "IPv6", cty.StringVal("icmp"), cty.NilVal, cty.NilVal, "", ""},
	} {
		attributes := map[string]cty.Value{"ethertype": cty.StringVal(c.ethertype), "protocol": c.protocol, "port_min": c.low, "port_max": c.high}
		if c.cidr != "" {
			attributes["remote_cidr"] = cty.StringVal(c.cidr)
		}
		if got := breachesOf(groupRuleRules(), attributes); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOneOtherEndOfARule(t *testing.T) {
	text := cty.StringVal
	for _, c := range []struct {
		name                     string
		addresses, group, itself cty.Value
		want                     string
	}{
		{"alone", text("a"), cty.NullVal(cty.String), cty.False, ""},
		{"none", cty.NilVal, text("g"), cty.NilVal, ""},
		{"and a group that is not known", text("a"), cty.UnknownVal(cty.String), cty.NilVal, "remote_address_group"},
		{"and itself", text("a"), cty.NilVal, cty.True, "remote_address_group"},
	} {
		got := breachesOf(groupRuleRules(), map[string]cty.Value{"remote_address_group": c.addresses, "remote_group": c.group, "self": c.itself})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRulesAreConsistent(t *testing.T) {
	rules := 0
	everyBlock(New(), func(path string, b *Block) {
		for i := range b.Rules {
			rules++
			if !sentence(b.Rules[i].Doc) {
				t.Errorf("%s: a rule is no sentence: %q", path, b.Rules[i].Doc)
			}
		}
	})
	if rules == 0 {
		t.Error("no block has a rule")
	}
	for kind, want := range map[string]Format{"network": FormatID, "project": FormatID} {
		if got := New().Resource("subnet").Attribute(kind).Reference.Format; got != want {
			t.Errorf("a text for a %s has the format %q", kind, got)
		}
	}
	if got := New().Resource("instance").Attribute("flavor").Reference.Format; got != FormatAny {
		t.Errorf("a text for a flavor, whose id may be anything, has the format %q", got)
	}
}

// TestAccessRule wants who can use something to be written only of what not everybody can use.
func TestAccessRule(t *testing.T) {
	projects := cty.SetVal([]cty.Value{cty.StringVal("p1")})
	for _, c := range []struct {
		name           string
		public, access cty.Value
		want           string
	}{
		{"nothing", cty.NilVal, cty.NilVal, ""},
		{"not public", cty.False, projects, ""},
		{"not known", cty.UnknownVal(cty.Bool), projects, ""},
		{"public", cty.True, projects, "access"},
		{"public unless written", cty.NullVal(cty.Bool), projects, "access"},
		{"public without projects", cty.True, cty.NullVal(projects.Type()), ""},
	} {
		for _, kind := range []string{"flavor", "volume_type"} {
			if got := breachesOf(New().Resource(kind).Rules, map[string]cty.Value{"public": c.public, "access": c.access}); got != c.want {
				t.Errorf("%s of a %s: got %q, want %q", c.name, kind, got, c.want)
			}
		}
	}
}

// TestMembersRule wants projects that an image is shared with to be written only where it is shared.
func TestMembersRule(t *testing.T) {
	projects := cty.SetVal([]cty.Value{cty.StringVal("p1")})
	for _, c := range []struct {
		name                string
		visibility, members cty.Value
		want                string
	}{
		{"nothing", cty.NilVal, cty.NilVal, ""},
		{"shared", cty.StringVal("shared"), projects, ""},
		{"not known", cty.UnknownVal(cty.String), projects, ""},
		{"private", cty.StringVal("private"), projects, "members"},
		{"not written", cty.NullVal(cty.String), projects, "members"},
		{"private without projects", cty.StringVal("private"), cty.NullVal(projects.Type()), ""},
	} {
		if got := breachesOf(New().Resource("image").Rules, map[string]cty.Value{"visibility": c.visibility, "members": c.members}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFileRule wants the bytes of an image to come from one place.
func TestFileRule(t *testing.T) {
	text, none := cty.StringVal("x"), cty.NullVal(cty.String)
	for _, c := range []struct {
		name  string
		other string
		file  cty.Value
		value cty.Value
		want  string
	}{
		{"alone", "checksum", text, none, ""},
		{"beside what Glance fetches", "web_download", text, text, "file"},
		{"beside a digest", "checksum", text, text, "file"},
		{"none", "checksum", none, text, ""},
	} {
		if got := breachesOf(New().Resource("image").Rules, map[string]cty.Value{"file": c.file, c.other: c.value}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
