package openstack

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// What Cinder writes into the metadata of a volume is not exported.
func TestMetadataOfExports(t *testing.T) {
	k := testDriver(t).kinds["volume"]
	texts := func(keys ...string) cty.Value {
		all := map[string]cty.Value{}
		for _, key := range keys {
			all[key] = cty.StringVal("x")
		}
		return cty.MapVal(all)
	}
	if got := withoutOwn(k, "metadata", texts("a", "attached_mode", "readonly")); !got.RawEquals(texts("a")) {
		t.Errorf("got %#v", got)
	}
	if got := withoutOwn(k, "metadata", texts("readonly")); got.LengthInt() > 0 {
		t.Errorf("got %#v", got)
	}
}
