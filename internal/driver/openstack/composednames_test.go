package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNamesOfComposedCharacters has a network whose name was given with the marks of its letters apart. It is the one that is
// meant, and no second one is made beside it.
func TestNamesOfComposedCharacters(t *testing.T) {
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/networks": listed("networks", map[string]any{"id": idOf("1"), "name": "Bu\u0308ro", "project_id": "p1", "description": ""}),
	})
	tg, look := target(t, "network", "office", values{"name": text("B\u00fcro")}), lookUp(t, "network", "theirs")
	want := look.Spec.(*unit.Resource).Desired.AsValueMap()
	want["name"] = text("B\u00fcro")
	look.Spec.(*unit.Resource).Desired = cty.ObjectVal(want)
	states, err := d.Observe(t.Context(), []unit.Target{tg, look})
	if err != nil {
		t.Fatal(err)
	}
	if st := states[look.Address]; st.ID != idOf("1") {
		t.Errorf("what is looked up is %+v", st)
	}
	if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionAdopt {
		t.Errorf("the diff is %+v", diff)
	}
}
