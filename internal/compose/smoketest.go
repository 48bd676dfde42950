package compose

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// smokeTestUnit tests the cloud as a whole.
const smokeTestUnit = "smoke_test"

// SmokeTest returns the address of the test of a cloud, and false for a cloud that has none.
func SmokeTest(m *model.Model) (addr.Object, bool) {
	return systemAddress(smokeTestUnit), m.Cloud.SmokeTest != nil
}

// smokeTest adds the test, once the releases of all services are there: it runs when they are ready, and again when they
// are others.
func (c *composer) smokeTest() {
	written := c.m.Cloud.SmokeTest
	if written == nil {
		return
	}
	if c.m.Cloud.OpenStack == nil && !OwnAccount(c.m) && !c.facts.OpenStackGiven {
		c.fail(codeOpenStack, written.Range, noAddress(), "no way to OpenStack", "the cloud has a smoke_test, but neither deploys Keystone nor says how to log in",
			`write an openstack block in the cloud, such as openstack { cloud = "prod" }, or give --os-cloud`)
		return
	}
	spec := &unit.SmokeTest{
		ControlPlane: c.releasesDigest(), Region: c.m.Cloud.Region, Choices: map[string]unit.Choice{}, Volume: written.Volume, Retry: written.Retry,
	}
	for name, choice := range map[string]model.Choice{
		unit.TestImage: written.Image, unit.TestFlavor: written.Flavor, unit.TestNetwork: written.Network, unit.TestProject: written.Project,
	} {
		switch {
		case !choice.From.IsZero():
			spec.Choices[name] = unit.Choice{From: &choice.From}
		case choice.Written():
			spec.Choices[name] = unit.Choice{ID: choice.ID}
		}
	}
	edges, complete := c.testEdges(written)
	if !complete {
		return
	}
	if c.m.Cloud.Deploys() && spec.Volume == nil {
		volumes := c.deployed("cinder")
		spec.Volume = &volumes
	}
	c.add(unit.Unit{Address: systemAddress(smokeTestUnit), Class: unit.ClassSystem, Range: written.Range, Spec: spec, Edges: edges})
}

// testEdges are all services, our own user, and what the instance is made from, its network with the subnets. It returns false where a service is missing
// that the test cannot do without.
func (c *composer) testEdges(written *model.SmokeTest) ([]unit.Edge, bool) {
	ready := func(to addr.Object) unit.Edge {
		return unit.Edge{To: to, Until: unit.Ready, Gate: unit.GateStart}
	}
	var edges []unit.Edge
	if c.hasAccount() {
		edges = append(edges, ready(systemAddress(accountUnit)))
	}
	for i := range c.m.Cloud.Services {
		if s := &c.m.Cloud.Services[i]; s.Enabled {
			edges = append(edges, ready(s.Address))
		}
	}
	required := []string{"nova", "neutron", "glance"}
	if written.Volume != nil && *written.Volume {
		required = append(required, "cinder")
	}
	missing := slices.DeleteFunc(required, func(name string) bool { return !OwnAccount(c.m) || c.deployed(name) })
	if len(missing) > 0 {
		c.fail(codeMissing, written.Range, noAddress(), "a service is missing",
			fmt.Sprintf("the smoke_test needs %s, and the cloud deploys none", strings.Join(missing, ", ")), "write a block for each of them, or take the smoke_test away")
	}
	edges = append(edges, c.subnetEdges(written.Network.From)...)
	nothing := func(*model.Resource, string) string { return "" }
	return append(edges, c.dependencies(systemAddress(smokeTestUnit), written.Edges, nothing)...), len(missing) == 0
}

// subnetEdges are the subnets of the configuration in a network: before one is there a port gets no address, and Neutron
// binds it to no host.
func (c *composer) subnetEdges(network addr.Object) []unit.Edge {
	var edges []unit.Edge
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		in := func(e model.Edge) bool { return e.Attribute == "network" && e.To == network }
		if r.Kind == "subnet" && !network.IsZero() && slices.ContainsFunc(r.Edges, in) {
			edges = append(edges, unit.Edge{To: r.Address, Until: unit.Ready, Gate: unit.GateStart})
		}
	}
	return edges
}

// releasesDigest changes with the releases of the services: their charts, and what they are given.
func (c *composer) releasesDigest() string {
	var lines []string
	for i := range c.units {
		if u := &c.units[i]; u.Class == unit.ClassService || u.Class == unit.ClassInfrastructure {
			line := u.Address.String() + " " + u.Spec.Digest()
			if release, ok := u.Spec.(*unit.Release); ok && release.Chart.Tree != nil && c.facts.ChartFiles != nil {
				line += " " + c.facts.ChartFiles(release.Chart)
			}
			lines = append(lines, line+"\n")
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}
