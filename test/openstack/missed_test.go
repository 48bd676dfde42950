//go:build beds

package openstack_test

import (
	"context"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/hypervisors"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
)

// missedAgents is a test of the driver that needs a cloud which is nobody else's, for the reason of neutronAgents:
// asked whether the network answers, the driver names the agent that is down.
func missedAgents(t *testing.T, cloud *bed.Cloud) {
	up, dead := unique(t, "up"), unique(t, "dead")
	if err := cloud.AddNeutronAgents(t.Context(),
		bed.NeutronAgent{Type: bed.AgentOVNController, Host: up + ".example.org", Alive: true},
		bed.NeutronAgent{Type: bed.AgentOVNController, Host: dead}); err != nil {
		t.Fatal(err)
	}
	credentials := must(openstack.FromClouds(must(os.ReadFile(cloud.CloudsYAML))(t), cloud.Name))(t)
	driver := openstack.New(openstack.Options{
		Language: schema.New(), UserAgent: "kupenstack-test",
		Connect: func(context.Context) (openstack.Credentials, error) { return credentials, nil },
	})
	t.Cleanup(driver.Close)
	if answer := driver.Ask(t.Context(), unit.API{Service: "network", Hosts: []string{up}}); answer.Reach != unit.ReachAnswers {
		t.Errorf("all are alive: %+v", answer)
	}
	answer := driver.Ask(t.Context(), unit.API{Service: "network", Hosts: []string{dead, up}})
	if answer.Reach != unit.ReachRefuses || !strings.HasSuffix(answer.Message, "/v2.0/agents: ovn-controller on "+dead+" is down") {
		t.Errorf("one is not: %+v", answer)
	}

	// Who never was there is missed where pods run it, and nowhere else.
	never := unique(t, "never")
	nodes := []string{never, up}
	network := unit.API{
		Service: "network", Hosts: nodes, Programs: []unit.Program{{Name: "ovn-controller", DaemonSet: "ovn-controller", Hosts: nodes}},
		Running: func(context.Context, unit.Program) ([]string, error) { return nodes, nil },
	}
	answer = driver.Ask(t.Context(), network)
	if answer.Reach != unit.ReachRefuses || !strings.HasSuffix(answer.Message, "/v2.0/agents: ovn-controller on "+never+" has never reported") {
		t.Errorf("one never came: %+v", answer)
	}
	network.Running = func(context.Context, unit.Program) ([]string, error) { return []string{up}, nil }
	if answer := driver.Ask(t.Context(), network); answer.Reach != unit.ReachAnswers {
		t.Errorf("no pod runs there: %+v", answer)
	}
}

// reportedComputes has Nova hear of hosts that nothing runs on: they are up, and no other host is otherwise by that.
func reportedComputes(t *testing.T, cloud *bed.Cloud, c clients) {
	before, host, other := computeServices(t, c), unique(t, "played"), unique(t, "played")
	for _, hosts := range [][]string{{host}, {host, other}} { // the second time it is no new one
		if err := cloud.ReportComputes(t.Context(), hosts...); err != nil {
			t.Fatal(err)
		}
		for _, name := range hosts {
			before["nova-compute@"+name] = "up"
		}
		if got := computeServices(t, c); !maps.Equal(got, before) {
			t.Errorf("after %q: %v, want %v", hosts, got, before)
		}
	}
	all := must(hypervisors.ExtractHypervisors(must(hypervisors.List(c.compute, nil).AllPages(t.Context()))(t)))(t)
	if len(all) != len(cloud.Computes())+2 {
		t.Errorf("there are %d hypervisors", len(all))
	}
}
