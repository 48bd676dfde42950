package openstack_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestRoutesGoBeforeTheRouter: Neutron takes no interface from a router as long as a route passes it. Ours go then, those
// of others keep the router as it is.
func TestRoutesGoBeforeTheRouter(t *testing.T) {
	t.Parallel()
	const mark = "kupenstack:ours"
	route := func(to string) map[string]any { return map[string]any{"destination": to, "nexthop": "10.0.0.9"} }
	written := func(to string) cty.Value {
		return objects(values{"destination": text(to), "next_hop": text("10.0.0.9")})
	}
	for name, c := range map[string]struct {
		routes    []any
		written   cty.Value
		unwritten bool // the block is gone
		set       []string
		owner     string // the mark of the interface
		gone      []string
		blocked   string
	}{
		"written":                {[]any{route("10.1.0.0/16")}, written("10.1.0.0/16"), false, nil, mark, []string{"10.1.0.0/16"}, ""},
		"on record":              {[]any{route("10.1.0.0/16")}, cty.NilVal, true, []string{"10.1.0.0/16 10.0.0.9"}, mark, []string{"10.1.0.0/16"}, ""},
		"one on record, one not": {[]any{route("10.1.0.0/16"), route("10.2.0.0/16")}, written("10.1.0.0/16"), false, []string{"10.2.0.0/16 10.0.0.9"}, mark, []string{"10.1.0.0/16", "10.2.0.0/16"}, ""},
		"none":                   {[]any{}, cty.NilVal, true, []string{"10.1.0.0/16 10.0.0.9"}, mark, nil, ""},
		"one of others":          {[]any{route("10.1.0.0/16"), route("10.2.0.0/16")}, written("10.1.0.0/16"), false, nil, mark, nil, "to 10.2.0.0/16 by 10.0.0.9"},
		"one of others alone":    {[]any{route("10.2.0.0/16")}, cty.NilVal, true, nil, mark, nil, "to 10.2.0.0/16 by 10.0.0.9"},
		"an interface of others": {[]any{route("10.1.0.0/16")}, written("10.1.0.0/16"), false, nil, "kupenstack:another", nil, "interfaces that are not ours, in the subnets s1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			routes, connected := slices.Clone(c.routes), true
			var gone []string
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/routers/r1": func(*http.Request) any {
					return map[string]any{"router": map[string]any{"id": "r1", "name": "edge", "project_id": "p1", "description": "[" + mark + "]", "routes": routes}}
				},
				"/v2.0/ports": func(*http.Request) any {
					return map[string]any{"ports": []any{map[string]any{
						"id": "i1", "device_id": "r1", "device_owner": "network:router_interface", "description": "[" + c.owner + "]",
						"fixed_ips": []any{map[string]any{"subnet_id": "s1", "ip_address": "10.0.0.1"}},
					}}}
				},
				"PUT /v2.0/routers/r1/remove_extraroutes": func(r *http.Request) any {
					var asked struct {
						Router struct {
							Routes []struct{ Destination string }
						}
					}
					if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
						t.Error(err)
					}
					for _, one := range asked.Router.Routes {
						gone = append(gone, one.Destination)
						routes = slices.DeleteFunc(routes, func(r any) bool { return r.(map[string]any)["destination"] == one.Destination })
					}
					return map[string]any{}
				},
				"PUT /v2.0/routers/r1/remove_router_interface": func(*http.Request) any {
					if len(routes) > 0 {
						return http.StatusConflict
					}
					connected = false
					return map[string]any{}
				},
				"DELETE /v2.0/routers/r1": func(*http.Request) any {
					if connected {
						return http.StatusConflict
					}
					return map[string]any{}
				},
			})
			block := values{}
			if c.written != cty.NilVal {
				block["route"] = c.written
			}
			tg := target(t, "router", "edge", block)
			tg.ID, tg.Mark, tg.Fresh, tg.Set = "r1", mark, false, map[string][]string{"route": c.set}
			if c.unwritten {
				tg.Spec = nil
			}
			st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
			switch {
			case c.blocked == "" && (err != nil || !st.Gone()):
				t.Errorf("it is %+v, %v", st, err)
			case c.blocked != "" && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), c.blocked) || !connected):
				t.Errorf("it is connected: %t, and deleting it says %v, want %s", connected, err, c.blocked)
			}
			if !slices.Equal(gone, c.gone) {
				t.Errorf("the routes %q are taken away, want %q", gone, c.gone)
			}
		})
	}
}
