package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestPagesOfVolumeTypes has a Cinder whose list of volume types has two pages: the link to the second one has the name
// volume_type_links there, and not that of the list.
func TestPagesOfVolumeTypes(t *testing.T) {
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/p1": func(*http.Request) any { return map[string]any{} },
		"/v3/p1/types": func(r *http.Request) any {
			if r.URL.Query().Get("marker") == "t1" {
				return map[string]any{"volume_types": []any{map[string]any{"id": "t2", "name": "gold", "is_public": true}}}
			}
			return map[string]any{
				"volume_types":      []any{map[string]any{"id": "t1", "name": "silver", "is_public": true}},
				"volume_type_links": []any{map[string]any{"rel": "next", "href": "http://inside.invalid/v3/p1/types?limit=1&marker=t1"}},
			}
		},
	})
	gold := target(t, "volume_type", "gold", values{})
	states, err := d.Observe(t.Context(), []unit.Target{gold})
	if st := states[gold.Address]; err != nil || st.ID != "t2" {
		t.Errorf("got %+v, %v", st, err)
	}
}
