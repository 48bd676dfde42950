package compose_test

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestNamespacesOfProjects: a namespace that a project names has a unit, which needs the project and nothing needs.
func TestNamespacesOfProjects(t *testing.T) {
	m, ev := composed.Text(t, `
cloud "c" {
  namespace = "lab"
  openstack { cloud = "c" }
}
project "shop" {
  namespace = "shop"
  quota     = { cores = 4 }
}
project "team" {
  for_each  = toset(["a", "b"])
  name      = each.key
  namespace = "team-${each.key}"
}
project "none" { namespace = null }
data "project" "theirs" { name = "theirs" }
manifest "shop" {
  objects = [{ apiVersion = "v1", kind = "Namespace", metadata = { name = "shop" } }]
}
`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	want := map[string]string{`system.projects["shop"]`: "project.shop", `system.projects["team-a"]`: `project.team["a"]`, `system.projects["team-b"]`: `project.team["b"]`}
	for address, u := range units {
		spec, ok := u.Spec.(*unit.ProjectNamespace)
		if !ok {
			for _, e := range u.Edges {
				if want[e.To.String()] != "" {
					t.Errorf("%s needs %s", address, e.To)
				}
			}
			continue
		}
		if spec.Project.String() != want[address] || address != `system.projects["`+spec.Namespace+`"]` {
			t.Errorf("%s is for %s in %s", address, spec.Project, spec.Namespace)
		}
		delete(want, address)
	}
	if len(want) > 0 {
		t.Errorf("missing are %v", want)
	}
	var edges []string
	for _, e := range units[`system.projects["shop"]`].Edges {
		edges = append(edges, e.To.String()+" "+string(e.Until)+" "+e.Part)
	}
	slices.Sort(edges)
	if wanted := []string{"manifest.shop installed ", "project.shop ready keystone"}; !slices.Equal(edges, wanted) {
		t.Errorf("it waits for %q, want %q", edges, wanted)
	}
}
