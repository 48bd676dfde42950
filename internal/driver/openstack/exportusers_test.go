package openstack_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestExportOfUsersNamedLikeServices: a user of a customer's domain is exported whatever it is called, and service users are not,
// be they in the domain that Keystone makes or in one of their own.
func TestExportOfUsersNamedLikeServices(t *testing.T) {
	t.Parallel()
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/domains": listed("domains",
			map[string]any{"id": "default", "name": "Default"}, map[string]any{"id": "d1", "name": "service"}, map[string]any{"id": "d2", "name": "customer"}),
		"/v3/users": listed("users",
			map[string]any{"id": "a", "name": "nova", "domain_id": "default"}, map[string]any{"id": "b", "name": "nova", "domain_id": "d1"},
			map[string]any{"id": "c", "name": "nova", "domain_id": "d2"}, map[string]any{"id": "e", "name": "ann", "domain_id": "default"}),
	})
	live, _, err := d.Live(t.Context(), []string{"user"})
	if err != nil {
		t.Fatal(err)
	}
	live = slices.DeleteFunc(live, func(o unit.Live) bool { return o.Incidental })
	var ids []string
	for _, o := range live {
		ids = append(ids, o.ID)
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"c", "e"}) {
		t.Errorf("exported are %q", ids)
	}
}

// TestExportOfProjectsNamedLikeServices: the same of projects.
func TestExportOfProjectsNamedLikeServices(t *testing.T) {
	t.Parallel()
	domain := func(id, name string) func(*http.Request) any {
		return func(*http.Request) any { return map[string]any{"domain": map[string]any{"id": id, "name": name}} }
	}
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/domains/d1": domain("d1", "service"), "/v3/domains/d2": domain("d2", "customer"),
		"/v3/projects": listed("projects",
			map[string]any{"id": "a", "name": "service", "domain_id": "default"}, map[string]any{"id": "b", "name": "service", "domain_id": "d1"},
			map[string]any{"id": "c", "name": "service", "domain_id": "d2"}, map[string]any{"id": "e", "name": "shop", "domain_id": "default"}),
	})
	live, _, err := d.Live(t.Context(), []string{"project"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, o := range live {
		if !o.Incidental {
			ids = append(ids, o.ID)
		}
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"c", "e"}) {
		t.Errorf("exported are %q", ids)
	}
}
