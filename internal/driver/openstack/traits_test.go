package openstack

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestTraits(t *testing.T) {
	var have traits
	have.set("name", cty.StringVal("web"))
	have.set("size", cty.NumberIntVal(1))
	have.set("size", cty.NumberIntVal(2))
	have.set("zone", cty.NullVal(cty.String))
	have.drop("name")
	have.drop("nothing")
	for _, test := range []struct {
		name  string
		want  cty.Value
		known bool
	}{
		{"name", cty.NilVal, false},
		{"size", cty.NumberIntVal(2), true},
		{"zone", cty.NullVal(cty.String), true},
	} {
		v, known := have.look(test.name)
		if known != test.known || v != have.get(test.name) || known && !v.RawEquals(test.want) {
			t.Errorf("%s is %#v, known: %t", test.name, v, known)
		}
	}
	if all := have.byName(); len(all) != 2 || !all["size"].RawEquals(cty.NumberIntVal(2)) || !all["zone"].IsNull() {
		t.Errorf("by name they are %#v", all)
	}
}
