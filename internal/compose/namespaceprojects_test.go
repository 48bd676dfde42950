package compose_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const ruled = `
cloud "c" {
  namespace = "lab"
  openstack { cloud = "c" }
  namespace_projects {
    selector = { "example.org/tenant" = "true" }
    prefix   = "k8s-"
    domain   = domain.tenants
    quota    = { cores = 4 }
  }
}
domain "tenants" {}
project "shop" {
  namespace = "shop"
}
`

// TestProjectsOfNamespaces: each namespace that the rule chooses has a project and is told of it, but the cloud's own
// and one that a project names.
func TestProjectsOfNamespaces(t *testing.T) {
	m, ev := composed.Text(t, ruled)
	var asked map[string]string
	facts, err := compose.Facts{Choose: func(selector map[string]string) ([]string, error) {
		asked = selector
		return []string{"blog", "lab", "shop", "wiki"}, nil
	}}.Look(m)
	if err != nil || len(asked) != 1 || asked["example.org/tenant"] != "true" {
		t.Fatalf("asked for %v: %v", asked, err)
	}
	units := composed.Compose(t, m, ev, facts)
	var projects, told []string
	for address, u := range units {
		switch spec := u.Spec.(type) {
		case *unit.Resource:
			if spec.Kind == "project" {
				projects = append(projects, address)
			}
		case *unit.ProjectNamespace:
			told = append(told, spec.Namespace+" "+spec.Project.String())
		}
	}
	slices.Sort(projects)
	slices.Sort(told)
	if want := []string{`project.namespaces["blog"]`, `project.namespaces["wiki"]`, "project.shop"}; !slices.Equal(projects, want) {
		t.Errorf("there are %q, want %q", projects, want)
	}
	if want := []string{`blog project.namespaces["blog"]`, "shop project.shop", `wiki project.namespaces["wiki"]`}; !slices.Equal(told, want) {
		t.Errorf("told are %q, want %q", told, want)
	}
	one := units[`project.namespaces["wiki"]`]
	spec := one.Spec.(*unit.Resource)
	desired := spec.Desired.AsValueMap()
	if desired["name"].AsString() != "k8s-wiki" || desired["domain"].IsKnown() || !desired["quota"].GetAttr("cores").RawEquals(cty.NumberIntVal(4)) {
		t.Errorf("it is to be %#v", spec.Desired)
	}
	domain := units["domain.tenants"].Address
	if !slices.ContainsFunc(one.Edges, func(e unit.Edge) bool { return e.To == domain && e.Until == unit.Ready }) || !one.Stays || units["project.shop"].Stays ||
		!spec.ByMark || units["project.shop"].Spec.(*unit.Resource).ByMark {
		t.Errorf("it needs %v and stays: %t", one.Edges, one.Stays)
	}
}

// TestNamespacesThatCannotBeSeen: nothing is composed as if there were none.
func TestNamespacesThatCannotBeSeen(t *testing.T) {
	m, _ := composed.Text(t, ruled)
	blind := errors.New("no answer")
	if _, err := (compose.Facts{Choose: func(map[string]string) ([]string, error) { return nil, blind }}).Look(m); !errors.Is(err, blind) {
		t.Errorf("that they cannot be seen gives %v", err)
	}
	m.TearDown = true
	if _, err := (compose.Facts{Choose: func(map[string]string) ([]string, error) { return nil, blind }}).Look(m); err != nil {
		t.Errorf("a cloud that goes needs none: %v", err)
	}
}

func TestProjectsOfNamespacesRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no OpenStack", strings.Replace(ruled, `openstack { cloud = "c" }`, "", 1) + `manifest "space" { objects = [{ apiVersion = "v1", kind = "Namespace", metadata = { name = "space" } }] }`, "neither deploys Keystone nor says how to log in"},
		{"the address of theirs", strings.Replace(ruled, `project "shop"`, `project "namespaces"`, 1), "project.namespaces are the projects of the namespaces"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, ev := composed.Text(t, test.text)
			_, diags := compose.Compose(m, ev, compose.Facts{Namespaces: []string{"wiki"}})
			if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
				return strings.Contains(d.Detail, test.want) && d.Subject != nil && d.Hint != ""
			}) {
				t.Errorf("got %v, want %s", diags, test.want)
			}
		})
	}
}

