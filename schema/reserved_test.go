package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// What an object is known by is not for the configuration to write.
func TestReserved(t *testing.T) {
	language := New()
	text := cty.StringVal
	tags := func(of ...string) map[string]cty.Value {
		var all []cty.Value
		for _, s := range of {
			all = append(all, text(s))
		}
		return map[string]cty.Value{"tags": cty.SetVal(all)}
	}
	keyed := func(attribute string, keys ...string) map[string]cty.Value {
		all := map[string]cty.Value{}
		for _, key := range keys {
			all[key] = text("v")
		}
		return map[string]cty.Value{attribute: cty.MapVal(all)}
	}
	long := strings.Repeat("a", 256)
	described := func(s string) map[string]cty.Value { return map[string]cty.Value{"description": text(s)} }
	fromImage := func(attributes map[string]cty.Value) map[string]cty.Value {
		attributes["image"] = text("debian")
		return attributes
	}
	for _, c := range []struct {
		kind       string
		attributes map[string]cty.Value
		want       []string // what breaks a rule
	}{
		{"project", tags("shop", "kupenstack:zz"), []string{"tags"}},
		{"network", tags("kupenstack:zz"), []string{"tags"}},
		{"image", tags("kupenstack:zz"), []string{"tags"}},
		{"instance", fromImage(tags("kupenstack:zz")), []string{"tags"}},
		{"instance", fromImage(tags("größe", "a b", "ä")), nil},
		{"instance", fromImage(tags("a/b")), []string{"tags"}},
		{"instance", fromImage(tags("a,b")), []string{"tags"}},
		{"instance", fromImage(tags("")), []string{"tags"}},
		{"instance", fromImage(tags("0123456789012345678901234567890123456789012345678901234567890")), []string{"tags"}},
		{"network", tags("a/b", "größe"), nil},
		{"network", tags("Web", "web"), []string{"tags"}},
		{"project", tags("Größe", "GRÖSSE", "größe"), []string{"tags"}},
		{"image", tags("web", "web2"), nil},
		{"instance", fromImage(tags("DB", "db")), []string{"tags"}},
		{"router", tags("kupenstack", "kupenstack_mark", "of kupenstack:zz"), nil},
		{"router", described("Front [kupenstack:zz.01]"), []string{"description"}},
		{"flavor", described("[kupenstack:zz]"), []string{"description"}},
		{"security_group", described("[kupenstack:zz] and more"), nil},
		{"flavor", described("small [kupenstack]"), nil},
		{"instance", fromImage(map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{"kupenstack_mark": text("zz"), "tier": text("web"), "name": text("q")})}), []string{"metadata"}},
		{"instance", fromImage(keyed("metadata", "a.json", "b c", "x:y-z_1")), nil},
		{"instance", fromImage(keyed("metadata", "a/b", "größe", "%", ".", "..", "", long)), slices.Repeat([]string{"metadata"}, 7)},
		{"region", map[string]cty.Value{"name": text("north 1.json")}, nil},
		{"region", map[string]cty.Value{"name": text("eu/north")}, []string{"name"}},
		{"region", map[string]cty.Value{"name": text("..")}, []string{"name"}},
		{"volume", keyed("metadata", "a/b", "größe", "."), nil}, // they are told in a body
		{"flavor", keyed("extra_specs", "hw:cpu_policy", "trait:CUSTOM_A", "b c", "a.json", "kupenstack_a"), nil},
		{"flavor", keyed("extra_specs", "a/b", "."), []string{"extra_specs", "extra_specs"}},
		{"volume_type", keyed("extra_specs", "volume_backend_name", "RESKEY:availability_zones", "a.json"), nil},
		{"volume_type", keyed("extra_specs", "a/b", "b c", ".."), []string{"extra_specs", "extra_specs", "extra_specs"}},
		{"image", map[string]cty.Value{"properties": cty.MapVal(map[string]cty.Value{
			"kupenstack_mark": text("zz"), "name": text("q"), "os_hash_algo": text("md5"), "hw_disk_bus": text("scsi"), "os_distro": text("debian"),
		})}, []string{"properties", "properties", "properties"}},
		{"image", map[string]cty.Value{"properties": cty.MapVal(map[string]cty.Value{"owner": text("me")}).Mark("s")}, []string{"properties"}},
		{"image", map[string]cty.Value{"properties": cty.UnknownVal(cty.Map(cty.String)), "tags": cty.SetVal([]cty.Value{cty.UnknownVal(cty.String)})}, nil},
		{"instance", fromImage(map[string]cty.Value{"metadata": cty.NullVal(cty.Map(cty.String))}), nil},
	} {
		var got []string
		block := language.Resource(c.kind)
		for i := range block.Rules {
			for _, b := range block.Rules[i].Check(c.attributes) {
				got = append(got, b.Attribute)
				if b.Says == "" || b.Hint == "" || c.attributes[b.Attribute].IsMarked() && len(b.Path) > 0 {
					t.Errorf("%s: told as %+v", c.kind, b)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %v: told of %q, want %q", c.kind, c.attributes, got, c.want)
		}
	}
}
