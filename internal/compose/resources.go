package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func noAddress() addr.Object { return addr.Object{} }

// resources adds a unit for each object inside OpenStack, lookups included.
func (c *composer) resources() {
	first := slices.IndexFunc(c.m.Resources, func(r model.Resource) bool { return !inCluster(c.definition, r.Kind) })
	if first < 0 {
		return
	}
	if c.m.Cloud.OpenStack == nil && !OwnAccount(c.m) && !c.facts.OpenStackGiven {
		detail := "the configuration has objects inside OpenStack, but does not say where OpenStack is"
		if c.m.Cloud.Deploys() {
			detail = "the configuration has objects inside OpenStack, but neither deploys Keystone nor says how to log in"
		}
		r := &c.m.Resources[first]
		c.fail(codeOpenStack, r.Range, r.Address, "no way to OpenStack", detail,
			`write an openstack block in the cloud, such as openstack { cloud = "prod" }, or give --os-cloud`)
	}
	c.units = slices.Grow(c.units, len(c.m.Resources))
	for i := range c.m.Resources {
		if r := &c.m.Resources[i]; !inCluster(c.definition, r.Kind) {
			c.resource(r)
		}
	}
}

func (c *composer) resource(r *model.Resource) {
	block := c.definition.Resource(r.Kind)
	if block == nil {
		c.fail(codeValue, r.Range, r.Address, "unknown kind of resource", fmt.Sprintf("there is no kind %q", r.Kind), "take the block away, or correct its kind")
		return
	}
	c.physical(r)
	spec := &unit.Resource{
		Kind: r.Kind, Lookup: r.Address.Mode() == addr.Data, Block: block,
		Region: c.m.Cloud.Region, Desired: r.Desired, Resolve: c.resolve(r), Ignore: r.Lifecycle.IgnoreChanges, Content: c.content(r),
	}
	if r.Triggers != cty.NilVal {
		spec.Triggers = c.triggers(r)
	}
	if spec.Lookup {
		spec.Block, spec.Uses = block.DataBlock(), r.Uses
	}
	spec.Keeps = c.keeps(r)
	c.secretsIn(spec, r)
	c.selectHosts(spec, r)
	c.add(unit.Unit{
		Address: r.Address, Spec: spec, Edges: c.resourceEdges(r), Class: unit.ClassResource,
		Drift: unit.DriftPolicy(r.Lifecycle.Drift), PreventDestroy: r.Lifecycle.PreventDestroy,
		MayLose: r.Lifecycle.Replace, CreateFirst: r.Lifecycle.CreateBeforeDestroy, Range: r.Range,
	})
}

// keeps is the Secret that a resource has a part of it in; zero without one.
func (c *composer) keeps(r *model.Resource) unit.ObjectRef {
	if r.Address.Mode() == addr.Data || r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute("secret") {
		return unit.ObjectRef{}
	}
	desired, _ := r.Desired.Unmark()
	written, _ := desired.GetAttr("secret").Unmark()
	if !written.IsKnown() || written.IsNull() {
		return unit.ObjectRef{}
	}
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: c.m.Cloud.Namespace, Name: written.AsString()}
	if namespace, name, other := strings.Cut(ref.Name, "/"); other {
		ref.Namespace, ref.Name = namespace, name
	}
	return ref
}

func (c *composer) resolve(r *model.Resource) func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
	ev, address, desired := c.ev, r.Address, r.Desired
	return func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		if ev == nil {
			return desired, nil
		}
		return ev.Desired(address, outputs)
	}
}

func (c *composer) triggers(r *model.Resource) func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
	ev, address, values := c.ev, r.Address, r.Triggers
	return func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		if ev == nil {
			return values, nil
		}
		return ev.Triggers(address, outputs)
	}
}

// resourceEdges are the APIs that keep the resource, where we run them, and what the configuration
// refers to.
func (c *composer) resourceEdges(r *model.Resource) []unit.Edge {
	ready := func(to addr.Object) unit.Edge {
		return unit.Edge{To: to, Until: unit.Ready, Gate: unit.GateStart}
	}
	var edges []unit.Edge
	if c.hasAccount() {
		edges = append(edges, ready(systemAddress(accountUnit)))
	}
	if api := c.definition.ServiceOf(r.Kind); c.deployed(api) {
		edges = append(edges, ready(serviceAddress(api)))
	}
	for _, api := range c.limiters(r) {
		if c.deployed(api) { // it is not complete without, and as long as it is there it may be asked for
			keeps := unit.Edge{To: serviceAddress(api), Until: unit.Ready, Gate: unit.GateReady}
			edges = append(edges, keeps)
			keeps.Gate = unit.GateKeep
			edges = append(edges, keeps)
		}
	}
	if kept := c.keeps(r); kept != (unit.ObjectRef{}) {
		edges = append(edges, c.within(r, kept.Namespace)...)
	}
	return append(edges, c.dependencies(r.Address, r.Edges, func(other *model.Resource, attribute string) string { return c.partFor(r, other, attribute) })...)
}

