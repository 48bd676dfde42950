package openstack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
)

// services is a pretended Nova that keeps what it is told of its services.
type services struct {
	rows   map[string]map[string]any // by their ids
	denied bool                      // nothing may be changed
	gone   bool                      // they go before they are changed
	puts   []string
}

// row adds a service, which reported at that time.
func (s *services) row(id, host, state, status, reason string, reported time.Time) {
	row := map[string]any{
		"id": id, "binary": "nova-compute", "host": host, "state": state, "status": status, "disabled_reason": nil, "updated_at": reported.Format("2006-01-02T15:04:05"),
	}
	if reason != "" {
		row["disabled_reason"] = reason
	}
	s.rows[id] = row
}

func (s *services) answers() map[string]func(*http.Request) any {
	all := map[string]func(*http.Request) any{"/v2.1/os-services": func(r *http.Request) any {
		if r.Header.Get("X-OpenStack-Nova-API-Version") != "2.69" {
			return http.StatusBadRequest
		}
		list := []any{map[string]any{"id": "s", "binary": "nova-scheduler", "host": "n1", "state": "up", "status": "enabled"}}
		for _, id := range slices.Sorted(maps.Keys(s.rows)) {
			list = append(list, s.rows[id])
		}
		return map[string]any{"services": list}
	}}
	for id := range s.rows {
		all["PUT /v2.1/os-services/"+id] = func(r *http.Request) any {
			var body map[string]string
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				return http.StatusBadRequest
			}
			switch {
			case s.denied:
				return http.StatusForbidden
			case s.gone:
				return http.StatusNotFound
			}
			row := s.rows[id]
			row["status"], row["disabled_reason"] = body["status"], nil
			text := row["host"].(string) + " " + body["status"]
			if why := body["disabled_reason"]; why != "" {
				row["disabled_reason"], text = why, text+": "+why
			}
			s.puts = append(s.puts, text)
			return map[string]any{"service": row}
		}
	}
	return all
}

func TestComputeServicesOfNodesThatLeave(t *testing.T) {
	const (
		mark   = "kupenstack:services.ours"
		before = "KupenStack: node n1 leaves slot 1" // without the mark
		ours   = before + " [" + mark + "]"
		others = before + " [kupenstack:services.others]"
	)
	reported := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	one := func(host, state, status, reason string) *services {
		s := &services{rows: map[string]map[string]any{}}
		s.row("1", host, state, status, reason, reported)
		return s
	}
	leaves := map[string]string{"n1": "leaves slot 1"}
	stays := func(since time.Time) map[string]time.Time { return map[string]time.Time{"n1": since} }
	anyTime := stays(time.Time{})
	for _, test := range []struct {
		name    string
		nova    *services
		nodes   []string
		leaving map[string]string
		staying map[string]time.Time
		puts    []string
		left    []string
		fails   string
	}{
		{name: "one that leaves", nova: one("n1", "up", "enabled", ""), leaving: leaves, puts: []string{"n1 disabled: " + ours}},
		{name: "one that is down", nova: one("n1", "down", "enabled", ""), leaving: leaves, puts: []string{"n1 disabled: " + ours}},
		{name: "by another name", nova: one("N1.example.org", "up", "enabled", ""), leaving: leaves, puts: []string{"N1.example.org disabled: " + ours}},
		{name: "of a node that stays", nova: one("n2", "up", "enabled", ""), leaving: leaves},
		{name: "of another node of the name", nova: one("n1.example.org", "up", "enabled", ""), nodes: []string{"n1", "n1.example.org"}, leaving: leaves},
		{name: "of no node", nova: one("x", "up", "enabled", ""), leaving: leaves},
		{name: "disabled by us", nova: one("n1", "up", "disabled", ours), leaving: leaves},
		{name: "disabled by others", nova: one("n1", "up", "disabled", "a disk"), leaving: leaves},
		{name: "disabled by another installation", nova: one("n1", "up", "disabled", others), leaving: leaves},
		{name: "no right to", nova: &services{rows: one("n1", "up", "enabled", "").rows, denied: true}, leaving: leaves, fails: "403"},
		{name: "one that goes", nova: &services{rows: one("n1", "up", "enabled", "").rows, gone: true}, leaving: leaves},
		{name: "a cell that is down", nova: one("n1", "", "UNKNOWN", ""), leaving: leaves, fails: "does not tell"},
		{name: "a long name", nova: one(strings.Repeat("n", 253), "up", "enabled", ""), nodes: []string{strings.Repeat("n", 253)}, leaving: map[string]string{strings.Repeat("n", 253): "leaves slot 1"}, puts: []string{
			strings.Repeat("n", 253) + " disabled: KupenStack: node " + strings.Repeat("n", 250-len("KupenStack: node ")-len("["+mark+"]")) + "… [" + mark + "]",
		}},

		{name: "one that stays", nova: one("n1", "up", "disabled", ours), staying: anyTime, puts: []string{"n1 enabled"}},
		{name: "one that stays, as we wrote it before", nova: one("n1", "up", "disabled", before), staying: anyTime, puts: []string{"n1 enabled"}},
		{name: "of another installation", nova: one("n1", "up", "disabled", others), staying: anyTime},
		{name: "of another installation, where one leaves", nova: one("n1", "up", "disabled", others), staying: map[string]time.Time{"n2": {}}},
		{name: "not back yet", nova: one("n1", "down", "disabled", ours), staying: anyTime, left: []string{"n1"}},
		{name: "from before", nova: one("n1", "up", "disabled", ours), staying: stays(reported), left: []string{"n1"}},
		{name: "from there", nova: one("n1", "up", "disabled", ours), staying: stays(reported.Add(-time.Second)), puts: []string{"n1 enabled"}},
		{name: "of one that leaves", nova: one("n1", "up", "disabled", ours), staying: map[string]time.Time{"n2": {}}, left: []string{"n1"}},
		{name: "of others", nova: one("n1", "up", "disabled", "a disk"), staying: anyTime},
		{name: "of others without a reason", nova: one("n1", "up", "disabled", ""), staying: anyTime},
		{name: "enabled by others", nova: one("n1", "up", "enabled", ""), staying: anyTime},
		{name: "of no node any more", nova: one("x", "up", "disabled", ours), staying: anyTime},
		{name: "one of two nodes leaves", nova: one("n1", "up", "disabled", ours), nodes: []string{"n1.a", "n1.b"}, staying: map[string]time.Time{"n1.a": {}}, left: []string{"n1.a", "n1.b"}},
		{name: "no right to enable", nova: &services{rows: one("n1", "up", "disabled", ours).rows, denied: true}, staying: anyTime, fails: "403"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.nodes == nil {
				test.nodes = []string{"n1", "n2"}
			}
			d := answeringTo(t, "u1", test.nova.answers(), func(o *openstack.Options) { o.Closes = mark })
			var closed bool
			var left []string
			var err error
			if test.leaving != nil {
				closed, err = d.CloseComputes(t.Context(), test.nodes, test.leaving)
			} else {
				left, err = d.OpenComputes(t.Context(), test.nodes, test.staying)
			}
			if test.fails == "" && err != nil || test.fails != "" && !strings.Contains(fmt.Sprint(err), test.fails) {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			if !slices.Equal(test.nova.puts, test.puts) || !slices.Equal(left, test.left) {
				t.Errorf("sent %q, left %q, want %q and %q", test.nova.puts, left, test.puts, test.left)
			}
			if want := len(test.puts) > 0 || test.nova.gone; test.leaving != nil && closed != want {
				t.Errorf("closed: %t", closed)
			}
		})
	}
}

