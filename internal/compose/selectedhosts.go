package compose

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// selectHosts writes the hosts of an aggregate that nodes are chosen for by their labels: the names of those nodes. The
// driver knows which hosts these are. While the labels are not known, the hosts are not either.
func (c *composer) selectHosts(spec *unit.Resource, r *model.Resource) {
	selector := selectorOf(r)
	if spec.Lookup || len(selector) == 0 {
		return
	}
	hosts := c.selected(selector)
	add := func(desired cty.Value) cty.Value {
		plain, marks := desired.Unmark()
		if plain.IsNull() || !plain.IsKnown() {
			return desired
		}
		attributes := plain.AsValueMap()
		attributes["hosts"] = hosts
		return cty.ObjectVal(attributes).WithMarks(marks)
	}
	addTo(spec, add)
}

// addTo has the desired value of a resource changed wherever it comes from.
func addTo(spec *unit.Resource, add func(cty.Value) cty.Value) {
	spec.Desired = add(spec.Desired)
	if resolve := spec.Resolve; resolve != nil {
		spec.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
			desired, diags := resolve(outputs)
			return add(desired), diags
		}
	}
	if reveal := spec.Reveal; reveal != nil {
		spec.Reveal = func(values map[model.SecretRef]redact.Secret) *unit.Resource {
			revealed := reveal(values)
			addTo(revealed, add)
			return revealed
		}
	}
}

// selectorOf returns the labels that a resource chooses nodes by.
func selectorOf(r *model.Resource) map[string]string {
	desired, _ := r.Desired.UnmarkDeep()
	if r.Kind != "host_aggregate" || desired.IsNull() || !desired.IsKnown() || !desired.Type().HasAttribute(schema.NodeSelector) {
		return nil
	}
	written := desired.GetAttr(schema.NodeSelector)
	if written.IsNull() || !written.IsWhollyKnown() {
		return nil
	}
	selector := map[string]string{}
	for key, value := range written.AsValueMap() {
		if !value.IsNull() {
			selector[key] = value.AsString()
		}
	}
	return selector
}

// selected are the nodes that have these labels.
func (c *composer) selected(selector map[string]string) cty.Value {
	if c.facts.Labels == nil {
		return cty.UnknownVal(cty.Set(cty.String))
	}
	nodes := c.facts.Labels(slices.Sorted(maps.Keys(selector)))
	if nodes == nil {
		return cty.UnknownVal(cty.Set(cty.String))
	}
	chosen := []cty.Value{}
	idle := c.withoutCompute()
	for name, labels := range nodes {
		if has(labels, selector) && !slices.Contains(idle, name) {
			chosen = append(chosen, cty.StringVal(name))
		}
	}
	if len(chosen) == 0 {
		return cty.SetValEmpty(cty.String)
	}
	return cty.SetVal(chosen)
}

// withoutCompute are the nodes of the configuration that never run nova-compute, as we deploy it elsewhere: nobody is to
// wait for their hosts. Of other nodes only Nova knows.
func (c *composer) withoutCompute() []string {
	if !c.deployed(computeService) {
		return nil
	}
	var idle []string
	for i := range c.m.Nodes {
		if n := &c.m.Nodes[i]; n.Disabled || !slices.Contains(n.Roles, schema.RoleCompute) {
			idle = append(idle, n.Name)
		}
	}
	return idle
}

// has tells whether a node has all labels of a selector.
func has(labels, selector map[string]string) bool {
	for key, value := range selector {
		if there, ok := labels[key]; !ok || there != value {
			return false
		}
	}
	return true
}
