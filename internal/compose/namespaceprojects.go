package compose

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Look returns the facts with what a model needs to know of the cluster besides. An error says that it could not be
// seen: nothing must be composed then, as what nobody sees is not missing. A retry may help.
func (f Facts) Look(m *model.Model) (Facts, error) {
	f.Namespaces = nil
	rule := m.Cloud.Projects
	if f.Choose == nil || rule == nil || len(rule.Selector) == 0 || m.TearDown {
		return f, nil
	}
	namespaces, err := f.Choose(rule.Selector)
	f.Namespaces = namespaces
	return f, err
}

// namespaceProjects adds a project for each namespace that the rule of the cloud chooses and no project names.
func (c *composer) namespaceProjects() {
	rule := c.m.Cloud.Projects
	if rule == nil {
		return
	}
	if c.m.Cloud.OpenStack == nil && !OwnAccount(c.m) && !c.facts.OpenStackGiven {
		c.fail(codeOpenStack, rule.Range, noAddress(), "no way to OpenStack", "the cloud has "+schema.NamespaceProjectsBlock+", but neither deploys Keystone nor says how to log in",
			`write an openstack block in the cloud, such as openstack { cloud = "prod" }, or give --os-cloud`)
		return
	}
	named := map[string]bool{c.m.Cloud.Namespace: true}
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		named[namespaceOf(r)] = true
		if a := r.Address; a.Module().IsRoot() && a.Mode() == addr.Managed && a.Kind() == "project" && a.Name() == schema.RuledProjects {
			c.fail(codeDuplicate, r.Range, a, "the address of another project",
				fmt.Sprintf("project.%s are the projects of the namespaces that %s of the cloud chooses", schema.RuledProjects, schema.NamespaceProjectsBlock), "give the block another label, and write a moved block if it is on record")
			return
		}
	}
	for _, namespace := range c.facts.Namespaces {
		if named[namespace] {
			continue
		}
		if r := c.projectOf(rule, namespace); !c.exempt(rule, &r) {
			c.ruled = append(c.ruled, r)
		}
	}
	for i := range c.ruled {
		c.ruledProject(rule, &c.ruled[i])
	}
	c.awaitRuled(rule)
}

// awaitRuled has lookups of the projects that the rule makes come after these, as no block can refer to such a project or wait for it.
// Where the domain of the projects is made of something else, that might come after a lookup itself. As where a block names the project,
// they do not wait for its limits, which Nova or Neutron may have yet to keep.
func (c *composer) awaitRuled(rule *model.NamespaceProjects) {
	if !rule.Domain.From.IsZero() {
		return
	}
	made := map[string]unit.Edge{}
	for i := range c.ruled {
		made[attributeOf(&c.ruled[i], "name").AsString()] = c.made(&c.ruled[i])
	}
	for i := range c.units {
		u := &c.units[i]
		spec, ok := u.Spec.(*unit.Resource)
		if !ok || !spec.Lookup || spec.Kind != "project" || spec.Desired == cty.NilVal || !spec.Desired.Type().HasAttribute("name") {
			continue
		}
		name, _ := spec.Desired.GetAttr("name").Unmark()
		if name.IsNull() || !name.IsKnown() {
			continue
		}
		if edge, found := made[name.AsString()]; found {
			u.Edges = append(u.Edges, edge)
		}
	}
}

