package wire

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/report"
)

func TestFirstDown(t *testing.T) {
	agents := []report.Agent{
		{Host: "w1", Binary: "nova-compute", Up: true, Enabled: true},
		{Host: "w2.example.org", Binary: "nova-compute", Enabled: true},
		{Host: "w2.example.org", Binary: "a-agent", Enabled: true},
		{Host: "w3", Binary: "nova-compute"},
		{Host: "w4", Binary: "nova-compute", Enabled: true},
	}
	for _, test := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"w1"}, ""},
		{[]string{"w1", "w2"}, "a-agent on w2 is down"},
		{[]string{"w2.example.org"}, "a-agent on w2.example.org is down"},
		{[]string{"W2"}, "a-agent on W2 is down"},
		{[]string{"w2.example.com"}, ""}, // another machine
		{[]string{"w4.example.org"}, "nova-compute on w4.example.org is down"},
		{[]string{"w4.a.org", "w4.b.org"}, "nova-compute on w4.a.org or w4.b.org is down"},
		{[]string{"w3"}, ""}, // taken out of use
		{[]string{"w5"}, ""}, // never there
		{nil, ""},
	} {
		if got := firstDown(agents, test.nodes); got != test.want {
			t.Errorf("on %q: %q, want %q", test.nodes, got, test.want)
		}
	}
}
