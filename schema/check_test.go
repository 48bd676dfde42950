package schema

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestCheck(t *testing.T) {
	d := New()
	quota := d.Resource("project").Attribute("quota")
	for _, c := range []struct {
		name string
		a    *Attribute
		v    cty.Value
		want string // part of the answer; "" for none
	}{
		{"allowed", d.Block("cloud").Attribute("network_backend"), cty.StringVal("ovn"), ""},
		{"not allowed", d.Block("cloud").Attribute("network_backend"), cty.StringVal("linuxbridge"), "one of ovs, ovn"},
		{"a number beside names", d.Resource("security_group").Nested("rule").Attribute("protocol"), cty.StringVal("255"), ""},
		{"a number that is too high", d.Resource("security_group").Nested("rule").Attribute("protocol"), cty.StringVal("256"), "or a number from 0 to 255"},
		{"a number in another spelling", d.Resource("security_group").Nested("rule").Attribute("protocol"), cty.StringVal("06"), "one of tcp"},
		{"each of a set", d.Block("node").Attribute("roles"), cty.SetVal([]cty.Value{cty.StringVal("x")}), "one of control-plane"},
		{"format", d.Resource("subnet").Attribute("cidr"), cty.StringVal("10.0.0.9/8"), "the first address of its network: 10.0.0.0/8"},
		{"unknown", d.Resource("subnet").Attribute("cidr"), cty.UnknownVal(cty.String), ""},
		{"null", d.Resource("subnet").Attribute("cidr"), cty.NullVal(cty.String), ""},
		{"bounds", d.Resource("network").Attribute("mtu"), cty.NumberIntVal(1450), ""},
		{"below", d.Resource("network").Attribute("mtu"), cty.NumberIntVal(1), "a whole number from 68 to 65535"},
		{"fraction", d.Resource("network").Attribute("mtu"), cty.NumberFloatVal(1450.5), "a whole number"},
		{"inside an object", quota, cty.ObjectVal(map[string]cty.Value{"cores": cty.NumberIntVal(-2)}), "(cores)"},
		{"without limit", quota, cty.ObjectVal(map[string]cty.Value{"cores": cty.NumberIntVal(-1)}), ""},
		{"no map", d.Block("profile").Nested("service").Attribute("conf"), cty.StringVal("x"), "a map"},
		{"sensitive", d.Block("cloud").Attribute("network_backend"), cty.StringVal("x").Mark("secret"), "one of"},
	} {
		got := c.a.Check(c.v)
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
