package unit

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestAnnotationsOfProjects are known once the project is there, and hold nothing sensitive.
func TestAnnotationsOfProjects(t *testing.T) {
	project, err := addr.NewObject(addr.Module{}, addr.Managed, "project", "shop", addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	output := func(name, id cty.Value) map[addr.Object]cty.Value {
		return map[addr.Object]cty.Value{project: cty.ObjectVal(map[string]cty.Value{"name": name, "id": id})}
	}
	desired := func(name, id cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{AnnotationProject: name, AnnotationProjectID: id})
	}
	unknown, id := cty.UnknownVal(cty.String), cty.StringVal("42")
	spec := &ProjectNamespace{Namespace: "shop", Project: project}
	for name, c := range map[string]struct {
		outputs map[addr.Object]cty.Value
		want    cty.Value
	}{
		"not there":      {nil, desired(unknown, unknown)},
		"about to be":    {map[addr.Object]cty.Value{project: cty.DynamicVal}, desired(unknown, unknown)},
		"no id yet":      {output(cty.StringVal("shop"), unknown), desired(cty.StringVal("shop"), unknown)},
		"there":          {output(cty.StringVal("shop"), id), desired(cty.StringVal("shop"), id)},
		"sensitive name": {output(cty.StringVal("canary").Mark(model.Sensitive), id), desired(cty.NullVal(cty.String), id)},
	} {
		if got := spec.Desired(c.outputs); !got.RawEquals(c.want) {
			t.Errorf("%s: %#v, want %#v", name, got, c.want)
		}
	}
}
