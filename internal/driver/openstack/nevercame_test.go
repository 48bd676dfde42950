package openstack

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhoNeverCame has pods of a DaemonSet run on nodes.
func TestWhoNeverCame(t *testing.T) {
	agent := func(host string) Agent { return Agent{Binary: "nova-compute", Host: host, Up: true, Enabled: true} }
	down := Agent{Binary: "nova-compute", Host: "w2"}
	for _, test := range []struct {
		name   string
		agents []Agent
		nodes  []string // with pods; the configuration has w1, w2 and w3
		asked  bool     // where these are
		want   string
	}{
		{"all came", []Agent{agent("w1"), agent("W2.example.org"), agent("w3")}, []string{"w1", "w2", "w3"}, false, ""},
		{"one is down and out of use", []Agent{agent("w1"), down, agent("w3")}, []string{"w1", "w2", "w3"}, false, ""},
		{"one did not", []Agent{agent("w1"), agent("w2")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w3 has never reported"},
		{"two did not", []Agent{agent("w2")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w1 and nova-compute on w3 have never reported"},
		{"no pod works there", []Agent{agent("w1"), agent("w2")}, []string{"w1", "w2"}, true, ""},
		{"no pods at all", nil, nil, true, ""},
		{"another program", []Agent{{Binary: "nova-conductor", Host: "w1", Up: true}, agent("w2"), agent("w3")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w1 has never reported"},
		{"a machine of somebody else", []Agent{agent("w1"), agent("w2"), agent("rack-7")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w3 has never reported"},
		{"they may call themselves so", []Agent{agent("rack-7"), agent("rack-8"), agent("rack-9")}, []string{"w1", "w2", "w3"}, true, ""},
		{"two of three may", []Agent{agent("rack-7"), agent("rack-8")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w1, nova-compute on w2 and nova-compute on w3 have never reported"},
		{"the rest of another host", []Agent{agent("w1"), agent("w2"), {Binary: "nova-compute", Host: "rack-7"}}, []string{"w1", "w2", "w3"}, true, "nova-compute on w3 has never reported"},
		{"a node without a block", []Agent{agent("w1"), agent("w2"), agent("other")}, []string{"other", "w1", "w2", "w3"}, true, "nova-compute on w3 has never reported"},
		{"bare metal", []Agent{agent("w1"), agent("w2"), agent("nova-compute-ironic-0")}, []string{"w1", "w2", "w3"}, true, "nova-compute on w3 has never reported"},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			api := unit.API{
				Programs: []unit.Program{{Name: "nova-compute", DaemonSet: "nova-compute", Hosts: []string{"w1", "w2", "w3"}}},
				Running: func(_ context.Context, p unit.Program) ([]string, error) {
					if asked++; p.DaemonSet != "nova-compute" {
						t.Errorf("asked for %+v", p)
					}
					return slices.Clone(test.nodes), nil
				},
			}
			got, err := neverCame(t.Context(), api, test.agents)
			if got != test.want || err != nil || (asked > 0) != test.asked {
				t.Errorf("%q, %v, asked %d times, want %q", got, err, asked, test.want)
			}
			if api.Running = nil; test.asked {
				if got, err := neverCame(t.Context(), api, test.agents); got != "" || err != nil {
					t.Errorf("nobody knows of pods: %q, %v", got, err)
				}
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		api := unit.API{
			Programs: []unit.Program{{Name: "neutron-l3-agent", DaemonSet: "neutron-l3-agent", Hosts: []string{"w1"}}},
			Running:  func(context.Context, unit.Program) ([]string, error) { return nil, errors.New("forbidden") },
		}
		if got, err := neverCame(t.Context(), api, nil); got != "" || err == nil || err.Error() != "on which nodes pods of neutron-l3-agent work is not known: forbidden" {
			t.Errorf("%q, %v", got, err)
		}
	})
}
