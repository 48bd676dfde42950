package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestACutOffAssignmentThatConnectsSomethingElse: a process is killed as it has given a role, and the next one finds another role in the
// block. What the first one gave is on record by what it connects, and is taken back, but for what another block has by now.
func TestACutOffAssignmentThatConnectsSomethingElse(t *testing.T) {
	for name, other := range map[string]bool{"nobody else's": false, "another block's by now": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &records{shards: map[string]inventory.Shard{}}
			var killed map[string]inventory.Shard
			given := map[string]bool{}
			answers := map[string]func(*http.Request) any{
				"/v3/domains": listed("domains"),
				"/v3/role_assignments": func(r *http.Request) any {
					all := []map[string]any{}
					for _, role := range slices.Sorted(maps.Keys(given)) {
						if id := r.URL.Query().Get("role.id"); id == "" || id == role {
							all = append(all, map[string]any{"user": map[string]any{"id": "ada"}, "role": map[string]any{"id": role}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}})
						}
					}
					return map[string]any{"role_assignments": all}
				},
			}
			for _, role := range []string{"r1", "r2"} {
				answers["PUT /v3/projects/p1/users/ada/roles/"+role] = func(*http.Request) any {
					given[role] = true
					if store.mutex.Lock(); killed == nil {
						killed = maps.Clone(store.shards) // what is on record as the process ends here
					}
					store.mutex.Unlock()
					return http.StatusNoContent
				}
				answers["DELETE /v3/projects/p1/users/ada/roles/"+role] = func(*http.Request) any { delete(given, role); return http.StatusNoContent }
			}
			units := func(roles map[string]string) []unit.Unit {
				var targets []unit.Target
				for _, label := range slices.Sorted(maps.Keys(roles)) {
					targets = append(targets, target(t, "role_assignment", label, values{"user": text("ada"), "role": text(roles[label]), "project": text("p1")}))
				}
				return unitsOf(targets)
			}
			marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
			pass := func(wanted map[string]string) *inventory.Inventory {
				t.Helper()
				kept, err := inventory.Open(t.Context(), store)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				d := answeringTo(t, "u1", answers, func(o *openstack.Options) { o.Settle = time.Millisecond })
				e := engine.New(engine.Options{Language: language(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
				if err := e.Converge(ctx, &engine.Revision{ID: rand.Text(), Units: units(wanted), Deployment: inventory.Deployment{Cloud: "demo"}}, 5*time.Second); err != nil {
					t.Fatal(err)
				}
				return kept
			}
			pass(map[string]string{"ops": "r1"})
			store.shards = killed
			if other { // which comes first, and has it on record
				one := units(map[string]string{"more": "r1"})[0]
				kept, err := inventory.Open(t.Context(), store)
				if err != nil {
					t.Fatal(err)
				}
				if err := kept.Put(t.Context(), inventory.Entry{
					Address: one.Address, UID: rand.Text(), Locator: one.Spec.Locator(), Phase: inventory.Owned, Class: one.Class, ID: "user/ada/project/p1/role/r1",
				}); err != nil {
					t.Fatal(err)
				}
			}
			wanted := map[string]string{"ops": "r2"}
			if other {
				wanted["more"] = "r1"
			}
			kept := pass(wanted)
			if given["r1"] != other || !given["r2"] {
				t.Errorf("given are %v", given)
			}
			for _, u := range units(wanted) {
				if entry, _ := kept.Entry(u.Address); entry.ID != "user/ada/project/p1/role/"+wanted[u.Address.Name()] || entry.Before != nil {
					t.Errorf("on record is %+v", entry)
				}
			}
		})
	}
}