// TestNamespacesWithoutProjects: what a removed or moved block says has gone is not made beside it, or it would go once
// the namespace does; nor is what another project has the name of. Each is told.
func TestNamespacesWithoutProjects(t *testing.T) {
	const written = "project \"other\" {\n  name = \"k8s-wiki\"\n"
	for _, test := range []struct{ name, more, want, hint string }{
		{"removed", "removed {\n  from = project.namespaces[\"wiki\"]\n}", "this removed block says that its project is none any more", "take the block away"},
		{"forgotten", "removed {\n  from = project.namespaces[\"wiki\"]\n  lifecycle {\n    destroy = false\n  }\n}", "this removed block", "take the block away"},
		{"moved", "moved {\n  from = project.namespaces[\"wiki\"]\n  to = project.shop\n}", "this moved block", "take the block away"},
		{"a name that is taken", written + "  domain = domain.tenants\n}", "project.other has the name that its project would have", `namespace = "wiki" in project.other`},
		{"the name in another domain", written + "  domain = domain.others\n}\ndomain \"others\" {}", "", ""},
		{"the name in our own domain", written + "}", "", ""},
		{"another one is removed", "removed {\n  from = project.namespaces[\"blog\"]\n}", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, ev := composed.Text(t, ruled+test.more)
			units, diags := compose.Compose(m, ev, compose.Facts{Namespaces: []string{"notes", "wiki"}})
			made := map[string]bool{}
			for _, u := range units {
				made[u.Address.String()] = true
			}
			if is := made[`project.namespaces["wiki"]`]; is != (test.want == "") || is != made[`system.projects["wiki"]`] || !made[`project.namespaces["notes"]`] {
				t.Errorf("there are %v", made)
			}
			if test.want == "" && len(diags) == 0 {
				return
			}
			if len(diags) != 1 || diags[0].Severity != diag.Warning || diags[0].Subject == nil || !strings.Contains(diags[0].Detail, test.want) || !strings.Contains(diags[0].Hint, test.hint) || test.want == "" {
				t.Errorf("told is %v", diags)
			}
		})
	}
	for _, test := range []struct {
		ours, theirs string
		same         bool
	}{{"", "", true}, {`domain = "d1"`, `domain = "d1"`, true}, {`domain = "d1"`, `domain = "d2"`, false}, {"", `domain = "d1"`, false}, {`domain = "d1"`, "", false}} {
		text := strings.NewReplacer("domain   = domain.tenants", test.ours, "domain \"tenants\" {}", "").Replace(ruled) + written + test.theirs + "\n}\n"
		m, ev := composed.Text(t, text)
		if _, diags := compose.Compose(m, ev, compose.Facts{Namespaces: []string{"wiki"}}); len(diags) > 0 != test.same {
			t.Errorf("%+v: told is %v", test, diags)
		}
	}
}

// TestLookedUpProjectsOfNamespaces: what looks such a project up comes after it, and not after the limits that other services keep of it.
func TestLookedUpProjectsOfNamespaces(t *testing.T) {
	m, ev := composed.Text(t, strings.ReplaceAll(ruled, "    domain   = domain.tenants\n", "")+`
data "project" "blog" { name = "k8s-blog" }
data "project" "other" { name = "blog" }
data "project" "new" { id = project.shop.id }
`)
	units := composed.Compose(t, m, ev, compose.Facts{Namespaces: []string{"blog", "wiki"}})
	for address, want := range map[string]string{"data.project.blog": `project.namespaces["blog"] keystone`, "data.project.other": "", "data.project.new": "project.shop"} {
		var waits []string
		for _, e := range units[address].Edges {
			if e.To.Kind() == "project" && e.Until == unit.Ready && e.Gate == unit.GateStart {
				waits = append(waits, strings.TrimSpace(e.To.String()+" "+e.Part))
			}
		}
		if got := strings.Join(waits, " "); got != want {
			t.Errorf("%s waits for %q, not %q", address, got, want)
		}
	}
}
