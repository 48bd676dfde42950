//go:build beds

package openstack_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	volumeservices "github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/services"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/hypervisors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/services"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/agents"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// ownBed skips on a cloud of the environment, which a test cannot know enough about.
func ownBed(t testing.TB) *bed.Cloud {
	t.Helper()
	cloud := testbed.OpenStack(t)
	if cloud.Computes() == nil {
		t.Skip(bed.ErrNotOurs)
	}
	return cloud
}

// expectUp checks the states of services by name. Our own bed has exactly those wanted and all
// are up; of another cloud only some are known to be.
func expectUp(t *testing.T, cloud *bed.Cloud, states map[string]string, want ...string) {
	t.Helper()
	if cloud.Computes() == nil {
		if !slices.Contains(slices.Collect(maps.Values(states)), "up") {
			t.Errorf("nothing is up: %v", states)
		}
		return
	}
	expected := map[string]string{}
	for _, name := range want {
		expected[name] = "up"
	}
	if !maps.Equal(states, expected) {
		t.Errorf("got %v, want %v", states, expected)
	}
}

func TestHypervisorsAndProviders(t *testing.T) {
	t.Parallel()
	cloud := testbed.OpenStack(t)
	c := connect(t, cloud)
	all := must(hypervisors.ExtractHypervisors(must(hypervisors.List(c.compute, nil).AllPages(t.Context()))(t)))(t)
	states := map[string]string{}
	for _, h := range all {
		if h.HypervisorType != bed.PlayedHypervisor { // other tests pretend to have those
			states[h.HypervisorHostname] = h.State
		}
	}
	expectUp(t, cloud, states, "compute-1", "compute-2", "compute-3")

	// Without placement.inventories no server could be scheduled.
	providers := must(resourceproviders.ExtractResourceProviders(must(resourceproviders.List(c.placement, nil).AllPages(t.Context()))(t)))(t)
	found := map[string]bool{}
	for _, p := range providers {
		found[p.Name] = true
	}
	for name := range states {
		if !found[name] {
			t.Errorf("%s is a hypervisor and no resource provider", name)
		}
	}
	if cloud.Computes() != nil && len(providers) != len(states) {
		t.Errorf("there are %d resource providers for %d hypervisors", len(providers), len(states))
	}
}

func TestComputeServices(t *testing.T) {
	t.Parallel()
	cloud := testbed.OpenStack(t)
	states := computeServices(t, connect(t, cloud))
	maps.DeleteFunc(states, func(name, _ string) bool { // other tests have nodes in this cloud
		_, host, compute := strings.Cut(name, "nova-compute@")
		return compute && cloud.Computes() != nil && !slices.Contains(cloud.Computes(), host)
	})
	expectUp(t, cloud, states,
		"nova-conductor", "nova-scheduler", "nova-compute@compute-1", "nova-compute@compute-2", "nova-compute@compute-3")
}

// computeServices returns the state of each of Nova's services, those of computes with host.
func computeServices(t *testing.T, c clients) map[string]string {
	t.Helper()
	states := map[string]string{}
	for _, service := range must(services.ExtractServices(must(services.List(c.compute, nil).AllPages(t.Context()))(t)))(t) {
		name := service.Binary
		if name == "nova-compute" {
			name += "@" + service.Host
		}
		states[name] = service.State
	}
	return states
}

func TestVolumeServices(t *testing.T) {
	t.Parallel()
	cloud := testbed.OpenStack(t)
	c := connect(t, cloud)
	states := map[string]string{}
	for _, service := range must(volumeservices.ExtractServices(must(volumeservices.List(c.volume, nil).AllPages(t.Context()))(t)))(t) {
		states[service.Binary+"@"+service.Host] = service.State
	}
	expectUp(t, cloud, states, "cinder-scheduler@volumes", "cinder-volume@volumes@fake1", "cinder-volume@volumes@fake2")
}

// neutronAgents come and go in a cloud of their own: the list of all agents says by being empty that it may
// not be seen, and others on the shared cloud would take note.
func neutronAgents(t *testing.T, cloud *bed.Cloud, c clients) {
	host := unique(t, "agents")
	rows := []bed.NeutronAgent{
		{Type: bed.AgentOpenVSwitch, Host: host, Alive: true},
		{Type: bed.AgentL3, Host: host, Alive: false},
		{Type: bed.AgentDHCP, Host: host, Alive: true},
		{Type: bed.AgentMetadata, Host: host, Alive: false},
		{Type: bed.AgentOVNController, Host: host, Alive: true},
		{Type: bed.AgentOVNMetadata, Host: host, Alive: true},
	}
	check := func(want []bed.NeutronAgent) {
		t.Helper()
		alive := map[string]bool{}
		for _, agent := range must(agents.ExtractAgents(must(agents.List(c.network, agents.ListOpts{Host: host}).AllPages(t.Context()))(t)))(t) {
			alive[agent.AgentType] = agent.Alive
		}
		for _, agent := range want {
			if got, found := alive[string(agent.Type)]; !found || got != agent.Alive {
				t.Errorf("%s: found %v, alive %v, want alive %v", agent.Type, found, got, agent.Alive)
			}
		}
		if len(alive) != len(want) {
			t.Errorf("got %d agents, want %d", len(alive), len(want))
		}
	}
	if err := cloud.AddNeutronAgents(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
	check(rows)

	// The same again, the other way round.
	for i := range rows {
		rows[i].Alive = !rows[i].Alive
	}
	if err := cloud.AddNeutronAgents(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
	check(rows)
	for _, agent := range must(agents.ExtractAgents(must(agents.List(c.network, agents.ListOpts{Host: host}).AllPages(t.Context()))(t)))(t) {
		if err := agents.Delete(t.Context(), c.network, agent.ID).ExtractErr(); err != nil {
			t.Errorf("delete %s: %v", agent.AgentType, err)
		}
	}
	check(nil)
}
