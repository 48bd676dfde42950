package schema

import (
	"maps"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestKeys: keys are the same in every spelling of an address, and only of what is known and no secret.
func TestKeys(t *testing.T) {
	nested := New().Resource("router").Nested("route")
	route := func(destination, hop cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"destination": destination, "next_hop": hop})
	}
	text := cty.StringVal
	for _, c := range []struct {
		name string
		list cty.Value
		want []string
	}{
		{"none", cty.ListValEmpty(route(text(""), text("")).Type()), nil},
		{"null", cty.NullVal(cty.List(route(text(""), text("")).Type())), nil},
		{"not known", cty.UnknownVal(cty.List(route(text(""), text("")).Type())), nil},
		{"spellings", cty.ListVal([]cty.Value{route(text("10.2.0.0/16"), text("10.1.0.9")), route(text("2001:0db8::/32"), text("2001:db8:0::9"))}), []string{"10.2.0.0/16 10.1.0.9", "2001:db8::/32 2001:db8::9"}},
		{"a part that is not known", cty.ListVal([]cty.Value{route(text("10.2.0.0/16"), cty.UnknownVal(cty.String))}), nil},
		{"a part that is null", cty.ListVal([]cty.Value{route(text("10.2.0.0/16"), cty.NullVal(cty.String))}), nil},
		{"a secret", cty.ListVal([]cty.Value{route(text("10.2.0.0/16"), text("10.1.0.9").Mark("secret"))}), nil},
	} {
		if got := nested.KeysOf(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	rules := New().Resource("security_group").Nested("rule")
	rule := func(written map[string]cty.Value) cty.Value {
		all := map[string]cty.Value{}
		for name, of := range rules.ValueType().ElementType().AttributeTypes() {
			all[name] = cty.NullVal(of)
		}
		all["direction"] = text("ingress")
		maps.Copy(all, written)
		return cty.ObjectVal(all)
	}
	for _, c := range []struct {
		name string
		rule cty.Value
		want []string
	}{
		{"all that there is", rule(nil), []string{"ingress IPv4 any any any any"}},
		{"spellings", rule(map[string]cty.Value{"protocol": text("6"), "port_max": cty.NumberIntVal(22), "remote_cidr": text("192.0.2.9/24"), "description": text("x")}), []string{"ingress IPv4 tcp 22 22 192.0.2.0/24"}},
		{"itself", rule(map[string]cty.Value{"self": cty.True}), []string{"ingress IPv4 any any any self"}},
		{"a part that is not known", rule(map[string]cty.Value{"remote_group": cty.UnknownVal(cty.String)}), nil},
		{"a secret", rule(map[string]cty.Value{"remote_cidr": text("192.0.2.0/24").Mark("secret")}), nil},
	} {
		if got := rules.KeysOf(cty.ListVal([]cty.Value{c.rule})); !slices.Equal(got, c.want) {
			t.Errorf("rules, %s: %q, want %q", c.name, got, c.want)
		}
	}
	everyBlock(New(), func(path string, b *Block) {
		for i := range b.Blocks {
			for _, key := range b.Blocks[i].Keys {
				if a := b.Blocks[i].Attribute(key); a == nil || a.Type != cty.String || a.Presence == Optional && !a.HasDefault() {
					t.Errorf("%s.%s has the key %s, which is no text that is always there", path, b.Blocks[i].Kind, key)
				}
			}
		}
	})
}
