package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Where a port is that an instance has is up to Nova: an instance that moved is not cut off by moving its port back.
func TestHostOfAPort(t *testing.T) {
	for owner, want := range map[string]unit.Action{"compute:nova": unit.ActionNone, "": unit.ActionUpdate} {
		tg := target(t, "port", "web", values{"network": text(idOf("a4")), "binding_host": text("node-1")})
		d := answering(t, map[string]func(*http.Request) any{"/v2.0/ports": listed("ports", map[string]any{
			"id": idOf("1"), "name": "web", "project_id": "p1", "network_id": idOf("a4"), "device_owner": owner, "binding:host_id": "node-2",
			"description": "[" + tg.Mark + "]",
		})})
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != want {
			t.Errorf("owned by %q: %+v", owner, diff)
		}
	}
}
