package resolve_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestNullsInside: an element of a list, set or map that is null is not written, at either stage; so a condition makes
// a part of them optional.
func TestNullsInside(t *testing.T) {
	const text = `cloud "test" {
  openstack {
    cloud = "test"
  }
}

variable "more" {
  type      = map(string)
  sensitive = true
}

network "web" {
  tags = ["a", null, "b"]
}

network "none" {
  tags = [null]
}

volume_type "fast" {
  extra_specs = { a = "1", b = false ? "2" : null }
}

volume_type "late" {
  extra_specs = { of = network.web.id, b = null }
}

volume_type "secret" {
  extra_specs = var.more
}
`
	more := cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1"), "b": cty.NullVal(cty.String)})
	m, e := mustResolve(t, text, map[string]cty.Value{"more": more})
	one := cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1")})
	want := map[string]struct {
		attribute string
		value     cty.Value
	}{
		"network.web":        {"tags", cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")})},
		"network.none":       {"tags", cty.SetValEmpty(cty.String)},
		"volume_type.fast":   {"extra_specs", one},
		"volume_type.secret": {"extra_specs", one.Mark(model.Sensitive)},
	}
	for _, r := range m.Resources {
		w, known := want[r.Address.String()]
		if !known {
			late, diags := e.Desired(r.Address, map[addr.Object]cty.Value{addr.MustParseObject("network.web"): cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("n-1")})})
			got := late.GetAttr("extra_specs")
			if len(diags) > 0 || !got.RawEquals(cty.MapVal(map[string]cty.Value{"of": cty.StringVal("n-1")})) {
				t.Errorf("%s is %#v, %v", r.Address, got, diags)
			}
			continue
		}
		if got := r.Desired.GetAttr(w.attribute); !got.RawEquals(w.value) {
			t.Errorf("%s of %s is %#v", w.attribute, r.Address, got)
		}
	}
}