// TestWhatAnAttemptConnected: of what is known by what it connects, only what has come since an attempt counts as that of the block, and
// not where the attempt was refused. Beside what is wanted by now it is left to people.
func TestWhatAnAttemptConnected(t *testing.T) {
	t.Parallel()
	former := "user/ada/project/p1/role/r1"
	role := func(id string) map[string]any {
		return map[string]any{"user": map[string]any{"id": "ada"}, "role": map[string]any{"id": id}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}}
	}
	for name, test := range map[string]struct {
		there   []map[string]any
		before  []string
		refused bool // the attempt
		taken   bool
		id      string // what it is found to be; "" where it is absent, or several could be meant
		says    string
	}{
		"it has come":              {there: []map[string]any{role("r1")}, id: former},
		"it was there before":      {there: []map[string]any{role("r1")}, before: []string{former}},
		"it is another block's":    {there: []map[string]any{role("r1")}, taken: true},
		"something else has come":  {there: []map[string]any{role("r3")}},
		"nothing has come":         {},
		"nothing was given":        {there: []map[string]any{role("r1")}, refused: true},
		"what is wanted is there":  {there: []map[string]any{role("r2")}, id: "user/ada/project/p1/role/r2"},
		"what is wanted beside it": {there: []map[string]any{role("r1"), role("r2")}, says: "delete it, or write what it was again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := listed("role_assignments")
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/domains": listed("domains"), "/v3/role_assignments": func(r *http.Request) any { return there(r) },
				"PUT /v3/projects/p1/users/ada/roles/r1": func(*http.Request) any { return http.StatusForbidden },
			})
			first := target(t, "role_assignment", "ops", values{"user": text("ada"), "role": text("r1"), "project": text("p1")})
			first.UID = "u1"
			if test.refused {
				if _, err := d.Apply(t.Context(), first, wantedOf(first), unit.State{Existence: unit.Absent}); err == nil {
					t.Fatal("it was given")
				}
			}
			there = listed("role_assignments", test.there...)
			tg := target(t, "role_assignment", "ops", values{"user": text("ada"), "role": text("r2"), "project": text("p1")})
			tg.UID, tg.Fresh, tg.Attempted, tg.Before = "u1", false, true, &unit.Before{Of: "/" + former, IDs: test.before}
			tg.Taken = func(id string) bool { return test.taken && id == former }
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st := states[tg.Address]
			if st.ID != test.id || st.ID != "" && !st.Owned || !strings.Contains(st.Message, test.says) || (st.Existence == unit.Absent) != (test.id == "" && test.says == "") {
				t.Errorf("got %+v", st)
			}
		})
	}
}

// TestAnAttemptOfWhichNobodyHeard: that an attempt came to nothing is certain where it was refused, and not where its answer was lost or
// the service failed, also of a request that is sent again in any case.
func TestAnAttemptOfWhichNobodyHeard(t *testing.T) {
	t.Parallel()
	for status, named := range map[int]bool{http.StatusForbidden: false, http.StatusNotFound: false, http.StatusInternalServerError: true, http.StatusBadGateway: true} {
		given := listed("role_assignments")
		d := answering(t, map[string]func(*http.Request) any{
			"/v3/domains": listed("domains"), "/v3/role_assignments": func(r *http.Request) any { return given(r) },
			"PUT /v3/projects/p1/users/ada/roles/r1": func(*http.Request) any {
				given = listed("role_assignments", map[string]any{"user": map[string]any{"id": "ada"}, "role": map[string]any{"id": "r1"}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}})
				return status
			},
		})
		tg := target(t, "role_assignment", "ops", values{"user": text("ada"), "role": text("r1"), "project": text("p1")})
		tg.UID = "u1"
		if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); err == nil {
			t.Fatal("it was given")
		}
		tg.Locator, tg.Spec, tg.Fresh, tg.Attempted, tg.Before = tg.Spec.Locator(), nil, false, true, &unit.Before{Of: "/user/ada/project/p1/role/r1"}
		_, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent})
		if got := err != nil && strings.Contains(err.Error(), "may have made what has come since"); got != named {
			t.Errorf("after a %d, taking it out says %v", status, err)
		}
	}
}

// TestWhatMayStillCome: what an attempt was to connect stays on record for as long as it may still come to that.
func TestWhatMayStillCome(t *testing.T) {
	t.Parallel()
	for settle, want := range map[time.Duration]string{time.Hour: "/user/ada/project/p1/role/r1", time.Nanosecond: "/user/ada/project/p1/role/r2"} {
		d := answeringTo(t, "u1", map[string]func(*http.Request) any{"/v3/role_assignments": listed("role_assignments")}, func(o *openstack.Options) { o.Settle = settle })
		tg := target(t, "role_assignment", "ops", values{"user": text("ada"), "role": text("r2"), "project": text("p1")})
		tg.Fresh, tg.Attempted, tg.Before = false, true, &unit.Before{Of: "/user/ada/project/p1/role/r1"}
		if seen, told := beforeOf(t, d, tg), d.Foretell(tg, wantedOf(tg)); seen != nil || told == nil || told.Of != want {
			t.Errorf("within %s: %+v was seen, and %+v is told", settle, seen, told)
		}
	}
}
