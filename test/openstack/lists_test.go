package openstack_test

import (
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
func ownBed(t *testing.T) *bed.Cloud {
	t.Helper()
	cloud := testbed.OpenStack(t)
	if cloud.Computes() == nil {
		t.Skip(bed.ErrNotOurs)
	}
	return cloud
}

func TestHypervisorsAndProviders(t *testing.T) {
	t.Parallel()
	cloud := ownBed(t)
	c := connect(t, cloud)
	all := must(hypervisors.ExtractHypervisors(must(hypervisors.List(c.compute, nil).AllPages(t.Context()))(t)))(t)
	// Without placement.inventories no server could be scheduled.
	providers := must(resourceproviders.ExtractResourceProviders(must(resourceproviders.List(c.placement, nil).AllPages(t.Context()))(t)))(t)
	found := map[string]int{}
	for _, h := range all {
		if h.Service.Host == h.HypervisorHostname {
			found[h.HypervisorHostname]++
		}
	}
	for _, p := range providers {
		found[p.Name]++
	}
	for _, host := range cloud.Computes() {
		if found[host] != 2 {
			t.Errorf("%s is not both a hypervisor and a resource provider", host)
		}
	}
	if len(all) != len(cloud.Computes()) || len(providers) != len(cloud.Computes()) {
		t.Errorf("there are %d hypervisors and %d resource providers for %d computes", len(all), len(providers), len(cloud.Computes()))
	}
}

func TestComputeServices(t *testing.T) {
	t.Parallel()
	cloud := ownBed(t)
	states := computeServices(t, connect(t, cloud))
	want := []string{"nova-conductor", "nova-scheduler"}
	for _, host := range cloud.Computes() {
		want = append(want, "nova-compute@"+host)
	}
	for _, name := range want {
		if _, found := states[name]; !found {
			t.Errorf("there is no service %s in %v", name, states)
		}
	}
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
	c := connect(t, ownBed(t))
	up := map[string]bool{}
	for _, service := range must(volumeservices.ExtractServices(must(volumeservices.List(c.volume, nil).AllPages(t.Context()))(t)))(t) {
		up[service.Binary+"@"+service.Host] = service.State == "up"
	}
	for _, name := range []string{"cinder-scheduler@volumes", "cinder-volume@volumes@fake1", "cinder-volume@volumes@fake2"} {
		if !up[name] {
			t.Errorf("%s is not up in %v", name, up)
		}
	}
}

func TestNeutronAgents(t *testing.T) {
	t.Parallel()
	cloud := ownBed(t)
	c := connect(t, cloud)
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
