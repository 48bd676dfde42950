package openstack_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// limited is a Keystone with one registered limit, of which it changes nothing while there are limits in its place.
type limited struct {
	mutex  sync.Mutex
	there  map[string]any // nil once it is deleted
	limits []map[string]any
	writes []string
}

func (l *limited) with(then func(r *http.Request) any) func(*http.Request) any {
	return func(r *http.Request) any {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		return then(r)
	}
}

func (l *limited) answers() map[string]func(*http.Request) any {
	path := "/v3/registered_limits/" + idOf("1")
	refusing := func(then func(r *http.Request) any) func(*http.Request) any {
		return l.with(func(r *http.Request) any {
			l.writes = append(l.writes, r.Method)
			for _, limit := range l.limits {
				if limit["resource_name"] == "volumes" {
					return http.StatusForbidden
				}
			}
			return then(r)
		})
	}
	return map[string]func(*http.Request) any{
		"/v3/domains": listed("domains"), "/v3/roles": listed("roles", map[string]any{"id": idOf("9"), "name": "member"}),
		"/v3/limits": l.with(func(*http.Request) any { return map[string]any{"limits": append([]map[string]any{}, l.limits...)} }),
		"/v3/registered_limits": l.with(func(*http.Request) any {
			if l.there == nil {
				return map[string]any{"registered_limits": []any{}}
			}
			return map[string]any{"registered_limits": []any{l.there}}
		}),
		path: l.with(func(*http.Request) any {
			if l.there == nil {
				return http.StatusNotFound
			}
			return map[string]any{"registered_limit": l.there}
		}),
		"PATCH " + path: refusing(func(r *http.Request) any {
			var body map[string]map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			for key, value := range body["registered_limit"] {
				l.there[key] = value
			}
			return map[string]any{"registered_limit": l.there}
		}),
		"DELETE " + path: refusing(func(*http.Request) any { l.there = nil; return http.StatusNoContent }),
	}
}

// TestRegisteredLimitWithLimits: one that limits stand in the place of is adopted by its record alone, and gets its mark once they
// have gone. What is to be otherwise is told before Keystone is asked for it.
func TestRegisteredLimitWithLimits(t *testing.T) {
	of := func(resource string) map[string]any {
		return map[string]any{"id": idOf("2"), "service_id": idOf("5"), "region_id": nil, "resource_name": resource, "project_id": idOf("7"), "resource_limit": 3}
	}
	l := &limited{
		there: map[string]any{
			"id": idOf("1"), "service_id": idOf("5"), "region_id": nil, "resource_name": "volumes", "default_limit": 10, "description": "Of each",
		},
		limits: []map[string]any{of("volumes")},
	}
	kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
	if err != nil {
		t.Fatal(err)
	}
	d := answering(t, l.answers())
	marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
	for _, step := range []struct {
		name   string
		limits []map[string]any
		most   int64 // 0 is without the block
		phase  engine.Phase
		says   string
		writes string
	}{
		{name: "adopted", limits: l.limits, most: 10, phase: engine.PhaseReady},
		{name: "again", limits: l.limits, most: 10, phase: engine.PhaseReady},
		{name: "otherwise", limits: l.limits, most: 20, phase: engine.PhaseBlocked, says: "take these limits away first"},
		{name: "taken out", limits: l.limits, phase: engine.PhaseBlocked, says: "keep its block until one pass after"},
		{name: "limits of something else", limits: []map[string]any{of("backups")}, most: 10, phase: engine.PhaseReady, writes: "PATCH"},
		{name: "deleted", phase: engine.PhaseGone, writes: "DELETE"},
	} {
		l.mutex.Lock()
		l.limits, l.writes = step.limits, nil
		l.mutex.Unlock()
		other := lookUp(t, "role", "member") // what asks for nothing at all is refused
		units := []unit.Unit{{Address: other.Address, Spec: other.Spec, Class: unit.ClassResource}}
		if step.most > 0 {
			tg := target(t, "registered_limit", "volumes", values{"service": text(idOf("5")), "resource_name": text("volumes"), "default_limit": cty.NumberIntVal(step.most)})
			units = append(units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource})
		}
		e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
		if err := e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, 10*time.Second); err != nil && step.says == "" {
			t.Errorf("%s: %v", step.name, err)
		}
		for _, s := range e.Snapshot().Units {
			if s.Address == other.Address {
				continue
			}
			if s.Phase != step.phase || !strings.Contains(s.Reason, step.says) {
				t.Errorf("%s: %s is %s: %s", step.name, s.Address, s.Phase, s.Reason)
			}
		}
		if got := strings.Join(l.writes, " "); got != step.writes {
			t.Errorf("%s: it was sent %q, want %q", step.name, got, step.writes)
		}
	}
	if l.there != nil {
		t.Errorf("it is still there: %v", l.there)
	}
}

// TestWhatHasRegisteredLimits: Keystone answers each deletion of a service or a region that something is registered for with an error
// of the server, so that it is not asked for. Which one that is, is told.
func TestWhatHasRegisteredLimits(t *testing.T) {
	for _, kind := range []struct{ name, one, path, filter string }{
		{"identity_service", "service", "/v3/services/", "service_id"},
		{"region", "region", "/v3/regions/", "region_id"},
	} {
		for _, test := range []struct {
			name       string
			registered func(r *http.Request) any
			says       string
			blocked    bool
		}{
			{name: "nothing", registered: listed("registered_limits")},
			{name: "no such part of Keystone", registered: func(*http.Request) any { return http.StatusNotFound }},
			{name: "one of others", registered: listed("registered_limits", map[string]any{"id": "theirs", "resource_name": "volumes"}), says: "volumes (theirs), which is not ours", blocked: true},
			{name: "one of ours", registered: listed("registered_limits", map[string]any{"id": "ours", "resource_name": "volumes", "description": "[kupenstack:ours]"}), says: "volumes (ours)"},
			{name: "nobody knows", registered: func(*http.Request) any { return http.StatusForbidden }, says: "look for registered_limits", blocked: true},
		} {
			deleted := false
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/endpoints": listed("endpoints"), "/v3/regions": listed("regions"), "/v3/domains": listed("domains"),
				kind.path + "a1": func(*http.Request) any {
					return map[string]any{kind.one: map[string]any{"id": "a1", "name": "a1", "description": "[kupenstack:a1]"}}
				},
				"DELETE " + kind.path + "a1": func(*http.Request) any { deleted = true; return http.StatusNoContent },
				"/v3/registered_limits": func(r *http.Request) any {
					if r.URL.Query().Get(kind.filter) != "a1" {
						return map[string]any{"registered_limits": []any{map[string]any{"id": "of something else"}}}
					}
					return test.registered(r)
				},
			})
			_, err := d.Delete(t.Context(), known(t, kind.name, "a1", values{}), unit.State{Existence: unit.Present})
			if deleted != (test.says == "") || deleted && err != nil {
				t.Errorf("%s with %s: deleted is %t, and it says %v", kind.name, test.name, deleted, err)
			}
			if test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says) || unit.IsBlocked(err) != test.blocked) {
				t.Errorf("%s with %s says %v, want %q, blocked %t", kind.name, test.name, err, test.says, test.blocked)
			}
		}
	}
}
