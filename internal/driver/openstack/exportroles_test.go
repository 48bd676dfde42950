package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestExportOfRolesOfDomains counts what no block can be, and asks for it in no other pass.
func TestExportOfRolesOfDomains(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	answers := whole()
	roles, asked := answers["/v3/roles"], 0
	answers["/v3/roles"] = func(r *http.Request) any {
		domain := r.URL.Query().Get("domain_id")
		if domain == "" {
			return roles(r)
		}
		asked++
		if domain != idOf("d2") {
			return object{"roles": []any{}}
		}
		return object{"roles": []any{object{"id": idOf("77"), "name": "clerk", "domain_id": idOf("d2")}}}
	}
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	result, hcl := adoptsAll(t, d, live, export.Selection{})
	if result.Unfit != 1 || strings.Contains(hcl, "clerk") || asked != 2 {
		t.Errorf("%d left out, asked for roles of domains %d times:\n%s", result.Unfit, asked, hcl)
	}
	if _, err := d.Observe(t.Context(), []unit.Target{target(t, "role", "auditor", values{})}); err != nil || asked != 2 {
		t.Errorf("a look asks for them: %d, %v", asked, err)
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