// exempt tells whether a namespace has no project by the rule though that chooses it, and warns of it. Who writes that a
// project goes, or is another one from now on, may leave that in Git: nothing is made that it would take away later, when
// the namespace goes.
func (c *composer) exempt(rule *model.NamespaceProjects, r *model.Resource) bool {
	named := func(statement string, where diag.Range) {
		c.without(where, r, fmt.Sprintf("%s chooses the namespace, and this %s block says that its project is none any more", schema.NamespaceProjectsBlock, statement),
			"take the block away for the namespace to have a project by the rule")
	}
	for _, removal := range c.m.Removals {
		if removal.From.Contains(r.Address) {
			named("removed", removal.Range)
			return true
		}
	}
	for _, move := range c.m.Moves {
		if move.From.Contains(r.Address) {
			named("moved", move.Range)
			return true
		}
	}
	for i := range c.m.Resources {
		if other := &c.m.Resources[i]; namesake(rule, r, other) {
			c.without(rule.Range, r, fmt.Sprintf("%s has the name that its project would have", other.Address), fmt.Sprintf("write namespace = %q in %s if it is the namespace's, else another name or prefix", namespaceOf(r), other.Address))
			return true
		}
	}
	return false
}

// without warns that a namespace has no project by the rule.
func (c *composer) without(where diag.Range, r *model.Resource, detail, hint string) {
	c.diags.Append(diag.Diagnostic{
		Severity: diag.Warning, Code: codeExempt, Subject: &where, Address: r.Address, Summary: "a namespace without a project",
		Detail: fmt.Sprintf("The namespace %s has no project by the rule: %s.", namespaceOf(r), detail), Hint: hint,
	})
}

// namesake tells whether a project that is written has the name of a ruled one in the same domain.
func namesake(rule *model.NamespaceProjects, r, other *model.Resource) bool {
	if other.Kind != r.Kind || other.Address.Mode() == addr.Data {
		return false
	}
	if name := attributeOf(other, "name"); name == cty.NilVal || !name.RawEquals(attributeOf(r, "name")) {
		return false
	}
	if i := slices.IndexFunc(other.Edges, func(e model.Edge) bool { return e.Attribute == "domain" }); i >= 0 {
		return other.Edges[i].To == rule.Domain.From
	}
	domain := attributeOf(other, "domain")
	if domain == cty.NilVal || !rule.Domain.Written() {
		return domain == cty.NilVal && !rule.Domain.Written()
	}
	return rule.Domain.From.IsZero() && domain.AsString() == rule.Domain.ID
}

// projectOf is the project of a namespace as if somebody had written it.
func (c *composer) projectOf(rule *model.NamespaceProjects, namespace string) model.Resource {
	domain := cty.NullVal(cty.String)
	switch {
	case !rule.Domain.From.IsZero():
		domain = cty.UnknownVal(cty.String)
	case rule.Domain.Written():
		domain = cty.StringVal(rule.Domain.ID)
	}
	attributes := map[string]cty.Value{}
	for name, t := range c.definition.Resource("project").DesiredType().AttributeTypes() {
		attributes[name] = cty.NullVal(t)
	}
	attributes["name"], attributes[schema.ProjectNamespace] = cty.StringVal(rule.Prefix+namespace), cty.StringVal(namespace)
	attributes["domain"], attributes["quota"] = domain, rule.Quota
	return model.Resource{
		Address: fixedAddress("project", schema.RuledProjects).WithKey(addr.StringKey(namespace)), Kind: "project",
		Desired: cty.ObjectVal(attributes), Edges: rule.Edges, Range: rule.Range,
	}
}

// ruledProject adds the unit of such a project. It stays when nothing wants it any more: whoever deletes a namespace,
// or takes a label from it, does not ask for the end of what is in OpenStack.
func (c *composer) ruledProject(rule *model.NamespaceProjects, r *model.Resource) {
	desired, from := r.Desired, rule.Domain.From
	spec := &unit.Resource{
		Kind: r.Kind, Block: c.definition.Resource(r.Kind), Region: c.m.Cloud.Region, Desired: desired, ByMark: true,
		Resolve: func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
			if from.IsZero() {
				return desired, nil
			}
			attributes := desired.AsValueMap()
			attributes["domain"] = unit.IDIn(outputs[from])
			return cty.ObjectVal(attributes), nil
		},
	}
	c.add(unit.Unit{Address: r.Address, Spec: spec, Edges: c.resourceEdges(r), Class: unit.ClassResource, Stays: true, Range: r.Range})
}