// TestWhoHasDisabledNothingIsNotAsked: what lists of Nova tell that are read for other reasons is enough, until something is
// disabled.
func TestWhoHasDisabledNothingIsNotAsked(t *testing.T) {
	nova, lists := &services{rows: map[string]map[string]any{}}, 0
	nova.row("1", "n1", "up", "enabled", "", time.Now())
	answers := nova.answers()
	list := answers["/v2.1/os-services"]
	answers["/v2.1/os-services"] = func(r *http.Request) any {
		lists++
		return list(r)
	}
	d := answering(t, answers)
	nodes, stays := []string{"n1"}, map[string]time.Time{"n1": {}}
	opens := func(more int, want ...string) {
		t.Helper()
		before := lists
		if left, err := d.OpenComputes(t.Context(), nodes, stays); err != nil || lists-before != more {
			t.Errorf("left %q, %v, after %d lists, want %d", left, err, lists-before, more)
		}
		if !slices.Equal(nova.puts, want) {
			t.Errorf("sent %q, want %q", nova.puts, want)
		}
		nova.puts = nil
	}
	opens(1) // nothing is known yet
	opens(0)
	if _, err := d.CloseComputes(t.Context(), nodes, map[string]string{"n1": "leaves slot 1"}); err != nil {
		t.Error(err)
	}
	nova.puts = nil
	opens(1, "n1 enabled")
	if _, err := d.ComputeAgents(t.Context()); err != nil {
		t.Error(err)
	}
	opens(0)
	nova.row("1", "n1", "up", "disabled", "KupenStack: node n1 leaves slot 1", time.Now()) // by another process
	opens(0)
	if _, err := d.ComputeAgents(t.Context()); err != nil {
		t.Error(err)
	}
	opens(1, "n1 enabled")
	nova.row("1", "n1", "up", "disabled", "KupenStack: node n1 leaves slot 1 [kupenstack:services.others]", time.Now()) // by another installation
	if _, err := d.ComputeAgents(t.Context()); err != nil {
		t.Error(err)
	}
	opens(0)
}

// Who may not see compute services has none to enable, and is not kept waiting for that.
func TestMembersHaveNoComputeServices(t *testing.T) {
	answers := map[string]func(*http.Request) any{"/v2.1/os-services": func(*http.Request) any { return http.StatusForbidden }}
	d := answeringTo(t, "u2", answers, func(*openstack.Options) {}, "member")
	if left, err := d.OpenComputes(t.Context(), []string{"w1"}, map[string]time.Time{"w1": {}}); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if closed, err := d.CloseComputes(t.Context(), []string{"w1"}, map[string]string{"w1": "leaves slot 1"}); err == nil || closed {
		t.Errorf("closed %t, %v", closed, err)
	}
}
