package openstack_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// TestExportOfAdministratorsOfDomains has what the owner of a domain calls admin exported: it is the deployment's only in
// the domain that Keystone makes.
func TestExportOfAdministratorsOfDomains(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	answers := whole()
	answers["/v3/projects"] = listed("projects",
		object{"id": idOf("a1"), "name": "shop", "domain_id": "default", "enabled": true},
		object{"id": idOf("81"), "name": "admin", "domain_id": "default", "enabled": true},
		object{"id": idOf("82"), "name": "admin", "domain_id": idOf("d2"), "enabled": true})
	answers["/v3/users"] = listed("users",
		object{"id": idOf("83"), "name": "admin", "domain_id": "default", "enabled": true},
		object{"id": idOf("84"), "name": "admin", "domain_id": idOf("d2"), "enabled": true, "email": "admin@customers.example"})
	grant := func(user, project string) object {
		return object{"user": object{"id": idOf(user)}, "role": object{"id": idOf("b1")}, "scope": object{"project": object{"id": idOf(project)}}}
	}
	answers["/v3/role_assignments"] = listed("role_assignments", grant("83", "81"), grant("84", "82"))
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	_, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"domain", "project", "user", "role_assignment"}})
	for _, want := range []string{
		"project \"admin\" {\n  domain  = domain.customers\n", "email   = \"admin@customers.example\"", "project   = project.admin\n", "user      = user.admin\n", `id = "` + idOf("84") + `"`,
	} {
		if !strings.Contains(hcl, want) {
			t.Errorf("no %s in\n%s", want, hcl)
		}
	}
	for _, not := range []string{idOf("81"), idOf("83")} {
		if strings.Contains(hcl, not) {
			t.Errorf("the deployment's %s is exported", not)
		}
	}
}
