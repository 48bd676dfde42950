package openstack_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestRecordOfWhatIsNotKnownYet: a user is taken out of the group that we have put it into, also where the one that takes its
// place is made by the same commit, so that for a while nobody knows which groups are wanted.
func TestRecordOfWhatIsNotKnownYet(t *testing.T) {
	var mutex sync.Mutex
	kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
	if err != nil {
		t.Fatal(err)
	}
	objects, members := map[string][]any{"users": {}, "groups": {}}, map[string]bool{}
	ids := map[string]string{"u": idOf("1"), "a": idOf("2"), "b": idOf("3")}
	answers := map[string]func(*http.Request) any{"/v3/domains": listed("domains")}
	locked := func(then func(r *http.Request) any) func(*http.Request) any {
		return func(r *http.Request) any {
			mutex.Lock()
			defer mutex.Unlock()
			return then(r)
		}
	}
	for one, many := range map[string]string{"user": "users", "group": "groups"} {
		answers["/v3/"+many] = locked(func(*http.Request) any { return map[string]any{many: slices.Clone(objects[many])} })
		answers["POST /v3/"+many] = locked(func(r *http.Request) any {
			var body map[string]map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			body[one]["id"] = ids[body[one]["name"].(string)]
			objects[many] = append(objects[many], body[one])
			return body
		})
		for _, id := range ids {
			answers["/v3/"+many+"/"+id] = locked(func(*http.Request) any {
				for _, o := range objects[many] {
					if o.(map[string]any)["id"] == id {
						return map[string]any{one: o}
					}
				}
				return http.StatusNotFound
			})
		}
	}
	for _, name := range []string{"a", "b"} {
		group := ids[name]
		answers["/v3/groups/"+group+"/users"] = locked(func(*http.Request) any {
			if members[name] {
				return map[string]any{"users": slices.Clone(objects["users"])}
			}
			return map[string]any{"users": []any{}}
		})
		answers["PUT /v3/groups/"+group+"/users/"+ids["u"]] = locked(func(*http.Request) any { members[name] = true; return http.StatusNoContent })
		answers["DELETE /v3/groups/"+group+"/users/"+ids["u"]] = locked(func(*http.Request) any { members[name] = false; return http.StatusNoContent })
	}
	answers["/v3/users/"+ids["u"]+"/groups"] = locked(func(*http.Request) any {
		in := []any{}
		for _, o := range objects["groups"] {
			if members[o.(map[string]any)["name"].(string)] {
				in = append(in, o)
			}
		}
		return map[string]any{"groups": in}
	})
	d := answering(t, answers)
	marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
	for _, groups := range []string{"a", "ab"} {
		var units []unit.Unit
		for _, name := range strings.Split(groups, "") {
			tg := target(t, "group", name, values{})
			units = append(units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource})
		}
		user := target(t, "user", "u", values{})
		u := unit.Unit{Address: user.Address, Spec: user.Spec, Class: unit.ClassResource}
		refer(&u, "groups", units[len(units)-1].Address)
		units = append(units, u)
		e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
		if err := e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, 10*time.Second); err != nil {
			t.Error(err)
		}
		for _, s := range e.Snapshot().Units {
			if s.Phase != engine.PhaseReady {
				t.Errorf("%s: %s is %s: %s", groups, s.Address, s.Phase, s.Reason)
			}
		}
	}
	if members["a"] || !members["b"] {
		t.Errorf("the user is in the groups %v", members)
	}
}
