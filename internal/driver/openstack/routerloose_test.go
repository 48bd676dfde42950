package openstack_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestPortsThatNoRouterHasGotGo: a process was killed after it had made the port of an interface, and before the router
// had it. What was to be an interface becomes one, or goes; and nobody asks for such ports where none can be.
func TestPortsThatNoRouterHasGotGo(t *testing.T) {
	t.Parallel()
	nothing, removed := cty.NullVal(cty.List(cty.String)), cty.NilVal
	for name, c := range map[string]struct {
		subnets cty.Value
		set     []string // what is on record
		asked   int      // for such ports, by the first look
		action  unit.Action
		took    []string // the requests that change something
	}{
		"wanted as before":     {list("s1"), []string{"s1"}, 1, unit.ActionUpdate, []string{"PUT /v2.0/routers/r1/add_router_interface p9"}},
		"wanted no longer":     {nothing, []string{"s1"}, 1, unit.ActionUpdate, []string{"DELETE /v2.0/ports/p9"}},
		"another one wanted":   {list("s0"), []string{"s0", "s1"}, 1, unit.ActionUpdate, []string{"DELETE /v2.0/ports/p9"}},
		"the router goes":      {removed, []string{"s1"}, 1, "", []string{"DELETE /v2.0/ports/p9", "DELETE /v2.0/routers/r1"}},
		"nothing was begun":    {list("s0"), []string{"s0"}, 0, unit.ActionNone, nil},
		"nothing is on record": {list("s0"), nil, 0, unit.ActionNone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := values{}
			if c.subnets != removed {
				written["subnets"] = c.subnets
			}
			tg := known(t, "router", "r1", written)
			tg.Set, tg.Complete = map[string][]string{"subnets": c.set}, true
			port := func(id, subnet, device, owner string) map[string]any {
				return map[string]any{
					"id": id, "network_id": "n1", "device_id": device, "device_owner": owner, "description": "[" + tg.Mark + "]", "security_groups": []any{},
					"fixed_ips": []any{map[string]any{"subnet_id": subnet, "ip_address": "10.0.0.1"}},
				}
			}
			const owner = "network:router_interface"
			var mutex sync.Mutex
			var asked int
			var took []string
			ports := map[string]map[string]any{"p9": port("p9", "s1", "", "")}
			if slices.Contains(c.set, "s0") || c.set == nil {
				ports["p0"] = port("p0", "s0", "r1", owner)
			}
			takes := func(r *http.Request, then func()) any {
				mutex.Lock()
				defer mutex.Unlock()
				var body struct {
					Port string `json:"port_id"`
				}
				request := r.Method + " " + r.URL.Path
				if r.Method == http.MethodPut && json.NewDecoder(r.Body).Decode(&body) == nil {
					request += " " + body.Port
				}
				took = append(took, request)
				then()
				return map[string]any{}
			}
			there := true
			router := map[string]any{"id": "r1", "name": tg.Address.Name(), "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{}, "routes": []any{}}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/routers": listed("routers", router),
				"/v2.0/routers/r1": func(*http.Request) any {
					mutex.Lock()
					defer mutex.Unlock()
					if !there {
						return http.StatusNotFound
					}
					return map[string]any{"router": router}
				},
				"DELETE /v2.0/routers/r1": func(r *http.Request) any { return takes(r, func() { there = false }) },
				"PUT /v2.0/routers/r1/add_router_interface": func(r *http.Request) any {
					return takes(r, func() { ports["p9"] = port("p9", "s1", "r1", owner) })
				},
				"DELETE /v2.0/ports/p9": func(r *http.Request) any { return takes(r, func() { delete(ports, "p9") }) },
				"/v2.0/subnets/s1": func(*http.Request) any {
					return map[string]any{"subnet": map[string]any{"id": "s1", "network_id": "n1"}}
				},
				"/v2.0/ports": func(r *http.Request) any {
					mutex.Lock()
					defer mutex.Unlock()
					query, all := r.URL.Query(), []any{}
					if query.Has("description") {
						asked++
					}
					for _, p := range ports {
						if !query.Has("device_id") || query.Get("device_id") == p["device_id"] {
							all = append(all, p)
						}
					}
					return map[string]any{"ports": all}
				},
			})
			b := &bench{Driver: d}
			st := b.see(t, tg)
			if asked != c.asked {
				t.Errorf("it was asked %d times for ports that no router has, want %d", asked, c.asked)
			}
			if c.subnets == removed {
				tg.Spec = nil
				if st, err := d.Delete(t.Context(), tg, st); err != nil {
					t.Fatalf("%+v, %v", st, err)
				}
			} else {
				if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != c.action {
					t.Fatalf("got %s %+v", diff.Action, diff.Fields)
				}
				st, err := d.Apply(t.Context(), tg, wantedOf(tg), st)
				if err != nil {
					t.Fatal(err)
				}
				if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone {
					t.Errorf("afterwards %s %+v", diff.Action, diff.Fields)
				}
			}
			if !slices.Equal(took, c.took) {
				t.Errorf("it took %q, want %q", took, c.took)
			}
		})
	}
}
