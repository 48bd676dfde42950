package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedVolumeTypeMadePublic has a type that some projects could use become one for all, and private again: who was
// taken out of it then cannot use it any more, and who others have let in still can.
func TestBedVolumeTypeMadePublic(t *testing.T) {
	b := newBench(t)
	one, two := target(t, "project", unique("one"), values{}), target(t, "project", unique("two"), values{})
	b.converge(t, &one)
	b.converge(t, &two)
	tg := target(t, "volume_type", unique("opened"), values{"public": cty.False, "access": set(one.ID)})
	b.converge(t, &tg)
	send(t, "volumev3", http.MethodPost, "types/"+tg.ID+"/action", map[string]any{"addProjectAccess": map[string]any{"project": two.ID}})

	tg.Set = map[string][]string{"access": {one.ID}}
	tg = with(t, tg, values{"public": cty.True, "access": cty.NullVal(cty.Set(cty.String))})
	_, diff := b.compare(t, tg)
	expectDiff(t, "every project can use it", diff, unit.ActionUpdate, []string{"access", "public"})
	b.converge(t, &tg)

	tg.Set = nil
	tg = with(t, tg, values{"public": cty.False})
	b.converge(t, &tg)
	var there []any
	listed, _ := request(t, "volumev3", http.MethodGet, "types/"+tg.ID+"/os-volume-type-access", nil)["volume_type_access"].([]any)
	for _, each := range listed {
		right, _ := each.(map[string]any)
		there = append(there, right["project_id"])
	}
	if len(there) != 1 || there[0] != two.ID {
		t.Errorf("%v can use it, want %s alone, whom others have let in; %s was taken out", there, two.ID, one.ID)
	}
}
