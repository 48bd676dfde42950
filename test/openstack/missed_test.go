//go:build beds

package openstack_test

import (
	"context"
	"os"
	"strings"
	"testing"

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
}
