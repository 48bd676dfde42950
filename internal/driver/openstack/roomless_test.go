package openstack_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Behind a long description our mark does not fit: who wrote it has to shorten it, or the block has another one.
func TestDescriptionWithoutRoomForTheMark(t *testing.T) {
	type object = map[string]any
	for _, test := range []struct {
		name    string
		length  int
		written values
		want    unit.Action
		unfit   int
	}{
		{"as long as fits", 208, values{}, unit.ActionAdopt, 0},
		{"longer", 209, values{}, unit.ActionBlocked, 1},
		{"another one is written", 255, values{"description": text("short")}, unit.ActionAdopt, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := whole()
			policy := object{
				"id": idOf("77"), "name": "gold", "project_id": "p1", "description": strings.Repeat("ä", test.length), "tags": []any{}, "rules": []any{}, "shared": false, "is_default": false,
			}
			answers["/v2.0/qos/policies"] = listed("policies", policy)
			d := answering(t, answers)
			tg := target(t, "qos_policy", "gold", test.written)
			tg.Fresh, tg.Mark = true, "kupenstack:mine"
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if diff.Action != test.want || diff.Action == unit.ActionBlocked && !strings.Contains(diff.Reason, "at most 208 characters") {
				t.Errorf("the diff is %+v", diff)
			}
			policy["project_id"] = idOf("a1") // which an export can name
			live, _, err := d.Live(t.Context(), export.Kinds(language()))
			if err != nil {
				t.Fatal(err)
			}
			result, err := export.Export(language(), live, export.Selection{Kinds: []string{"qos_policy"}})
			if err != nil || result.Unfit != test.unfit || result.Objects != 1-test.unfit {
				t.Errorf("%v, %d left out, %d exported", err, result.Unfit, result.Objects)
			}
		})
	}
}
