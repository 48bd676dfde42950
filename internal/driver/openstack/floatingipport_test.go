package openstack_test

import (
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnAddressLeadsNoLongerToWhatIsTakenOut: what we have connected, and nobody has changed since, is disconnected.
func TestAnAddressLeadsNoLongerToWhatIsTakenOut(t *testing.T) {
	t.Parallel()
	nothing := cty.NullVal(cty.String)
	for name, c := range map[string]struct {
		written values
		set     map[string][]string
		action  unit.Action
	}{
		"taken out":             {values{"port": nothing}, map[string][]string{"port": {"port1"}}, unit.ActionUpdate},
		"the instance":          {values{"instance": nothing}, map[string][]string{"instance": {"v1"}}, unit.ActionUpdate},
		"never ours":            {values{"port": nothing}, nil, unit.ActionNone},
		"changed by somebody":   {values{"port": nothing}, map[string][]string{"port": {"port2"}}, unit.ActionNone},
		"by its instance now":   {values{"port": nothing, "instance": text("v1")}, map[string][]string{"port": {"port1"}}, unit.ActionNone},
		"not known yet":         {values{"port": cty.UnknownVal(cty.String)}, map[string][]string{"port": {"port1"}}, ""},
		"written as it was":     {values{"port": text("port1")}, map[string][]string{"port": {"port1"}}, unit.ActionNone},
		"ours, and written new": {values{"port": text("port2")}, map[string][]string{"port": {"port1"}}, unit.ActionUpdate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var port atomic.Value
			port.Store("port1")
			raw := func() map[string]any {
				one := map[string]any{"id": "f1", "project_id": "p1", "floating_network_id": "ext", "floating_ip_address": "192.0.2.9", "description": "[kupenstack:f1]", "tags": []any{}, "port_forwardings": []any{}}
				if port.Load() != "" {
					maps.Copy(one, map[string]any{"port_id": port.Load(), "fixed_ip_address": "10.0.0.5", "port_details": map[string]any{"device_id": "v1"}})
				}
				return one
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/floatingips":        func(*http.Request) any { return map[string]any{"floatingips": []any{raw()}} },
				"/v2.0/floatingips/f1":     func(*http.Request) any { return map[string]any{"floatingip": raw()} },
				"PUT /v2.0/floatingips/f1": func(*http.Request) any { port.Store(""); return map[string]any{"floatingip": raw()} },
			})
			c.written["floating_network"] = text("ext")
			tg := known(t, "floating_ip", "f1", c.written)
			tg.Set = c.set
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if c.action != "" && diff.Action != c.action {
				t.Errorf("got %s %+v", diff.Action, diff.Fields)
			}
			if name != "taken out" && name != "the instance" {
				return
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil || port.Load() != "" {
				t.Fatalf("it leads to %v, %v", port.Load(), err)
			}
			if states, err = d.Observe(t.Context(), []unit.Target{tg}); err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionNone {
				t.Errorf("afterwards %s %+v", diff.Action, diff.Fields)
			}
		})
	}
}
