package openstack_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnotherRegionAtAnotherInterface: what a region has at neither our interface nor the public one is there all the same.
func TestAnotherRegionAtAnotherInterface(t *testing.T) {
	t.Parallel()
	for _, face := range []string{"public", "internal"} {
		c := twoRegions{
			servers: []any{map[string]any{"id": "theirs", "name": "web", "status": "ACTIVE", "metadata": map[string]any{}}},
			urls: func(e *endpoint) {
				if e.region == "Two" && e.face == "public" {
					e.face = "admin"
				}
			},
		}
		_, err := c.driver(t, face).Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
		if c.deleted || !unit.IsBlocked(err) || !strings.Contains(err.Error(), `in the region "Two" still has servers: web (theirs)`) {
			t.Errorf("%s: deleted: %t, %v", face, c.deleted, err)
		}
	}
}
