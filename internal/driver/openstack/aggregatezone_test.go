package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestHostLeavesBeforeTheZoneChanges has a host that is in another zone leave an aggregate before that gets one of its own:
// until then Nova refuses the zone.
func TestHostLeavesBeforeTheZoneChanges(t *testing.T) {
	there, zone := []string{"one", "two"}, ""
	var sent []string
	aggregate := func() map[string]any {
		hosts := []any{}
		for _, host := range there {
			hosts = append(hosts, host)
		}
		metadata := map[string]any{"kupenstack_mark": "m"}
		if zone != "" {
			metadata["availability_zone"] = zone
		}
		return map[string]any{"id": 7, "name": "gpu", "hosts": hosts, "metadata": metadata, "availability_zone": nil}
	}
	d := pretend(t, func(r *http.Request) any {
		switch {
		case r.Method == http.MethodPut:
			if slices.Contains(there, "one") { // which is in the zone south by another aggregate
				sent = append(sent, "refused")
				return nil
			}
			sent, zone = append(sent, "zone"), "north"
		case r.Method == http.MethodPost:
			var moved string
			there, moved = moveHost(t, r, there)
			sent = append(sent, moved)
		case strings.HasSuffix(r.URL.Path, "/os-aggregates"):
			return map[string]any{"aggregates": []any{aggregate()}}
		}
		return map[string]any{"aggregate": aggregate()}
	})
	tg := target(t, "host_aggregate", "gpu", values{"availability_zone": text("north"), "hosts": set("two", "three")})
	tg.ID, tg.Mark, tg.Set, tg.Complete, tg.Fresh = "7", "m", map[string][]string{"hosts": {"one", "two"}}, true, false
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
	if want := []string{"remove_host one", "zone", "add_host three"}; err != nil || !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v: %v", sent, want, err)
	}
}
