package openstack_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
)

func TestAgents(t *testing.T) {
	type row = map[string]any
	nova := func(rows ...any) row { return row{"services": append([]any{}, rows...)} }
	neutron := func(rows ...any) row { return row{"agents": append([]any{}, rows...)} }
	reported := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	compute := row{"id": "1", "binary": "nova-compute", "host": "a", "state": "up", "status": "disabled", "updated_at": "2031-05-17T12:00:00"}
	agent := row{"id": "1", "binary": "ovn-controller", "agent_type": "OVN Controller agent", "host": "a.b", "alive": false, "admin_state_up": true, "heartbeat_timestamp": "2031-05-17 12:00:00"}
	const services, agents = "/v2.1/os-services", "/v2.0/agents"
	tests := []struct {
		name, path string
		body       any // nil is an answer 404
		forbidden  bool
		want       []openstack.Agent
		fails      string
	}{
		{name: "nova's", path: services, body: nova(compute, row{"binary": "nova-scheduler", "host": "s", "state": "down", "status": "enabled"}), want: []openstack.Agent{
			{Host: "a", Binary: "nova-compute", Up: true, Reported: reported}, {Host: "s", Binary: "nova-scheduler", Enabled: true},
		}},
		{name: "none of nova's", path: services, body: nova()},
		{name: "no right to nova's", path: services, body: nova(compute), forbidden: true, fails: "403"},
		{name: "a cell that is down", path: services, body: nova(compute, row{"binary": "nova-compute", "host": "b", "status": "UNKNOWN"}), fails: "does not tell"},
		{name: "nova without hosts", path: services, body: nova(row{"binary": "nova-compute", "state": "up", "status": "enabled"}), fails: "does not tell"},
		{name: "another answer of nova", path: services, body: row{}, fails: "no services"},
		{name: "no such path", path: services, fails: "404"},
		{name: "neutron's", path: agents, body: neutron(agent), want: []openstack.Agent{
			{Host: "a.b", Binary: "ovn-controller", Type: "OVN Controller agent", Enabled: true, Reported: reported},
		}},
		{name: "other ways to write a time", path: services, body: nova(
			row{"binary": "a", "host": "h", "state": "up", "status": "enabled", "updated_at": "2031-05-17T12:00:00.000000"},
			row{"binary": "b", "host": "h", "state": "up", "status": "enabled", "updated_at": "2031-05-17T14:00:00+02:00"},
			row{"binary": "c", "host": "h", "state": "up", "status": "enabled", "updated_at": nil},
			row{"binary": "d", "host": "h", "state": "up", "status": "enabled", "updated_at": "soon"},
		), want: []openstack.Agent{
			{Host: "h", Binary: "a", Up: true, Enabled: true, Reported: reported},
			{Host: "h", Binary: "b", Up: true, Enabled: true, Reported: reported},
			{Host: "h", Binary: "c", Up: true, Enabled: true},
			{Host: "h", Binary: "d", Up: true, Enabled: true},
		}},
		{name: "what neutron answers without the right", path: agents, body: neutron(), fails: "no agents"},
		{name: "no right to neutron's", path: agents, body: neutron(agent), forbidden: true, fails: "403"},
		{name: "an agent that nothing is told of", path: agents, body: neutron(agent, row{"binary": "x", "host": "b"}), fails: "does not tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cloud := &answers{bodies: map[string]any{}}
			if tt.body != nil {
				cloud.bodies[tt.path] = tt.body
			}
			if tt.forbidden {
				cloud.forbidden = []string{tt.path}
			}
			d := cloud.driver(t)
			list := d.ComputeAgents
			if tt.path == agents {
				list = d.NetworkAgents
			}
			got, err := list(t.Context())
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
			if err == nil && !slices.Equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if asked := cloud.takeAsked(); !slices.Equal(asked, []string{tt.path}) {
				t.Errorf("asked for %q", asked)
			}
		})
	}
}

func TestAgentsDoNotOutstayTheirDeadline(t *testing.T) {
	cloud := &answers{bodies: map[string]any{}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cloud.driver(t).ComputeAgents(ctx); err == nil || len(cloud.takeAsked()) > 0 {
		t.Errorf("error %v", err)
	}
}
