package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnotherIDThanOnRecord: what nobody wants any more is deleted by the id on record. Where that is gone and another object bears its
// mark, as where the inventory is an older one, that stays and is told of: nobody else would ever tell of it.
func TestAnotherIDThanOnRecord(t *testing.T) {
	tg := known(t, "network", "n1", values{"name": text("web")})
	tg.Mark, tg.Locator.Project = "kupenstack:web", "p1"
	deleted := false
	there := []any{map[string]any{"id": "n2", "name": "web", "project_id": "p1", "description": "[kupenstack:web]", "status": "ACTIVE"}}
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/networks":           func(*http.Request) any { return map[string]any{"networks": there} },
		"/v2.0/networks/n1":        func(*http.Request) any { return http.StatusNotFound },
		"/v2.0/networks/n2":        func(*http.Request) any { return map[string]any{"network": there[0]} },
		"DELETE /v2.0/networks/n1": func(*http.Request) any { return http.StatusNotFound },
		"DELETE /v2.0/networks/n2": func(*http.Request) any { deleted = true; return http.StatusNoContent },
	})
	tg.Spec = nil
	look := func() unit.State {
		t.Helper()
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		return states[tg.Address]
	}
	st := look()
	if !st.Owned || st.ID != "n2" {
		t.Fatalf("got %+v", st)
	}
	if next, err := d.Delete(t.Context(), tg, st); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "(n1) is gone, and n2 bears its mark") || next.Gone() || deleted {
		t.Errorf("got %+v, %v, deleted: %t", next, err, deleted)
	}
	there = []any{}
	if next, err := d.Delete(t.Context(), tg, look()); err != nil || !next.Gone() {
		t.Errorf("once that is gone as well: %+v, %v", next, err)
	}
}
