package openstack_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Somebody changed what cannot be put back, or only by its name: the policy decides of that as well.
func TestPoliciesOfWhatCannotBePutBack(t *testing.T) {
	const mark = "kupenstack:mine"
	type object = map[string]any
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/p1":       listed("nothing"),
		"/v3/p1/types": listed("volume_types", object{"id": idOf("1"), "name": "renamed by somebody", "is_public": true, "description": "[" + mark + "]", "extra_specs": object{}}),
		"/v2.0/subnetpools": listed("subnetpools", object{
			"id": idOf("2"), "name": "inner", "project_id": "p1", "description": "[" + mark + "]", "tags": []any{}, "prefixes": []any{"10.64.0.0/12", "10.200.0.0/16"}, "ip_version": 4,
		}),
		"/v2.0/ports": listed("ports"),
		"/v2.1/servers/detail": listed("servers", object{
			"id": idOf("3"), "name": "web", "tenant_id": "p1", "status": "PAUSED", "OS-EXT-STS:task_state": nil, "metadata": object{"kupenstack_mark": mark, "kupenstack:mark": mark},
			"tags": []any{}, "flavor": object{"id": "9", "original_name": "big"}, "image": object{"id": idOf("5")}, "key_name": nil, "config_drive": "",
		}),
	})
	for _, test := range []struct {
		kind, label, id string
		written         values
		correct         unit.Action
		says            string
	}{
		{"volume_type", "fast", idOf("1"), values{}, unit.ActionUpdate, "changed outside"},
		{"subnet_pool", "inner", idOf("2"), values{"prefixes": list("10.64.0.0/12")}, unit.ActionBlocked, "10.200.0.0/16"},
		{"instance", "web", idOf("3"), values{"flavor": text("1"), "image": text(idOf("5")), "networks": cty.ListValEmpty(cty.String)}, unit.ActionBlocked, "PAUSED"},
	} {
		tg := target(t, test.kind, test.label, test.written)
		tg.ID, tg.Mark, tg.Fresh, tg.Complete = test.id, mark, false, true
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			policy  unit.DriftPolicy
			applied bool
			want    unit.Action
			drift   bool
		}{
			{unit.DriftCorrect, true, test.correct, test.correct == unit.ActionUpdate},
			{unit.DriftReport, true, unit.ActionNone, true},
			{unit.DriftIgnore, true, unit.ActionNone, false},
			{unit.DriftIgnore, false, unit.ActionBlocked, false},
		} {
			u, want := &unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource, Drift: p.policy}, wantedOf(tg)
			entry := &inventory.Entry{Address: tg.Address, Phase: inventory.Owned, ID: tg.ID, Applied: "something older"}
			if p.applied {
				entry.Applied = plan.Applied(u, want)
			}
			decided := tg
			plan.Heal(&decided, u, entry, want, time.Now())
			c := plan.Decide(u, entry, decided, want, states[tg.Address], d.Compare)
			told := p.drift && test.correct == unit.ActionBlocked
			if c.Action != p.want || c.Drift != p.drift || told && !strings.Contains(c.Reason, test.says) {
				t.Errorf("%s, drift = %q, applied before %t: %s, drift %t, %q", tg.Address, p.policy, p.applied, c.Action, c.Drift, c.Reason)
			}
		}
	}
}

// A colleague adds a range to a pool, which Neutron takes none out of again. What refers to the pool goes on where that
// does not matter, and waits where it does.
func TestWhatRefersToWhatCannotBePutBack(t *testing.T) {
	type object = map[string]any
	for _, test := range []struct {
		policy unit.DriftPolicy
		pool   engine.Phase
		drift  bool
		subnet engine.Phase
		posted int32
	}{
		{unit.DriftIgnore, engine.PhaseReady, false, engine.PhaseReady, 1},
		{unit.DriftReport, engine.PhaseReady, true, engine.PhaseReady, 1},
		{unit.DriftCorrect, engine.PhaseBlocked, false, engine.PhaseWaiting, 0},
	} {
		t.Run(string(test.policy), func(t *testing.T) {
			marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
			pool, subnet := target(t, "subnet_pool", "inner", values{"prefixes": list("10.64.0.0/12")}), target(t, "subnet", "web", values{"network": text(idOf("4"))})
			pu, su := unit.Unit{Address: pool.Address, Spec: pool.Spec, Class: unit.ClassResource, Drift: test.policy}, unit.Unit{Address: subnet.Address, Spec: subnet.Spec, Class: unit.ClassResource}
			refer(&su, "subnet_pool", pool.Address)
			marks := [2]string{plan.Identity{Marker: marker}.Target(&pu, nil).Mark, plan.Identity{Marker: marker}.Target(&su, nil).Mark}
			var added, posted atomic.Int32
			seen := func() object {
				prefixes := []any{"10.64.0.0/12", "10.200.0.0/16"}
				return object{"id": idOf("2"), "name": "inner", "project_id": "p1", "description": "[" + marks[0] + "]", "tags": []any{}, "prefixes": prefixes[:1+added.Load()], "ip_version": json.Number("4")}
			}
			made := object{"id": idOf("3"), "name": "web", "project_id": "p1", "network_id": idOf("4"), "cidr": "10.64.0.0/24", "ip_version": json.Number("4"), "subnetpool_id": idOf("2"), "tags": []any{}, "description": "[" + marks[1] + "]"}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/subnetpools":              func(*http.Request) any { return object{"subnetpools": []any{seen()}} },
				"/v2.0/subnetpools/" + idOf("2"): func(*http.Request) any { return object{"subnetpool": seen()} },
				"/v2.0/subnets":                  func(*http.Request) any { return object{"subnets": []any{made}[:posted.Load()]} },
				"/v2.0/subnets/" + idOf("3"):     func(*http.Request) any { return object{"subnet": made} },
				"/v2.0/ports":                    listed("ports"),
				"POST /v2.0/subnets": func(*http.Request) any {
					posted.Add(1)
					return object{"subnet": made}
				},
			})
			kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
			if err != nil {
				t.Fatal(err)
			}
			pass := func(units ...unit.Unit) map[string]engine.UnitStatus {
				e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: marker})
				if err := e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, time.Second); err != nil {
					t.Log(err)
				}
				found := map[string]engine.UnitStatus{}
				for _, s := range e.Snapshot().Units {
					found[s.Address.Kind()] = s
				}
				return found
			}
			if p := pass(pu)["subnet_pool"]; p.Phase != engine.PhaseReady || p.Drift {
				t.Fatalf("before anybody does something: %+v", p)
			}
			added.Store(1)
			after := pass(pu, su)
			if p := after["subnet_pool"]; p.Phase != test.pool || p.Drift != test.drift {
				t.Errorf("the pool: %s, drift %t, %s", p.Phase, p.Drift, p.Reason)
			}
			if s := after["subnet"]; s.Phase != test.subnet || posted.Load() != test.posted {
				t.Errorf("the subnet: %s, %s; made %d times", s.Phase, s.Reason, posted.Load())
			}
		})
	}
}
