package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A role of our own user is not taken away, whoever gave it: nothing could be done after that.
func TestRolesOfOurOwnUserStay(t *testing.T) {
	d := answering(t, map[string]func(*http.Request) any{"/v3/role_assignments": listed("role_assignments", map[string]any{
		"user": map[string]any{"id": "u1"}, "role": map[string]any{"id": "r1"}, "scope": map[string]any{"project": map[string]any{"id": "p1"}},
	})})
	tg := target(t, "role_assignment", "ours", values{"role": text("r1"), "user": text("u1"), "project": text("p1")})
	tg.ID = "user/u1/project/p1/role/r1"
	if _, err := d.Delete(t.Context(), tg, unit.State{}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "role of the user that does this") {
		t.Errorf("got %v", err)
	}
}
