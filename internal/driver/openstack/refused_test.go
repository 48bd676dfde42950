package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestEveryRefusedChangeBlocks has an object blocked for each attribute of which the schema, and so the
// reference, says that a change is refused. What was and what is wanted is not told if it is sensitive.
func TestEveryRefusedChangeBlocks(t *testing.T) {
	const canary = "canary-77aa01"
	language := schema.New()
	d := New(Options{Language: language})
	t.Cleanup(d.Close)
	n := 0
	for _, kind := range language.Kinds(schema.ClassResource) {
		block := language.Resource(kind)
		if block.Cluster {
			continue // another driver's
		}
		for _, name := range block.Refused() {
			n++
			want := map[string]cty.Value{}
			for attribute, typ := range block.DesiredType().AttributeTypes() {
				want[attribute] = cty.NullVal(typ)
			}
			for _, wanted := range []cty.Value{cty.StringVal("wanted"), cty.StringVal(canary).Mark(model.Sensitive)} {
				want[name] = wanted
				address, err := addr.NewObject(addr.Module{}, addr.Managed, kind, "x", addr.Key{})
				if err != nil {
					t.Fatal(err)
				}
				spec := &unit.Resource{Kind: kind, Block: block, Desired: cty.ObjectVal(want)}
				target := unit.Target{Address: address, Spec: spec, Locator: spec.Locator(), ID: "id", Mark: "ours", Complete: true}
				seen := match{owned: true, object: &object{id: "id", mark: "ours", values: traits{{name, cty.StringVal("was" + canary)}}}}
				diff := d.Compare(target, spec.Desired, unit.State{Existence: unit.Present, Owned: true, Observed: seen})
				if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, name+" cannot be changed") {
					t.Errorf("%s.%s: %+v", kind, name, diff)
				}
				if told := diff.Reason + diff.Fields[0].Before + diff.Fields[0].After; wanted.IsMarked() && strings.Contains(told, canary) {
					t.Errorf("%s.%s: a secret is told: %s", kind, name, told)
				}
			}
		}
	}
	if n == 0 {
		t.Error("nothing is refused")
	}
}
