package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What was imported and is gone is told. What is made in its place where the block says so is ours.
func TestImportedAndGone(t *testing.T) {
	u := of("resource.a", "a")
	byID, byFilter := model.Import{To: u.Address, ID: "id0"}, model.Import{To: u.Address, Filter: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("a")})}
	for _, test := range []struct {
		name   string
		entry  func(*inventory.Entry)
		blocks []model.Import
		drift  unit.DriftPolicy
		held   bool
	}{
		{name: "ours", entry: func(*inventory.Entry) {}},
		{name: "it was there before us, and nobody named it", entry: func(e *inventory.Entry) { e.Imported = true }},
		{name: "named once", entry: func(e *inventory.Entry) { e.Imported, e.ByImport = true, true }, held: true},
		{name: "taken over while it was not complete", entry: func(e *inventory.Entry) { e.ByImport, e.Phase, e.Applied = true, inventory.Intent, "" }, held: true},
		{name: "another spec meanwhile", entry: func(e *inventory.Entry) { e.ByImport, e.Applied = true, "digest of something older" }, held: true},
		{name: "drift is ignored", entry: func(e *inventory.Entry) { e.ByImport = true }, drift: unit.DriftIgnore, held: true},
		{name: "drift is reported", entry: func(e *inventory.Entry) { e.ByImport = true }, drift: unit.DriftReport, held: true},
		{name: "the block wants it all the same", entry: func(e *inventory.Entry) { e.ByImport = true }, drift: unit.DriftCorrect},
		{name: "we have deleted it", entry: func(e *inventory.Entry) { e.ByImport, e.Phase = true, inventory.Deleting }},
		{name: "named by its block alone", entry: func(*inventory.Entry) {}, blocks: []model.Import{byID}, held: true},
		{name: "made in place of what the block names", entry: func(e *inventory.Entry) { e.ID, e.ImportedID = "id1", "id0" }, blocks: []model.Import{byID}},
		{name: "found by a filter", entry: func(e *inventory.Entry) { e.Imported = true }, blocks: []model.Import{byFilter}, held: true},
		{name: "made in place of what a filter found", entry: func(e *inventory.Entry) { e.ImportedID = "id9" }, blocks: []model.Import{byFilter}},
	} {
		u.Drift = test.drift
		entry := entryOf(u)
		entry.ID = "id0"
		test.entry(&entry)
		target := plan.Identity{Marker: marker(), Imports: plan.ImportsOf(test.blocks)}.Target(&u, &entry)
		c := plan.Decide(&u, &entry, target, cty.NilVal, unit.State{Existence: unit.Absent}, compare)
		if held := c.Action == unit.ActionNone; held != test.held || held && (c.Wanted != unit.ActionCreate || !c.Drift || !strings.Contains(c.Reason, `drift = "correct"`)) {
			t.Errorf("%s: %+v", test.name, c)
		}
		if entry.Anew().ByImport {
			t.Errorf("%s: what is made in its place counts as imported", test.name)
		}
	}
}
