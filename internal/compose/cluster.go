package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// namespacesUnit are the namespaces besides that of the cloud, each by its name as the key.
const namespacesUnit = "namespaces"

// cluster adds what is wanted in the cluster beside the services.
func (c *composer) cluster() {
	var charts, manifests []*model.Resource
	for i := range c.m.Resources {
		switch r := &c.m.Resources[i]; r.Kind {
		case schema.ChartKind:
			charts = append(charts, r)
		case schema.ManifestKind:
			manifests = append(manifests, r)
		}
	}
	c.namespaces = map[string]addr.Object{c.m.Cloud.Namespace: systemAddress(namespaceUnit)}
	if len(charts)+len(manifests) == 0 {
		return
	}
	c.claims, c.releases = map[unit.Identity]claim{}, map[string]addr.Object{}
	c.definers = map[kindOf]addr.Object{}
	for i := range c.units {
		u := &c.units[i]
		switch spec := u.Spec.(type) {
		case *unit.Objects:
			for _, object := range spec.Items {
				c.claims[unit.RefOf(object).Identity()] = claim{by: u.Address}
			}
		case *unit.Credentials:
			c.claims[unit.Identity{Kind: "Secret", Namespace: spec.Namespace, Name: spec.Name}] = claim{by: u.Address}
		case *unit.Copied:
			c.claims[unit.Identity{Kind: "Secret", Namespace: spec.Namespace, Name: spec.Name}] = claim{by: u.Address}
		case *unit.Filled:
			c.claims[unit.Identity{Kind: "Secret", Namespace: spec.Namespace, Name: spec.Name}] = claim{by: u.Address}
		}
	}
	c.manifests(manifests)
	for _, r := range charts {
		c.release(r)
	}
}

// within is the edge to what makes a namespace. One that nothing makes is made beside the others.
func (c *composer) within(r *model.Resource, namespace string) []unit.Edge {
	if slices.Contains(givenNamespaces(), namespace) {
		return nil
	}
	maker, made := c.namespaces[namespace]
	if maker == r.Address && made {
		return nil
	}
	if !made {
		maker = systemAddress(namespacesUnit).WithKey(addr.StringKey(namespace))
		c.namespaces[namespace] = maker
		c.add(unit.Unit{
			Address: maker, Class: unit.ClassSystem, Range: r.Range,
			Spec: &unit.Objects{Keep: true, Items: []map[string]any{{
				"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
			}}},
		})
	}
	return []unit.Edge{{To: maker, Until: unit.Installed, Gate: unit.GateStart}}
}

// givenNamespaces are there in every cluster.
func givenNamespaces() []string {
	return []string{"default", "kube-node-lease", "kube-public", "kube-system"}
}

// usesCluster tells whether anything is wanted in the cluster beside services and nodes: objects, or the Secret of a
// resource.
func (c *composer) usesCluster() bool {
	return slices.ContainsFunc(c.m.Resources, func(r model.Resource) bool {
		return inCluster(c.definition, r.Kind) || c.keeps(&r) != (unit.ObjectRef{})
	})
}

func inCluster(definition *schema.Definition, kind string) bool {
	block := definition.Resource(kind)
	return block != nil && block.Cluster
}
