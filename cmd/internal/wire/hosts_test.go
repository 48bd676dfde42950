package wire

import (
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
)

func TestFirstDown(t *testing.T) {
	made := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return made.Add(d) }
	agents := []openstack.Agent{
		{Host: "w1", Binary: "nova-compute", Up: true, Enabled: true, Reported: after(10 * time.Second)},
		{Host: "w2.example.org", Binary: "nova-compute", Enabled: true},
		{Host: "w2.example.org", Binary: "a-agent", Enabled: true, Reported: after(time.Minute)},
		{Host: "w2", Binary: "0-agent", Up: true, Enabled: true, Reported: after(-time.Minute)},
		{Host: "w3", Binary: "nova-compute"},
		{Host: "w4", Binary: "nova-compute", Enabled: true},
		{Host: "old", Binary: "nova-compute", Up: true, Enabled: true, Reported: after(-30 * time.Second)},
		{Host: "close", Binary: "nova-compute", Up: true, Enabled: true, Reported: after(clockSkew)},
		{Host: "never", Binary: "nova-compute", Up: true, Enabled: true},
		{Host: "never", Binary: "a-agent", Up: true, Enabled: true},
		{Host: "unused", Binary: "nova-compute", Up: true},
	}
	for _, test := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"w1"}, ""},
		{[]string{"w1", "w2.example.org"}, "a-agent on w2.example.org is down"},
		{[]string{"W2.example.org"}, "a-agent on W2.example.org is down"},
		{[]string{"w2.example.com"}, "waits for the first report of 0-agent on w2.example.com"}, // of w2, and not of the other machine
		{[]string{"w4.example.org"}, "nova-compute on w4.example.org is down"},
		{[]string{"w4.a.org", "w4.b.org"}, "nova-compute on w4.a.org or w4.b.org is down"},
		{[]string{"w3"}, ""}, // taken out of use
		{[]string{"w5"}, ""}, // never there
		{[]string{"old"}, "waits for the first report of nova-compute on old"}, // the pod before did
		{[]string{"close"}, "waits for the first report of nova-compute on close"},
		{[]string{"never"}, "waits for the first report of a-agent on never"},
		{[]string{"never", "w4"}, "nova-compute on w4 is down"},
		{[]string{"unused"}, ""},
		{nil, ""},
	} {
		pods := map[string]time.Time{}
		for _, node := range test.nodes {
			pods[node] = made
		}
		if got := firstDown(agents, pods); got != test.want {
			t.Errorf("on %q: %q, want %q", test.nodes, got, test.want)
		}
	}
	if got := firstDown(agents, map[string]time.Time{"w1": made.Add(time.Minute)}); got == "" {
		t.Error("a report from before the youngest pod passes")
	}
}
