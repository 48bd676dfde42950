package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// givenRoles is a Keystone in which a user has roles in a project, and an installation that assigns them.
type givenRoles struct {
	mutex sync.Mutex
	given map[string]bool
	store *records
}

func (g *givenRoles) answers() map[string]func(*http.Request) any {
	answers := map[string]func(*http.Request) any{
		"/v3/domains": listed("domains"),
		"/v3/role_assignments": func(r *http.Request) any {
			g.mutex.Lock()
			defer g.mutex.Unlock()
			all := []map[string]any{}
			for _, role := range slices.Sorted(maps.Keys(g.given)) {
				if id := r.URL.Query().Get("role.id"); id == "" || id == role {
					all = append(all, map[string]any{"user": map[string]any{"id": "ada"}, "role": map[string]any{"id": role}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}})
				}
			}
			return map[string]any{"role_assignments": all}
		},
	}
	for _, role := range []string{"r0", "r1", "r2", "r3"} {
		change := func(what func()) func(*http.Request) any {
			return func(*http.Request) any {
				g.mutex.Lock()
				defer g.mutex.Unlock()
				what()
				return http.StatusNoContent
			}
		}
		answers["PUT /v3/projects/p1/users/ada/roles/"+role] = change(func() { g.given[role] = true })
		answers["DELETE /v3/projects/p1/users/ada/roles/"+role] = change(func() { delete(g.given, role) })
	}
	return answers
}

// units assign roles by labels; each is created before what it replaces is deleted.
func (g *givenRoles) units(t *testing.T, roles map[string]string) []unit.Unit {
	t.Helper()
	var targets []unit.Target
	for _, label := range slices.Sorted(maps.Keys(roles)) {
		targets = append(targets, target(t, "role_assignment", label, values{"user": text("ada"), "role": text(roles[label]), "project": text("p1")}))
	}
	units := unitsOf(targets)
	for i := range units {
		units[i].CreateFirst = true
	}
	return units
}

func (g *givenRoles) pass(t *testing.T, marker inventory.Marker, roles map[string]string) engine.Snapshot {
	t.Helper()
	kept, err := inventory.Open(t.Context(), g.store)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	d := answeringTo(t, "u1", g.answers(), func(o *openstack.Options) { o.Settle = time.Millisecond })
	e := engine.New(engine.Options{Language: language(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
	if err := e.Converge(ctx, &engine.Revision{ID: rand.Text(), Units: g.units(t, roles), Deployment: inventory.Deployment{Cloud: "demo"}}, time.Second); err != nil {
		t.Fatal(err)
	}
	return e.Snapshot()
}

func (g *givenRoles) has(t *testing.T, want ...string) {
	t.Helper()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if have := slices.Sorted(maps.Keys(g.given)); !slices.Equal(have, want) {
		t.Errorf("given are %v, want %v", have, want)
	}
}

func keyOfMarks() inventory.Marker {
	return inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
}

// TestRolesAreHandedOn has role assignments, which are created before what they replace is deleted, get the parts of each other. An
// assignment is known by its parts: what one block is still to give up is not taken for what the other one wants, to go with it then. Where
// each waits for another, all is told and nothing lost.
func TestRolesAreHandedOn(t *testing.T) {
	for name, wanted := range map[string]map[string]string{
		"in a row":            {"a": "r2", "b": "r3"},
		"the other way round": {"a": "r0", "b": "r1"},
		"all round":           {"a": "r2", "b": "r1"}, // which nobody can give up first
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &givenRoles{given: map[string]bool{}, store: &records{shards: map[string]inventory.Shard{}}}
			marker := keyOfMarks()
			g.pass(t, marker, map[string]string{"a": "r1", "b": "r2"})
			for _, u := range g.pass(t, marker, wanted).Units {
				waits := u.Phase == engine.PhaseFailed && strings.Contains(u.Reason, "another block is about to delete what this is to be")
				if waits != (name == "all round") || !waits && u.Phase != engine.PhaseReady {
					t.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
				}
			}
			g.has(t, slices.Sorted(maps.Values(wanted))...)
		})
	}
}

// TestWhatIsWantedAgainStays: what a block has replaced is deleted, but for what it, or another block, has taken in the meantime.
func TestWhatIsWantedAgainStays(t *testing.T) {
	for name, test := range map[string]struct {
		wanted map[string]string
		left   []string
	}{
		"nobody wants it":         {map[string]string{"a": "r2"}, []string{"r2"}},
		"the block itself has it": {map[string]string{"a": "r1"}, []string{"r1", "r2"}}, // r2 is somebody's
		"another block has it":    {map[string]string{"a": "r2", "b": "r1"}, []string{"r1", "r2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &givenRoles{given: map[string]bool{"r1": true, "r2": true}, store: &records{shards: map[string]inventory.Shard{}}}
			kept, err := inventory.Open(t.Context(), g.store)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range g.units(t, test.wanted) {
				label := u.Address.Name()
				entry := inventory.Entry{
					Address: u.Address, UID: rand.Text(), Locator: u.Spec.Locator(), Phase: inventory.Owned, Class: u.Class, ID: "user/ada/project/p1/role/" + test.wanted[label],
				}
				if label == "a" {
					entry.Former = []inventory.Former{{UID: rand.Text(), Locator: entry.Locator, ID: "user/ada/project/p1/role/r1"}}
				}
				if err := kept.Put(t.Context(), entry); err != nil {
					t.Fatal(err)
				}
			}
			g.pass(t, keyOfMarks(), test.wanted)
			g.has(t, test.left...)
			if kept, err = inventory.Open(t.Context(), g.store); err != nil {
				t.Fatal(err)
			}
			for _, entry := range kept.Entries() {
				if len(entry.Former) > 0 {
					t.Errorf("still on record is %+v", entry)
				}
			}
		})
	}
}
