package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestResizes tells from what Nova shows how far a resize is, and whose it is.
func TestResizes(t *testing.T) {
	acted := func(name, message string) map[string]any {
		return map[string]any{"action": name, "message": message, "request_id": "req-1"}
	}
	broken := []any{acted("reboot", ""), acted("resize", "Error"), acted("confirmResize", ""), acted("resize", "")}
	for _, test := range []struct {
		name, status, has, noted, task string
		actions                        any // a status, where they cannot be had
		written                        values
		action                         unit.Action
		waits, heals                   bool
		reason, fields                 string
		health                         unit.Health
	}{
		{name: "nothing is going on", status: "ACTIVE", has: "small", written: values{"flavor": text("small")}, action: unit.ActionNone, health: unit.HealthReady},
		{name: "another one is wanted", status: "ACTIVE", has: "small", written: values{"flavor": text("large")}, action: unit.ActionUpdate, fields: "flavor", health: unit.HealthReady},
		{name: "it was noted and not asked for", status: "ACTIVE", has: "small", noted: "large", actions: []any{acted("stop", "")}, written: values{"flavor": text("large")}, action: unit.ActionUpdate, fields: "flavor", health: unit.HealthReady},
		{name: "an older one was confirmed", status: "SHUTOFF", has: "small", noted: "large", actions: broken[2:], written: values{"flavor": text("large")}, action: unit.ActionUpdate, fields: "flavor", health: unit.HealthReady},
		{name: "on its way", status: "RESIZE", task: "resize_migrating", has: "small", noted: "large", written: values{"flavor": text("large")}, action: unit.ActionUpdate, waits: true, reason: "RESIZE", fields: "flavor", health: unit.HealthProgressing},
		{name: "to be confirmed", status: "VERIFY_RESIZE", has: "large", noted: "large", actions: []any{acted("resize", "")}, written: values{"flavor": text("large")}, action: unit.ActionUpdate, reason: "to be confirmed", health: unit.HealthProgressing},
		{name: "to be confirmed, and another one is wanted by now", status: "VERIFY_RESIZE", has: "large", noted: "large", actions: []any{acted("resize", "")}, written: values{"flavor": text("small")}, action: unit.ActionUpdate, fields: "flavor", health: unit.HealthProgressing},
		{name: "being confirmed", status: "VERIFY_RESIZE", has: "large", noted: "large", actions: []any{acted("confirmResize", "")}, written: values{"flavor": text("large")}, action: unit.ActionNone, health: unit.HealthProgressing},
		{name: "confirming failed", status: "VERIFY_RESIZE", has: "large", noted: "large", actions: []any{acted("confirmResize", "Error")}, written: values{"flavor": text("large")}, action: unit.ActionUpdate, reason: "to be confirmed", health: unit.HealthProgressing},
		{name: "whether it is being confirmed is not known", status: "VERIFY_RESIZE", has: "large", noted: "large", actions: http.StatusForbidden, written: values{"flavor": text("small")}, action: unit.ActionUpdate, waits: true, reason: "is not known", fields: "flavor", health: unit.HealthProgressing},
		{name: "confirmed", status: "ACTIVE", has: "large", noted: "large", written: values{"flavor": text("large")}, action: unit.ActionUpdate, reason: "taken away", health: unit.HealthReady},
		{name: "somebody else's", status: "VERIFY_RESIZE", has: "large", written: values{"flavor": text("small")}, action: unit.ActionBlocked, reason: "somebody else", fields: "flavor", health: unit.HealthReady},
		{name: "somebody else's to another one than was noted", status: "VERIFY_RESIZE", has: "other", noted: "large", written: values{"flavor": text("large")}, action: unit.ActionBlocked, reason: "somebody else", fields: "flavor", health: unit.HealthReady},
		{name: "given up", status: "ACTIVE", has: "small", noted: "large", actions: broken, written: values{"flavor": text("large")}, action: unit.ActionUpdate, heals: true, reason: "given up: no room", fields: "flavor", health: unit.HealthReady},
		{name: "given up, and more differs", status: "ACTIVE", has: "small", noted: "large", actions: broken, written: values{"flavor": text("large"), "tags": set("a")}, action: unit.ActionUpdate, fields: "tags", health: unit.HealthReady},
		{name: "given up, and the old one is wanted", status: "ACTIVE", has: "small", noted: "large", written: values{"flavor": text("small")}, action: unit.ActionUpdate, reason: "taken away", health: unit.HealthReady},
		{name: "reverted by somebody", status: "ACTIVE", has: "small", noted: "large", actions: []any{acted("revertResize", "")}, written: values{"flavor": text("large")}, action: unit.ActionUpdate, heals: true, reason: "reverted", fields: "flavor", health: unit.HealthReady},
		{name: "what became of it is not known", status: "ACTIVE", has: "small", noted: "large", actions: http.StatusForbidden, written: values{"flavor": text("large")}, action: unit.ActionUpdate, waits: true, reason: "is not known", fields: "flavor", health: unit.HealthReady},
		{name: "paused", status: "PAUSED", has: "small", written: values{"flavor": text("large")}, action: unit.ActionBlocked, reason: "unpause it", fields: "flavor", health: unit.HealthReady},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "instance", "web", test.written)
			metadata := map[string]any{"kupenstack_mark": tg.Mark}
			if test.noted != "" {
				metadata["kupenstack_resize"] = test.noted
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports"),
				"/v2.1/servers/detail": listed("servers", map[string]any{
					"id": "v1", "name": "web", "tenant_id": "p1", "status": test.status, "OS-EXT-STS:task_state": test.task,
					"flavor": map[string]any{"id": test.has}, "metadata": metadata, "tags": []any{},
				}),
				"/v2.1/servers/v1/os-instance-actions": func(*http.Request) any {
					if refused, ok := test.actions.(int); ok {
						return refused
					}
					if test.actions == nil {
						t.Error("the actions were asked for")
					}
					return map[string]any{"instanceActions": test.actions}
				},
				"/v2.1/servers/v1/os-instance-actions/req-1": func(*http.Request) any {
					return map[string]any{"instanceAction": map[string]any{"events": []any{
						map[string]any{"result": "Success", "details": nil}, map[string]any{"result": "Error", "details": "given up: no room"},
					}}}
				},
			})
			states, _ := d.Observe(t.Context(), []unit.Target{tg}) // what could not be seen is in the diff
			st := states[tg.Address]
			diff := d.Compare(tg, wantedOf(tg), st)
			var fields []string
			for _, f := range diff.Fields {
				fields = append(fields, f.Path)
			}
			if diff.Action != test.action || diff.Waits != test.waits || diff.Heals != test.heals || !strings.Contains(diff.Reason, test.reason) || strings.Join(fields, " ") != test.fields {
				t.Errorf("the diff is %+v", diff)
			}
			if diff.Action == unit.ActionUpdate && test.fields == "flavor" && diff.Cost == "" {
				t.Error("nobody says what it costs")
			}
			if st.Health != test.health {
				t.Errorf("the state is %+v", st)
			}
		})
	}
}
