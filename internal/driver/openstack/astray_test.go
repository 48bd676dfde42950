package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatALostAttemptMadeWithoutAMark: a process is killed after it has asked for something that bears no mark, and the block is taken
// out before the next one looks. What has come since is named to people, and not forgotten; it is not deleted, as it may be somebody's.
func TestWhatALostAttemptMadeWithoutAMark(t *testing.T) {
	group := func(id, project string) map[string]any {
		return map[string]any{"id": id, "name": "web", "project_id": project, "policy": "affinity"}
	}
	other := map[string]any{"id": "g1", "name": "web", "project_id": "p1", "policy": "anti-affinity"} // which is not adopted
	role := func(user string) map[string]any {
		return map[string]any{"user": map[string]any{"id": user}, "role": map[string]any{"id": "r1"}, "scope": map[string]any{"project": map[string]any{"id": "p1"}}}
	}
	for name, test := range map[string]struct {
		kind  string
		had   []map[string]any // before the attempt
		has   []map[string]any // by now
		taken []string
		says  string // "" where it is gone
		waits bool
	}{
		"nothing has come":               {kind: "server_group", waits: true},
		"one has come":                   {kind: "server_group", has: []map[string]any{group("g1", "p1")}, says: `an attempt to create this server_group as "web" failed or was cut off, and may have made what has come since`},
		"one that was there before":      {kind: "server_group", had: []map[string]any{other}, has: []map[string]any{other}, waits: true},
		"one besides that":               {kind: "server_group", had: []map[string]any{other}, has: []map[string]any{other, group("g2", "p1")}, says: "since: web (g2); delete"},
		"one that another block has":     {kind: "server_group", has: []map[string]any{group("g1", "p1")}, taken: []string{"g1"}, waits: true},
		"one of another project":         {kind: "server_group", has: []map[string]any{group("g1", "p2")}, waits: true},
		"a key pair":                     {kind: "keypair", has: []map[string]any{{"keypair": map[string]any{"name": "web", "public_key": "ssh-ed25519 AAAA"}}}, says: `this keypair as "web"`},
		"a role":                         {kind: "role_assignment", has: []map[string]any{role("ada")}, says: "user/ada/project/p1/role/r1"},
		"a role of somebody else's user": {kind: "role_assignment", has: []map[string]any{role("bob")}, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := test.had
			answer := func(key string) func(*http.Request) any {
				return func(r *http.Request) any { return listed(key, there...)(r) }
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.1/os-server-groups": answer("server_groups"), "/v2.1/os-keypairs": answer("keypairs"), "/v3/role_assignments": answer("role_assignments"),
			})
			spec := values{}
			if test.kind == "role_assignment" {
				spec = values{"user": text("ada"), "role": text("r1"), "project": text("p1")}
			}
			if test.kind == "server_group" {
				spec = values{"policy": text("affinity"), "project": text("p1")}
			}
			tg := target(t, test.kind, "web", spec)
			began := time.Now()
			before := beforeOf(t, d, tg)
			if before == nil {
				t.Fatal("what was there before the attempt is not on record")
			}
			tg.Locator, tg.Spec, tg.UID = tg.Spec.Locator(), nil, "u1"
			tg.Locator.Project, tg.Fresh, tg.Attempted, tg.Before, tg.Taken = "p1", false, true, before, func(id string) bool { return slices.Contains(test.taken, id) }
			there = test.has
			st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent})
			switch {
			case test.says != "":
				if !unit.IsBlocked(err) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "a removed block with destroy = false") {
					t.Errorf("got %v", err)
				}
			case test.waits:
				least := 29*time.Second - time.Since(began) // since the service's clock, of whole seconds, when it was asked first
				if after := unit.RetryAfter(err); after < least || after > 30*time.Second {
					t.Errorf("it may still come: %v", err)
				}
			case err != nil || !st.Gone():
				t.Errorf("got %+v, %v", st, err)
			}
		})
	}
}

// TestWhatAFailedAttemptMadeWithoutAMark: something that bears no mark is asked for, an answer comes that is no success, and the block is taken
// out. Only an answer by which nothing was done has it forgotten without a look.
func TestWhatAFailedAttemptMadeWithoutAMark(t *testing.T) {
	for name, test := range map[string]struct {
		answer any
		comes  bool // all the same
		stays  bool
	}{
		"turned down":                    {answer: http.StatusForbidden, comes: true}, // by somebody else then
		"there already":                  {answer: http.StatusConflict, comes: true, stays: true},
		"a failure":                      {answer: http.StatusInternalServerError, comes: true, stays: true},
		"an answer that is cut off":      {answer: []byte(`{"server_group": {"id": "g`), comes: true, stays: true},
		"a failure, and nothing is made": {answer: http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var there []map[string]any
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.1/os-server-groups": func(r *http.Request) any { return listed("server_groups", there...)(r) },
				"POST /v2.1/os-server-groups": func(*http.Request) any {
					if test.comes {
						there = append(there, map[string]any{"id": "g1", "name": "web", "project_id": "p1", "policy": "affinity"})
					}
					return test.answer
				},
			})
			tg := target(t, "server_group", "web", values{"policy": text("affinity"), "project": text("p1")})
			before := beforeOf(t, d, tg)
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); err == nil {
				t.Fatal("it was created")
			}
			tg.Locator, tg.Spec = tg.Spec.Locator(), nil
			tg.Locator.Project, tg.Fresh, tg.Attempted, tg.Before = "p1", false, true, before
			st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent})
			if test.stays && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), "what has come since: web (g1)")) || !test.stays && (err != nil || !st.Gone()) {
				t.Errorf("got %+v, %v", st, err)
			}
		})
	}
}

// beforeOf is what a record would have of what is there before an attempt.
func beforeOf(t *testing.T, d *openstack.Driver, tg unit.Target) *unit.Before {
	t.Helper()
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	return states[tg.Address].Before
}
