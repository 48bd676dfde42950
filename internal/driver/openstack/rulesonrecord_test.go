package openstack_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// policies pretends to be Neutron with QoS policies, and notes what is sent about those that are named "gold".
type policies struct {
	mutex  sync.Mutex
	all    []map[string]any
	made   int
	refuse string // the direction of the rules that are refused
	sent   []string
}

func (p *policies) note(policy map[string]any, what string) {
	if policy["name"] == "gold" {
		p.sent = append(p.sent, what)
	}
}

func (p *policies) answers() map[string]func(*http.Request) any {
	locked := func(answer func(body map[string]any) any) func(*http.Request) any {
		return func(r *http.Request) any {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			var body map[string]map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body) // that of the only key; most requests have none
			for _, content := range body {
				return answer(content)
			}
			return answer(nil)
		}
	}
	answers := map[string]func(*http.Request) any{
		"/v2.0/qos/policies": locked(func(map[string]any) any { return map[string]any{"policies": append([]map[string]any{}, p.all...)} }),
		"POST /v2.0/qos/policies": locked(func(body map[string]any) any {
			p.made++
			body["id"], body["tags"], body["rules"] = idOf(fmt.Sprint(p.made)), []any{}, []any{}
			p.all = append(p.all, body)
			p.note(body, fmt.Sprintf("create in %s", body["project_id"]))
			return map[string]any{"policy": body}
		}),
	}
	for n := range 3 {
		id := idOf(fmt.Sprint(n + 1))
		path := "/v2.0/qos/policies/" + id
		is := func(policy map[string]any) bool { return policy["id"] == id }
		answers[path] = locked(func(map[string]any) any {
			if at := slices.IndexFunc(p.all, is); at >= 0 {
				return map[string]any{"policy": p.all[at]}
			}
			return http.StatusNotFound
		})
		answers["DELETE "+path] = locked(func(map[string]any) any {
			at := slices.IndexFunc(p.all, is)
			p.note(p.all[at], fmt.Sprintf("delete in %s", p.all[at]["project_id"]))
			p.all = slices.Delete(p.all, at, at+1)
			return http.StatusNoContent
		})
		answers["POST "+path+"/bandwidth_limit_rules"] = locked(func(body map[string]any) any {
			if body["direction"] == p.refuse {
				return http.StatusBadRequest
			}
			policy := p.all[slices.IndexFunc(p.all, is)]
			body["id"], body["type"] = idOf("b1"), "bandwidth_limit"
			policy["rules"] = append(policy["rules"].([]any), body)
			p.note(policy, fmt.Sprintf("rule %s", body["direction"]))
			return map[string]any{"bandwidth_limit_rule": body}
		})
	}
	return answers
}

// TestRulesOnRecord: the rules of a policy bear no mark, so that each is on record for as long as the policy is there: once
// another one takes its place, and though their changes are ignored. Else it would stay for ever, for rules of others.
func TestRulesOnRecord(t *testing.T) {
	type pass struct {
		project, direction string // of the policy, "" where none is written
		fails              bool
		sent               []string
		older              bool // an older program made the record until then
	}
	made := pass{"p1", "egress", false, []string{"create in p1", "rule egress"}, false}
	for _, test := range []struct {
		name    string
		first   bool
		ignored []string
		passes  []pass
	}{
		{"replaced", false, nil, []pass{made, {"p2", "egress", false, []string{"delete in p1", "create in p2", "rule egress"}, false}, {"", "", false, []string{"delete in p2"}, false}}},
		{"replaced, the new one first", true, nil, []pass{made, {"p2", "egress", false, []string{"create in p2", "rule egress", "delete in p1"}, false}}},
		{"ignored", false, []string{"bandwidth_limit"}, []pass{made, {"", "", false, []string{"delete in p1"}, false}}},
		{"ignored, and made by an older program", false, []string{"bandwidth_limit"}, []pass{
			made, {"p1", "egress", false, nil, true}, {"", "", false, []string{"delete in p1"}, false},
		}},
		{"ignored, and written anew before it was there", false, []string{"bandwidth_limit"}, []pass{
			{"p1", "any", true, []string{"create in p1"}, false}, {"p1", "egress", false, []string{"rule egress"}, false}, {"", "", false, []string{"delete in p1"}, false},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud := &policies{refuse: "any"}
			d := answering(t, cloud.answers())
			marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
			kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
			if err != nil {
				t.Fatal(err)
			}
			other := target(t, "qos_policy", "other", values{"project": text("p1")})
			for n, pass := range test.passes {
				units := []unit.Unit{{Address: other.Address, Spec: other.Spec, Class: unit.ClassResource}}
				if pass.project != "" {
					limit := values{"direction": text(pass.direction), "max_kbps": number(1000)}
					tg := target(t, "qos_policy", "gold", values{"project": text(pass.project), "bandwidth_limit": objects(limit)})
					tg.Spec.(*unit.Resource).Ignore = test.ignored
					units = append(units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource, CreateFirst: test.first, MayLose: true})
				}
				if e, ok := kept.Entry(target(t, "qos_policy", "gold", values{}).Address); ok && pass.older {
					e.Set = nil
					if err := kept.Put(t.Context(), e); err != nil {
						t.Fatal(err)
					}
				}
				cloud.sent = nil
				e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
				if err := e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, 10*time.Second); err != nil {
					t.Errorf("pass %d: %v", n, err)
				}
				for _, s := range e.Snapshot().Units {
					if !pass.fails && s.Phase != engine.PhaseReady && s.Phase != engine.PhaseGone {
						t.Errorf("pass %d: %s is %s: %s", n, s.Address, s.Phase, s.Reason)
					}
				}
				if !slices.Equal(cloud.sent, pass.sent) {
					t.Errorf("pass %d: sent %q, want %q", n, cloud.sent, pass.sent)
				}
			}
		})
	}
}
