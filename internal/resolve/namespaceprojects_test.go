package resolve_test

import (
	"testing"
)

// TestStatementsAboutRuledProjects: which of them there are nobody knows but the cluster, so that a statement names any.
func TestStatementsAboutRuledProjects(t *testing.T) {
	m, _, diags := resolveText(t, `
cloud "test" {
  openstack { cloud = "test" }
  namespace_projects { selector = { tenant = "true" } }
}
moved {
  from = project.old
  to   = project.namespaces["old"]
}
moved {
  from = network.a
  to   = network.b
}
network "b" {}
import {
  to = project.namespaces["wiki"]
  id = "d32019d3bc6e43199c1d6722fc136a22"
}
import {
  for_each = toset(["x", "y"])
  to       = project.namespaces[each.key]
  filter   = { name = "k8s-${each.key}" }
}
removed {
  from = project.namespaces["blog"]
}
suspended {
  target = project.namespaces["shop"]
  reason = "disks are replaced"
}
`, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if len(m.Moves) != 2 || m.Moves[0].Stays || !m.Moves[1].Stays {
		t.Errorf("moved are %+v", m.Moves)
	}
	if len(m.Imports) != 3 || len(m.Removals) != 1 {
		t.Errorf("imported are %+v, removed %+v", m.Imports, m.Removals)
	}
}
