package openstack_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fuzzedLists are lists of objects, and one object of each that was seen before.
func fuzzedLists() []struct{ kind, path, key, id string } {
	return []struct{ kind, path, key, id string }{
		{"network", "/v2.0/networks", "networks", idOf("a4")},
		{"subnet", "/v2.0/subnets", "subnets", idOf("a5")},
		{"port", "/v2.0/ports", "ports", idOf("1")},
		{"router", "/v2.0/routers", "routers", idOf("b4")},
		{"security_group", "/v2.0/security-groups", "security_groups", idOf("f3")},
		{"floating_ip", "/v2.0/floatingips", "floatingips", idOf("8")},
		{"trunk", "/v2.0/trunks", "trunks", idOf("7")},
		{"qos_policy", "/v2.0/qos/policies", "policies", idOf("a9")},
		{"image", "/v2/images", "images", idOf("10")},
		{"flavor", "/v2.1/flavors/detail", "flavors", "f"},
		{"instance", "/v2.1/servers/detail", "servers", idOf("5")},
		{"host_aggregate", "/v2.1/os-aggregates", "aggregates", "3"},
		{"volume", "/v3/p1/volumes/detail", "volumes", idOf("13")},
		{"volume_type", "/v3/p1/types", "volume_types", idOf("12")},
		{"volume_qos", "/v3/p1/qos-specs", "qos_specs", idOf("17")},
		{"snapshot", "/v3/p1/snapshots/detail", "snapshots", idOf("14")},
		{"project", "/v3/projects", "projects", idOf("a1")},
		{"user", "/v3/users", "users", idOf("c2")},
		{"domain", "/v3/domains", "domains", idOf("d2")},
	}
}

// FuzzLists has a list of a cloud answered with anything. Whatever it is, nothing panics or goes on for ever, and an
// object that was there before is absent only when a whole list says so.
func FuzzLists(f *testing.F) {
	lists := fuzzedLists()
	answers := whole()
	for i, l := range lists {
		if answers[l.path] == nil {
			f.Fatalf("there is no list %s", l.path)
		}
		whole, err := json.Marshal(answers[l.path](nil))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), whole)
		f.Add(uint8(i), whole[:len(whole)/2])
		for _, empty := range []string{`[]`, `[null]`, `[{}]`, `null`, `{}`, `[],"next":"%"`, `[],"next":"?marker=1"`, `[],"truncated":true`, `[],"links":{"next":"/"}`} {
			f.Add(uint8(i), []byte(`{"`+l.key+`":`+empty+`}`))
		}
	}
	f.Add(uint8(0), []byte(``))
	f.Add(uint8(0), []byte(`{"networks":[]} {"networks":[]}`))
	var path string
	var body []byte
	for p, answer := range answers {
		answers[p] = func(r *http.Request) any {
			if p == path {
				return body
			}
			return answer(r)
		}
	}
	d := answering(f, answers)
	f.Fuzz(func(t *testing.T, n uint8, answer []byte) {
		l := lists[int(n)%len(lists)]
		path, body = l.path, answer
		if live, _, err := d.Live(t.Context(), export.Kinds(language())); err != nil && live != nil {
			t.Errorf("a list that failed told of %d objects", len(live))
		}
		wanted := target(t, l.kind, "known", values{})
		wanted.ID = l.id
		states, err := d.Observe(t.Context(), []unit.Target{wanted})
		st := states[wanted.Address]
		if st.Existence == unit.Unknown && (err == nil || st.Message == "") {
			t.Errorf("unknown without a reason: %v, %q", err, st.Message)
		}
		if st.Existence == unit.Absent && !isList(answer, l.key) {
			t.Errorf("%s is absent by %q", l.kind, answer)
		}
	})
}

// isList tells whether an answer has nothing but objects below a key, and is the last page.
func isList(answer []byte, key string) bool {
	var fields map[string]json.RawMessage
	var objects []map[string]any
	if json.Unmarshal(answer, &fields) != nil || json.Unmarshal(fields[key], &objects) != nil || objects == nil {
		return false
	}
	for _, o := range objects {
		if o == nil {
			return false
		}
	}
	var all struct {
		Next      any            `json:"next"`
		Links     map[string]any `json:"links"`
		Truncated any            `json:"truncated"`
	}
	if json.Unmarshal(answer, &all) != nil {
		return true // links of another form lead nowhere
	}
	last := func(next any) bool { return next == nil || next == "" }
	return last(all.Next) && last(all.Links["next"]) && all.Truncated != true
}
