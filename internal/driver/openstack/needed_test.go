package openstack

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What any target can be meant by stays, and where that may be anything, all does.
func TestNeeded(t *testing.T) {
	d := testDriver(t)
	recorded := func(kind, id string) unit.Target {
		tg := testTarget(t, kind, wantValue(kind, map[string]cty.Value{"name": cty.StringVal("web")}))
		tg.ID = id
		return tg
	}
	for kind, marked := range map[string]map[string]any{
		"network":  {"id": "n2", "description": "Front [kupenstack:x.0]"},
		"image":    {"id": "n2", markKey: "kupenstack:x.0"},
		"volume":   {"id": "n2", "metadata": map[string]any{markKey: "kupenstack:x.0"}},
		"instance": {"id": "n2", "metadata": map[string]any{markKey: "kupenstack:x.0"}},
		"project":  {"id": "n2", "tags": []any{"a", "kupenstack:x.0"}},
	} {
		k := d.kinds[kind]
		known, intent := needed(k, []unit.Target{recorded(kind, "n1")}), needed(k, []unit.Target{recorded(kind, "n1"), recorded(kind, "")})
		other := map[string]any{"id": "n3", "name": "other", "description": "theirs", "tags": []any{"a"}, "metadata": map[string]any{"a": "b"}}
		named := map[string]any{"id": "n4", "name": "web"}
		if !known(map[string]any{"id": "n1"}) || !known(marked) || known(other) || known(named) {
			t.Errorf("of a %s on record the wrong ones are needed", kind)
		}
		if !intent(map[string]any{"id": "n1"}) || !intent(marked) || intent(other) || !intent(named) {
			t.Errorf("of a %s that is to be found by its name the wrong ones are needed", kind)
		}
	}
	unknown := testTarget(t, "network", wantValue("network", map[string]cty.Value{"name": cty.UnknownVal(cty.String)}))
	filtered := recorded("network", "")
	filtered.ImportBy = cty.ObjectVal(map[string]cty.Value{"name": cty.NullVal(cty.String), "external": cty.True})
	for name, tg := range map[string]unit.Target{
		"a name that is not known": unknown, "an import by something else": filtered, "a kind without marks": recorded("server_group", "n1"),
		"a kind without names": recorded("floating_ip", "n1"),
	} {
		if needed(d.kinds[kindOf(tg)], []unit.Target{tg}) != nil {
			t.Errorf("%s: not all is needed", name)
		}
	}
	if needed(d.kinds["network"], nil) != nil {
		t.Error("without targets not all is needed")
	}
}
