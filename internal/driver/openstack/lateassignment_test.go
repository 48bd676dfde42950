package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestALostAssignmentOfWhatWasMadeInTheSamePass: a process is killed as it has given a role to a group that it made just before, whose id
// no look knew, and the block of the assignment is taken out before the next one looks. Nothing on the assignment tells that it is ours,
// so that it is named to people, and its record stays.
func TestALostAssignmentOfWhatWasMadeInTheSamePass(t *testing.T) {
	t.Parallel()
	store := &records{shards: map[string]inventory.Shard{}}
	var killed map[string]inventory.Shard
	var groups, given []map[string]any
	taken := false
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/groups":  func(r *http.Request) any { return listed("groups", groups...)(r) },
		"/v3/domains": listed("domains"),
		"POST /v3/groups": func(r *http.Request) any {
			body := bodyOf(r)
			group, _ := body["group"].(map[string]any)
			group["id"], group["domain_id"] = "g1", "default"
			groups = append(groups, group)
			return map[string]any{"group": group}
		},
		"/v3/groups/g1":        func(*http.Request) any { return map[string]any{"group": groups[0]} },
		"/v3/role_assignments": func(r *http.Request) any { return listed("role_assignments", given...)(r) },
		"PUT /v3/projects/p1/groups/g1/roles/r1": func(*http.Request) any {
			given = []map[string]any{{"group": map[string]any{"id": "g1"}, "role": map[string]any{"id": "r1"}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}}}
			store.mutex.Lock()
			defer store.mutex.Unlock()
			killed = maps.Clone(store.shards) // what is on record as the process ends here
			return http.StatusNoContent
		},
		"DELETE /v3/projects/p1/groups/g1/roles/r1": func(*http.Request) any { taken = true; return http.StatusNoContent },
	})
	units := unitsOf([]unit.Target{
		target(t, "group", "ops", values{}), target(t, "role_assignment", "ops", values{"role": text("r1"), "project": text("p1")}),
	})
	refer(&units[1], "group", units[0].Address)
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
		t.Fatalf("no role was given: %+v", seen.Units)
	}
	store.shards = killed
	seen, kept := pass(d, units[:1])
	if _, stays := kept.Entry(units[1].Address); !stays || taken {
		t.Errorf("its record is there: %t, and it was taken back: %t", stays, taken)
	}
	for _, u := range seen.Units {
		if u.Address == units[1].Address && (u.Phase != engine.PhaseBlocked || !strings.Contains(u.Reason, "may have made what has come since: group/g1/project/p1/role/r1; delete that")) {
			t.Errorf("it is %s: %s", u.Phase, u.Reason)
		}
	}
}

// TestWhatIsForetold: of what is known by what it connects that is all that tells it, once it is known; a secret is not put on record.
func TestWhatIsForetold(t *testing.T) {
	t.Parallel()
	d := answering(t, nil)
	assignment := values{"user": text("ada"), "role": text("r1"), "project": text("p1")}
	for name, test := range map[string]struct {
		kind    string
		written values
		change  func(map[string]cty.Value)
		want    string
	}{
		"a role":         {"role_assignment", assignment, nil, "/user/ada/project/p1/role/r1"},
		"an attachment":  {"volume_attachment", values{"instance": text("s1"), "volume": text("v1")}, nil, "/s1/v1"},
		"a right":        {"rbac_policy", values{"object_type": text("network"), "object": text("n1"), "action": text("access_as_shared"), "target": text("p1")}, nil, "/network/n1/access_as_shared/p1"},
		"not all known":  {"role_assignment", assignment, func(all map[string]cty.Value) { all["user"] = cty.UnknownVal(cty.String) }, ""},
		"a secret":       {"role_assignment", assignment, func(all map[string]cty.Value) { all["user"] = all["user"].Mark("sensitive") }, ""},
		"what has marks": {"network", values{}, nil, ""},
		"what has names": {"server_group", values{"policy": text("affinity")}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := target(t, test.kind, "web", maps.Clone(test.written))
			all := wantedOf(tg).AsValueMap()
			if test.change != nil {
				test.change(all)
			}
			if got := d.Foretell(tg, cty.ObjectVal(all)); (got == nil) != (test.want == "") || got != nil && (got.Of != test.want || got.IDs != nil) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
