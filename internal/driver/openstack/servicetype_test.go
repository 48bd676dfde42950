package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestServiceOfAnotherTypeIsAnotherOne: the object store of a cloud must not become its S3 because both have one name.
func TestServiceOfAnotherTypeIsAnotherOne(t *testing.T) {
	t.Parallel()
	d := answering(t, map[string]func(*http.Request) any{"/v3/services": listed("services",
		map[string]any{"id": "c1", "name": "swift", "type": "object-store", "enabled": true},
		map[string]any{"id": "c2", "name": "heat", "type": "orchestration", "enabled": true},
		map[string]any{"id": "c3", "name": "heat", "type": "cloudformation", "enabled": true},
	)})
	for _, c := range []struct {
		name, typ, id string
		action        unit.Action
	}{
		{"swift", "s3", "", unit.ActionCreate},
		{"swift", "object-store", "c1", unit.ActionAdopt},
		{"heat", "cloudformation", "c3", unit.ActionAdopt},
	} {
		service := target(t, "identity_service", "x", values{"name": text(c.name), "type": text(c.typ)})
		states, err := d.Observe(t.Context(), []unit.Target{service})
		if err != nil {
			t.Fatal(err)
		}
		state := states[service.Address]
		if diff := d.Compare(service, wantedOf(service), state); diff.Action != c.action || state.ID != c.id {
			t.Errorf("%s of the type %s: %+v, %+v", c.name, c.typ, diff, state)
		}
	}
}
