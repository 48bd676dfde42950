package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestALostGroupInAProjectOfTheSamePass: a process is killed as it has made a server group, or an address scope, in a project that it
// made just before, and the block is taken out before the next one looks. Both bear no mark; a new project had none of that name.
func TestALostGroupInAProjectOfTheSamePass(t *testing.T) {
	for kind, test := range map[string]struct {
		written         values
		path, one, many string
	}{
		"server_group":  {values{"policy": text("affinity")}, "/v2.1/os-server-groups", "server_group", "server_groups"},
		"address_scope": {values{}, "/v2.0/address-scopes", "address_scope", "address_scopes"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := &records{shards: map[string]inventory.Shard{}}
			var killed map[string]inventory.Shard
			var projects, made []map[string]any
			deleted := false
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/domains": listed("domains"), "/v3/role_assignments": listed("role_assignments"),
				"/v3/projects": func(r *http.Request) any { return listed("projects", projects...)(r) },
				"POST /v3/projects": func(r *http.Request) any {
					project, _ := bodyOf(r)["project"].(map[string]any)
					project["id"], project["enabled"] = "q1", true
					projects = append(projects, project)
					return map[string]any{"project": project}
				},
				"/v3/projects/q1": func(*http.Request) any { return map[string]any{"project": projects[0]} },
				test.path:         func(r *http.Request) any { return listed(test.many, made...)(r) },
				"POST " + test.path: func(r *http.Request) any {
					one, _ := bodyOf(r)[test.one].(map[string]any)
					one["id"], one["project_id"] = "s1", "q1"
					made = append(made, one)
					store.mutex.Lock()
					defer store.mutex.Unlock()
					killed = maps.Clone(store.shards) // what is on record as the process ends here
					return map[string]any{test.one: one}
				},
				"DELETE " + test.path + "/s1": func(*http.Request) any { deleted = true; return http.StatusNoContent },
			})
			units := unitsOf([]unit.Target{target(t, "project", "shop", values{}), target(t, kind, "web", maps.Clone(test.written))})
			refer(&units[1], "project", units[0].Address)
			marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
			pass := func(d *openstack.Driver, units []unit.Unit) (engine.Snapshot, *inventory.Inventory) {
				t.Helper()
				kept, err := inventory.Open(t.Context(), store)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				e := engine.New(engine.Options{Language: language(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
				if err := e.Converge(ctx, &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, time.Second); err != nil {
					t.Fatal(err)
				}
				return e.Snapshot(), kept
			}
			if seen, _ := pass(d, units); killed == nil {
				t.Fatalf("nothing was made: %+v", seen.Units)
			}
			store.shards = killed
			seen, kept := pass(d, units[:1])
			if _, stays := kept.Entry(units[1].Address); !stays || deleted {
				t.Errorf("its record is there: %t, and it was deleted: %t", stays, deleted)
			}
			for _, u := range seen.Units {
				if u.Address == units[1].Address && (u.Phase != engine.PhaseBlocked || !strings.Contains(u.Reason, `as "web" failed or was cut off, and may have made what has come since: web (s1); delete that`)) {
					t.Errorf("it is %s: %s", u.Phase, u.Reason)
				}
			}
		})
	}
}
