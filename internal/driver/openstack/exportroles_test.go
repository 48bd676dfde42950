package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestExportOfRolesOfDomains has them say their domain, and refers to them; what is not exported is looked up there.
func TestExportOfRolesOfDomains(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	answers := whole()
	roles, assignments, asked := answers["/v3/roles"], answers["/v3/role_assignments"], 0
	answers["/v3/roles"] = func(r *http.Request) any {
		domain := r.URL.Query().Get("domain_id")
		if domain == "" {
			return roles(r)
		}
		asked++
		if domain != idOf("d2") {
			return object{"roles": []any{}}
		}
		return object{"roles": []any{object{"id": idOf("77"), "name": "clerk", "domain_id": idOf("d2")}, object{"id": idOf("78"), "name": "auditor", "domain_id": idOf("d2")}}}
	}
	answers["/v3/role_assignments"] = func(r *http.Request) any {
		all := assignments(r).(object)["role_assignments"].([]object)
		for _, role := range []string{"77", "78"} {
			all = append(all, object{"user": object{"id": idOf("c2")}, "role": object{"id": idOf(role)}, "scope": object{"domain": object{"id": idOf("d2")}}})
		}
		return object{"role_assignments": all}
	}
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil || asked != 2 {
		t.Fatalf("asked for roles of domains %d times, %v", asked, err)
	}
	for name, test := range map[string]struct {
		kinds []string
		want  []string
	}{
		"with the domain":    {nil, []string{"role \"clerk\" {\n  domain = domain.customers\n}", " = role.clerk\n", "role \"auditor\" {\n  domain = domain.customers\n}"}},
		"without the domain": {[]string{"role"}, []string{"role \"clerk\" {\n  domain = data.domain.customers\n}"}},
		"looked up": {[]string{"role_assignment"}, []string{
			"data \"role\" \"clerk\" {\n  name   = \"clerk\"\n  domain = data.domain.customers\n}", "data \"role\" \"auditor\" {\n  name   = \"auditor\"\n  domain = data.domain.customers\n}", "data \"role\" \"auditor_2\" {\n  name = \"auditor\"\n}",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			result, hcl := adoptsAll(t, d, live, export.Selection{Kinds: test.kinds})
			if result.Unfit != 0 {
				t.Errorf("%d left out", result.Unfit)
			}
			for _, want := range test.want {
				if !strings.Contains(hcl, want) {
					t.Errorf("no %s", want)
				}
			}
		})
	}
	asked = 0
	if _, err := d.Observe(t.Context(), []unit.Target{target(t, "role", "auditor", values{})}); err != nil || asked != 0 {
		t.Errorf("a look at a role of the whole cloud asks for those of domains: %d, %v", asked, err)
	}
	answers["/v3/roles"] = func(r *http.Request) any {
		if r.URL.Query().Has("domain_id") {
			return http.StatusTeapot
		}
		return roles(r)
	}
	if _, _, err := d.Live(t.Context(), []string{"role"}); err == nil {
		t.Error("a list that fails is taken for the whole")
	}
}
