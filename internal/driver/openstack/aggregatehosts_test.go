package openstack_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// moveHost has a host join or leave those of an aggregate, as a request of Nova's says, and tells which did what.
func moveHost(t *testing.T, r *http.Request, there []string) (now []string, moved string) {
	t.Helper()
	var body map[string]struct{ Host string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body) != 1 {
		t.Errorf("%v is asked for: %v", body, err)
	}
	for action, of := range body {
		now, moved = slices.DeleteFunc(there, func(host string) bool { return host == of.Host }), action+" "+of.Host
		if action == "add_host" {
			now = append(now, of.Host)
		}
	}
	return now, moved
}

// TestHostsOfSelectedNodes follows what nodes are selected, by the names that Nova has for their hosts.
func TestHostsOfSelectedNodes(t *testing.T) {
	for _, test := range []struct {
		name     string
		nodes    cty.Value // selected
		computes []string  // nil is not known
		there    []string
		ours     []string // on record
		action   unit.Action
		sent     []string
		says     string
	}{
		{"joins", set("a", "b"), []string{"a", "b", "c"}, []string{"a"}, []string{"a"}, unit.ActionUpdate, []string{"add_host b"}, ""},
		{"as wanted", set("a", "b"), []string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}, unit.ActionNone, nil, ""},
		{"with a domain", set("a", "b"), []string{"A.example.org", "b.example.org"}, []string{"A.example.org"}, []string{"a"}, unit.ActionUpdate, []string{"add_host b.example.org"}, ""},
		{"in it with a domain", set("a"), []string{"a.example.org"}, []string{"a.example.org"}, []string{"a"}, unit.ActionNone, nil, ""},
		{"leaves", set("a"), []string{"a", "b.example.org"}, []string{"a", "b.example.org"}, []string{"a", "b"}, unit.ActionUpdate, []string{"remove_host b.example.org"}, ""},
		{"leaves though its host is gone", cty.SetValEmpty(cty.String), []string{}, []string{"b.example.org"}, []string{"b"}, unit.ActionUpdate, []string{"remove_host b.example.org"}, ""},
		{"those of others stay", set("a"), []string{"a", "b"}, []string{"a", "b"}, []string{"a"}, unit.ActionNone, nil, ""},
		{"no host yet", set("a", "b", "d"), []string{"a"}, []string{"a"}, []string{"a"}, unit.ActionNone, nil, "it waits for Nova to know a host on b, d"},
		{"one joins, one has no host yet", set("a", "b"), []string{"b"}, nil, nil, unit.ActionUpdate, []string{"add_host b"}, "it waits for Nova to know a host on a"},
		{"two that it can be", set("a"), []string{"a.one", "a.two"}, nil, nil, unit.ActionNone, nil, "it waits for Nova to know a host on a"},
		{"unknown hosts", set("a"), nil, []string{"a", "b"}, []string{"b"}, unit.ActionUnknown, nil, "it is not known which hosts there are"},
		{"unknown nodes", cty.UnknownVal(cty.Set(cty.String)), []string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}, unit.ActionNone, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			there, sent := slices.Clone(test.there), []string(nil)
			aggregate := func() map[string]any {
				hosts := []any{}
				for _, host := range there {
					hosts = append(hosts, host)
				}
				return map[string]any{"id": 7, "name": "gpu", "hosts": hosts, "metadata": map[string]any{"kupenstack_mark": "m"}}
			}
			d := pretend(t, func(r *http.Request) any {
				switch {
				case strings.HasSuffix(r.URL.Path, "/os-services"):
					if test.computes == nil {
						return nil
					}
					services := []any{map[string]any{"host": "control", "binary": "nova-conductor", "state": "up", "status": "enabled"}}
					for _, host := range test.computes {
						services = append(services, map[string]any{"host": host, "binary": "nova-compute", "state": "down", "status": "disabled"})
					}
					return map[string]any{"services": services}
				case r.Method == http.MethodPost:
					var moved string
					there, moved = moveHost(t, r, there)
					sent = append(sent, moved)
				case strings.HasSuffix(r.URL.Path, "/os-aggregates"):
					return map[string]any{"aggregates": []any{aggregate()}}
				}
				return map[string]any{"aggregate": aggregate()}
			})
			tg := target(t, "host_aggregate", "gpu", values{"node_selector": texted("gpu", "a100"), "hosts": test.nodes})
			tg.ID, tg.Mark, tg.Set, tg.Complete, tg.Fresh = "7", "m", map[string][]string{"hosts": test.ours}, true, false
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if (err != nil) != (test.action == unit.ActionUnknown) {
				t.Fatal(err)
			}
			st := states[tg.Address]
			diff := d.Compare(tg, wantedOf(tg), st)
			if diff.Action != test.action || !strings.HasPrefix(st.Message, test.says) || test.says == "" && st.Message != "" {
				t.Fatalf("the diff is %+v, the state %+v", diff, st)
			}
			if waits := strings.HasPrefix(test.says, "it waits"); waits != (st.Health == unit.HealthProgressing) || waits && st.After == 0 {
				t.Errorf("the state is %+v", st)
			}
			if diff.Action != unit.ActionUpdate {
				return
			}
			st, err = d.Apply(t.Context(), tg, wantedOf(tg), st)
			if err != nil || !slices.Equal(sent, test.sent) {
				t.Fatalf("%v was sent: %v", sent, err)
			}
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone {
				t.Errorf("afterwards the diff is %+v", diff)
			}
		})
	}
}

// TestBedHostsByNodes has the hosts of nodes in an aggregate as labels choose them, and waits for a node without one.
func TestBedHostsByNodes(t *testing.T) {
	b := newBench(t)
	hosts := computeHosts(t, b)
	if len(hosts) == 0 {
		t.Fatal("nova-compute runs nowhere")
	}
	host := hosts[0]
	node, _, _ := strings.Cut(strings.ToLower(host), ".") // as Kubernetes calls it
	aggregate := target(t, "host_aggregate", unique("selected"), values{"node_selector": texted("gpu", "a100"), "hosts": set(node)})
	aggregate.Set = map[string][]string{"hosts": {node}}
	st := b.converge(t, &aggregate)
	if !st.Outputs.GetAttr("hosts").RawEquals(set(node)) {
		t.Errorf("the hosts are %#v", st.Outputs.GetAttr("hosts"))
	}
	raw, _ := request(t, "compute", http.MethodGet, "os-aggregates/"+aggregate.ID, nil)["aggregate"].(map[string]any)
	if has, _ := raw["hosts"].([]any); !slices.Equal(has, []any{host}) {
		t.Errorf("Nova has %v", raw)
	}
	b.settled(t, aggregate, "/v2.1/os-aggregates", "/v2.1/os-services")

	more := with(t, aggregate, values{"hosts": set(node, "elsewhere")})
	if st, diff := b.compare(t, more); diff.Action != unit.ActionNone || st.Health != unit.HealthProgressing || !strings.Contains(st.Message, "elsewhere") {
		t.Errorf("with a node that has no host: the diff is %+v, the state %+v", diff, st)
	}
	none := with(t, aggregate, values{"hosts": cty.SetValEmpty(cty.String)})
	if st := b.converge(t, &none); !st.Outputs.GetAttr("hosts").RawEquals(cty.SetValEmpty(cty.String)) {
		t.Errorf("the hosts are %#v", st.Outputs.GetAttr("hosts"))
	}
	aggregate.ID = none.ID
	b.converge(t, &aggregate)
	if err := b.destroy(t.Context(), t, aggregate); err != nil {
		t.Error(err)
	}
}