// dependencies are the edges to what the configuration has something wait for. part tells which part of another
// resource is enough.
func (c *composer) dependencies(about addr.Object, written []model.Edge, part func(other *model.Resource, attribute string) string) []unit.Edge {
	ready := func(to addr.Object) unit.Edge {
		return unit.Edge{To: to, Until: unit.Ready, Gate: unit.GateStart}
	}
	var edges []unit.Edge
	for _, e := range written {
		if other := c.m.Resource(e.To); other != nil {
			edge := ready(e.To)
			edge.Part = part(other, e.Attribute)
			edges = append(edges, edge)
			continue
		}
		if s := c.m.Service(e.To.Name()); s != nil && s.Address == e.To {
			if s.Enabled {
				edges = append(edges, ready(e.To))
			} else {
				c.fail(codeMissing, e.Range, about, "a service is missing",
					fmt.Sprintf("%s depends on %s, which has enabled = false", about, e.To), "enable it, or take the dependency away")
			}
			continue
		}
		if n := c.node(e.To); n != nil {
			if n.Disabled {
				c.fail(codeNode, e.Range, about, "a node is missing",
					fmt.Sprintf("%s depends on %s, which has disabled = true", about, e.To), "take it out of depends_on, or the line out of the node")
				continue
			}
			edges = append(edges, ready(e.To))
			continue
		}
		for _, other := range c.standFor(e.To) {
			if other != about {
				edges = append(edges, ready(other))
			}
		}
	}
	return edges
}

// limiters are the services that keep limits which the quota of a project writes. They are up much later
// than Keystone, which keeps all else. So the project is made without them, and gets its limits once they
// are there: until then it is not ready.
func (c *composer) limiters(r *model.Resource) []string {
	if r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute("quota") || !r.Desired.Type().AttributeType("quota").IsObjectType() || r.Address.Mode() == addr.Data {
		return nil
	}
	var services []string
	desired, _ := r.Desired.Unmark()
	quota, _ := desired.GetAttr("quota").Unmark()
	for _, q := range c.definition.Quotas() {
		if slices.ContainsFunc(q.Limits, func(limit string) bool { return writes(quota, limit) }) {
			services = append(services, q.Service)
		}
	}
	return services
}

// partFor returns which part of another resource is enough for one that refers to it by an attribute; ""
// where that takes all of it. What lies in a project needs the limits of the service that keeps it, which
// it waits for anyhow, unless it uses up limits of several.
func (c *composer) partFor(r, other *model.Resource, attribute string) string {
	if attribute == "" || len(c.limiters(other)) == 0 || c.definition.TakesElsewhere(r.Kind) {
		return ""
	}
	return c.definition.ServiceOf(r.Kind)
}

// writes tells whether an object has an attribute that is written; one that is not known yet may have.
func writes(object cty.Value, attribute string) bool {
	switch {
	case !object.IsKnown():
		return true
	case object.IsNull() || !object.Type().HasAttribute(attribute):
		return false
	}
	v, _ := object.GetAttr(attribute).Unmark()
	return !v.IsKnown() || !v.IsNull()
}

// standFor returns every object that an address without key stands for.
func (c *composer) standFor(whole addr.Object) []addr.Object {
	found, known := c.objects[whole]
	if known {
		return found
	}
	// Those of one module are side by side.
	i, _ := slices.BinarySearchFunc(c.m.Resources, whole, func(r model.Resource, a addr.Object) int { return r.Address.Compare(a) })
	inside := i < len(c.m.Resources) && c.m.Resources[i].Address.Module() == whole.Module()
	if !inside {
		i = 0
	}
	for ; i < len(c.m.Resources); i++ {
		other := c.m.Resources[i].Address
		switch {
		case whole.Contains(other):
			found = append(found, other)
		case inside && len(found) > 0:
			i = len(c.m.Resources)
		}
	}
	c.objects[whole] = found
	return found
}

// node returns the node with an address, or nil.
func (c *composer) node(a addr.Object) *model.Node {
	i, found := slices.BinarySearchFunc(c.m.Nodes, a, func(n model.Node, a addr.Object) int { return n.Address.Compare(a) })
	if !found {
		return nil
	}
	return &c.m.Nodes[i]
}
