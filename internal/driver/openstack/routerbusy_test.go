package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestRouterThatAFloatingIPLeadsThrough: as long as a floating IP leads through an interface that is written no longer, Neutron
// keeps that one. The one that takes its place is there all the same, and what waits for the router need not wait: the floating
// IP may have to lead through that first.
func TestRouterThatAFloatingIPLeadsThrough(t *testing.T) {
	t.Parallel()
	tg := known(t, "router", "r1", values{"subnets": list("s1")})
	tg.Set, tg.Complete = map[string][]string{"subnets": {"s0"}}, true
	var mutex sync.Mutex
	var took []string
	used, overlaps := true, true
	port := func(id, subnet string) map[string]any {
		return map[string]any{
			"id": id, "network_id": "n" + subnet, "device_id": "r1", "device_owner": "network:router_interface", "description": "[" + tg.Mark + "]",
			"fixed_ips": []any{map[string]any{"subnet_id": subnet, "ip_address": "10.0.0.1"}},
		}
	}
	ports := map[string]map[string]any{"p0": port("p0", "s0")}
	takes := func(what string, then func() any) func(*http.Request) any {
		return func(*http.Request) any {
			mutex.Lock()
			defer mutex.Unlock()
			took = append(took, what)
			return then()
		}
	}
	router := map[string]any{"id": "r1", "name": tg.Address.Name(), "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{}, "routes": []any{}}
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/routers":    listed("routers", router),
		"/v2.0/routers/r1": func(*http.Request) any { return map[string]any{"router": router} },
		"PUT /v2.0/routers/r1/remove_router_interface": takes("remove", func() any {
			if used {
				return http.StatusConflict
			}
			delete(ports, "p0")
			return map[string]any{}
		}),
		"POST /v2.0/ports": takes("make", func() any { return map[string]any{"port": map[string]any{"id": "p1"}} }),
		"PUT /v2.0/routers/r1/add_router_interface": takes("add", func() any {
			if overlaps {
				return http.StatusBadRequest
			}
			ports["p1"] = port("p1", "s1")
			return map[string]any{}
		}),
		"/v2.0/subnets/s1": func(*http.Request) any {
			return map[string]any{"subnet": map[string]any{"id": "s1", "network_id": "ns1", "gateway_ip": "10.0.0.1"}}
		},
		"/v2.0/ports": func(r *http.Request) any {
			mutex.Lock()
			defer mutex.Unlock()
			all := []any{}
			for _, p := range ports {
				if query := r.URL.Query(); !query.Has("description") {
					all = append(all, p)
				}
			}
			return map[string]any{"ports": all}
		},
	})
	b := &bench{Driver: d}
	st := b.see(t, tg)
	if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionUpdate || diff.Serves {
		t.Fatalf("before, the diff is %+v", diff)
	}
	_, err := d.Apply(t.Context(), tg, wantedOf(tg), st)
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "add_router_interface") || !strings.Contains(err.Error(), "remove_router_interface") {
		t.Errorf("with subnets that overlap: %v", err) // what keeps the old one is what has to go first
	}
	overlaps, took = false, nil
	if _, err := d.Apply(t.Context(), tg, wantedOf(tg), b.see(t, tg)); !unit.IsBlocked(err) {
		t.Errorf("the interface goes: %v", err)
	}
	st = b.see(t, tg)
	if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionUpdate || !diff.Serves {
		t.Errorf("with both, the diff is %+v", diff)
	}
	used = false
	if _, err := d.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
		t.Error(err)
	}
	if diff := d.Compare(tg, wantedOf(tg), b.see(t, tg)); diff.Action != unit.ActionNone {
		t.Errorf("in the end the diff is %+v", diff)
	}
	if want := []string{"remove", "make", "add", "remove"}; !slices.Equal(took, want) {
		t.Errorf("it took %q, want %q", took, want)
	}
}
