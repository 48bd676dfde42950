package openstack_test

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAGatewayThatIsTakenOutGoes: what we have set, and nobody has changed since, is taken off the router.
func TestAGatewayThatIsTakenOutGoes(t *testing.T) {
	t.Parallel()
	nothing := cty.NullVal(cty.String)
	for name, c := range map[string]struct {
		written values
		set     map[string][]string
		action  unit.Action
	}{
		"taken out":             {values{"external_network": nothing}, map[string][]string{"external_network": {"ext"}}, unit.ActionUpdate},
		"all of it":             {values{"external_network": nothing, "enable_snat": cty.True}, map[string][]string{"external_network": {"ext"}}, unit.ActionUpdate},
		"never ours":            {values{"external_network": nothing}, nil, unit.ActionNone},
		"changed by somebody":   {values{"external_network": nothing}, map[string][]string{"external_network": {"other"}}, unit.ActionNone},
		"written as it was":     {values{"external_network": text("ext")}, map[string][]string{"external_network": {"ext"}}, unit.ActionNone},
		"ours, and written new": {values{"external_network": text("other")}, map[string][]string{"external_network": {"ext"}}, unit.ActionUpdate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var gateway atomic.Value
			gateway.Store("ext")
			raw := func() map[string]any {
				one := map[string]any{"id": "r1", "name": "r1", "project_id": "p1", "description": "[kupenstack:r1]", "tags": []any{}, "routes": []any{}, "external_gateway_info": nil}
				if network := gateway.Load(); network != "" {
					one["external_gateway_info"] = map[string]any{"network_id": network, "enable_snat": true, "external_fixed_ips": []any{map[string]any{"subnet_id": "s0", "ip_address": "192.0.2.9"}}}
				}
				return one
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/routers":    func(*http.Request) any { return map[string]any{"routers": []any{raw()}} },
				"/v2.0/routers/r1": func(*http.Request) any { return map[string]any{"router": raw()} },
				"/v2.0/ports":      listed("ports"),
				"PUT /v2.0/routers/r1": func(r *http.Request) any {
					var body struct {
						Router struct {
							Gateway *struct {
								Network string `json:"network_id"`
							} `json:"external_gateway_info"`
						} `json:"router"`
					}
					if err := json.NewDecoder(r.Body).Decode(&body); err == nil && body.Router.Gateway != nil {
						gateway.Store(body.Router.Gateway.Network)
					}
					return map[string]any{"router": raw()}
				},
			})
			tg := known(t, "router", "r1", c.written)
			tg.Set = c.set
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if diff.Action != c.action {
				t.Errorf("got %s %+v", diff.Action, diff.Fields)
			}
			if c.action == unit.ActionNone {
				return
			}
			if f := diff.Fields[0]; f.Path != "external_network" || f.Before != "ext" || f.After != textAt(c.written, "external_network") {
				t.Errorf("the field is %+v", f)
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil || gateway.Load() != textAt(c.written, "external_network") {
				t.Fatalf("the gateway is in %v, %v", gateway.Load(), err)
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

// textAt is a written text, "" for none.
func textAt(written values, name string) string {
	if written[name].IsNull() {
		return ""
	}
	return written[name].AsString()
}
