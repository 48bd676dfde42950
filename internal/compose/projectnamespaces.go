package compose

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// projectsUnit are the namespaces that say which project they have, each by its name as the key.
const projectsUnit = "projects"

// projectNamespaces adds a unit for each namespace that a project names. It has the namespace's name, not the
// project's, so that another project of the namespace is another text of the same annotation.
func (c *composer) projectNamespaces() {
	projects := map[string]addr.Object{}
	for _, r := range c.projects() {
		namespace := namespaceOf(r)
		if namespace == "" {
			continue
		}
		if other, taken := projects[namespace]; taken {
			where, ok := r.Ranges[schema.ProjectNamespace]
			if !ok {
				where = r.Range
			}
			c.fail(codeDuplicate, where, r.Address, "a namespace of two projects",
				fmt.Sprintf("%s and %s both have the namespace %q, which can say of one only that it is its project", other, r.Address, namespace), "take the line out of one of them, or write another namespace")
			continue
		}
		projects[namespace] = r.Address
		edges := []unit.Edge{c.made(r)}
		if maker, made := c.namespaces[namespace]; made {
			edges = append(edges, unit.Edge{To: maker, Until: unit.Installed, Gate: unit.GateStart})
		}
		c.add(unit.Unit{
			Address: systemAddress(projectsUnit).WithKey(addr.StringKey(namespace)), Class: unit.ClassSystem, Range: r.Range,
			Spec: &unit.ProjectNamespace{Namespace: namespace, Project: r.Address}, Edges: edges,
		})
	}
}

// projects are the resources that may name a namespace, and those that a rule makes for one.
func (c *composer) projects() []*model.Resource {
	var all []*model.Resource
	for i := range c.m.Resources {
		all = append(all, &c.m.Resources[i])
	}
	for i := range c.ruled {
		all = append(all, &c.ruled[i])
	}
	return all
}

// namespaceOf returns the namespace that a project names, "" for none.
func namespaceOf(r *model.Resource) string {
	if r.Kind != "project" || r.Address.Mode() == addr.Data {
		return ""
	}
	desired, _ := r.Desired.UnmarkDeep()
	if desired.IsNull() || !desired.IsKnown() || !desired.Type().HasAttribute(schema.ProjectNamespace) {
		return ""
	}
	written := desired.GetAttr(schema.ProjectNamespace)
	if written.IsNull() || !written.IsKnown() {
		return ""
	}
	return written.AsString()
}

// made is the edge of what comes after a project, which is there before its limits are.
func (c *composer) made(project *model.Resource) unit.Edge {
	edge := unit.Edge{To: project.Address, Until: unit.Ready, Gate: unit.GateStart}
	if len(c.limiters(project)) > 0 {
		edge.Part = c.definition.ServiceOf(project.Kind)
	}
	return edge
}
