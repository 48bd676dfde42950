package openstack_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// successive is a cloud whose projects come one after another, each with a default security group of its own.
type successive struct {
	mu     sync.Mutex
	n      int
	all    map[string]map[string]any
	groups map[string]string // project -> group
	kill   func()
	asked  []string
}

func (p *successive) driver(t *testing.T) *openstack.Driver {
	t.Helper()
	lock := func(f func(*http.Request) any) func(*http.Request) any {
		return func(r *http.Request) any {
			p.mu.Lock()
			defer p.mu.Unlock()
			return f(r)
		}
	}
	answers := map[string]func(*http.Request) any{
		"/v3/projects": lock(func(r *http.Request) any {
			list := []any{}
			if !r.URL.Query().Has("parent_id") {
				for _, o := range p.all {
					list = append(list, o)
				}
			}
			return map[string]any{"projects": list}
		}),
		"POST /v3/projects": lock(func(r *http.Request) any {
			o := bodyOf(r)["project"].(map[string]any)
			p.n++
			id := fmt.Sprintf("q%d", p.n)
			o["id"] = id
			p.all[id], p.groups[id] = o, "g"+id
			p.asked = append(p.asked, "new "+id)
			return map[string]any{"project": o}
		}),
		"/v3/role_assignments": listed("role_assignments"),
		"/v2.0/security-groups": lock(func(r *http.Request) any {
			q := r.URL.Query().Get("project_id")
			list := []any{}
			for project, g := range p.groups {
				if q == "" || q == project {
					list = append(list, map[string]any{"id": g, "name": "default", "project_id": project})
				}
			}
			if p.kill != nil && q != "" && p.all[q] == nil {
				p.kill()
				return http.StatusServiceUnavailable
			}
			return map[string]any{"security_groups": list}
		}),
		"/v2.1/os-server-groups": listed("server_groups"), "/v2.1/servers/detail": listed("servers"), "/v2.1/servers": listed("servers"), "/v2/images": listed("images"),
	}
	for i := range 4 {
		id := fmt.Sprintf("q%d", i)
		answers["/v3/projects/"+id] = lock(func(*http.Request) any {
			if p.all[id] == nil {
				return http.StatusNotFound
			}
			return map[string]any{"project": p.all[id]}
		})
		answers["DELETE /v3/projects/"+id] = lock(func(*http.Request) any {
			p.asked = append(p.asked, "delete "+id)
			delete(p.all, id)
			return map[string]any{}
		})
		answers["DELETE /v2.0/security-groups/g"+id] = lock(func(*http.Request) any {
			p.asked = append(p.asked, "delete group of "+id)
			delete(p.groups, id)
			return map[string]any{}
		})
	}
	for path, key := range map[string]string{
		"routers": "routers", "ports": "ports", "networks": "networks", "subnets": "subnets", "floatingips": "floatingips", "subnetpools": "subnetpools",
	} {
		answers["/v2.0/"+path] = listed(key)
	}
	return answering(t, answers)
}

// TestAReplacedProjectLeavesNoGroup has the process killed between the deletion of a project and that of its default
// security group, as the project is replaced: what comes next finds the group all the same.
func TestAReplacedProjectLeavesNoGroup(t *testing.T) {
	for _, killed := range []bool{false, true} {
		p := &successive{all: map[string]map[string]any{}, groups: map[string]string{}}
		store, key := &records{shards: map[string]inventory.Shard{}}, rand.Text()
		pass := func(trigger string, kills bool) {
			kept, err := inventory.Open(t.Context(), store)
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithTimeout(t.Context(), await.Limit)
			defer end()
			if p.kill = nil; kills {
				p.kill = end
			}
			tg := target(t, "project", "web", values{"domain": text("d1")})
			tg.Spec.(*unit.Resource).Triggers = func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
				return cty.TupleVal([]cty.Value{cty.StringVal(trigger)}), nil
			}
			e := engine.New(engine.Options{
				Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: p.driver(t)}, Inventory: kept,
				Marker: inventory.NewMarker(key, redact.NewSecret("a key that is long enough")),
			})
			r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}, Units: unitsOf([]unit.Target{tg})}
			if err := e.Converge(ctx, r, time.Millisecond); (err != nil) != kills {
				t.Fatal(err)
			}
		}
		pass("1", false)
		pass("2", killed)
		pass("2", false)
		if len(p.groups) != 1 || p.groups["q2"] == "" || len(p.all) != 1 {
			t.Errorf("killed %t: after %q there are the groups %v, and the projects %v", killed, p.asked, p.groups, p.all)
		}
	}
}
