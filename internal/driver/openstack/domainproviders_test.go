package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestDomainWithIdentityProvider: Keystone deletes with a domain the identity providers that others have added to it. So it stays
// as long as there are any; those of other domains do not matter, nor that a Keystone has none at all.
func TestDomainWithIdentityProvider(t *testing.T) {
	id := idOf("3")
	provider := func(domain string) map[string]any { return map[string]any{"id": "sso", "domain_id": domain} }
	for name, test := range map[string]struct {
		providers func(*http.Request) any
		stays     bool
	}{
		"its own":        {listed("identity_providers", provider(idOf("4")), provider(id)), true},
		"another's":      {listed("identity_providers", provider(idOf("4"))), false},
		"no federation":  {func(*http.Request) any { return http.StatusNotFound }, false},
		"not to be told": {func(*http.Request) any { return http.StatusForbidden }, true},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "domain", "customers", values{})
			tg.ID, tg.Fresh = id, false
			raw := map[string]any{"id": id, "name": "customers", "description": "[" + tg.Mark + "]", "enabled": false}
			deleted := false
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/domains/" + id: func(*http.Request) any { return map[string]any{"domain": raw} },
				"/v3/projects":      listed("projects"), "/v3/users": listed("users"), "/v3/groups": listed("groups"), "/v3/roles": listed("roles"),
				"/v3/role_assignments":                 listed("role_assignments"),
				"/v3/OS-FEDERATION/identity_providers": test.providers,
				"DELETE /v3/domains/" + id:             func(*http.Request) any { deleted = true; return http.StatusNoContent },
			})
			_, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
			if deleted == test.stays || (err != nil) != test.stays {
				t.Errorf("deleted: %v, %v", deleted, err)
			}
			if name == "its own" && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), "the domain still has identity providers: sso, which is not ours; delete it first")) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestBedDomainWithIdentityProvider is the same on a Keystone.
func TestBedDomainWithIdentityProvider(t *testing.T) {
	b := newBench(t)
	domain := target(t, "domain", unique("customers"), values{})
	b.converge(t, &domain)
	path := "OS-FEDERATION/identity_providers/" + unique("sso")
	request(t, identity, http.MethodPut, path, map[string]any{"identity_provider": map[string]any{"domain_id": domain.ID}})
	afterwards(t, func(ctx context.Context) error { // before the domain goes
		_, err := ask(ctx, t, identity, http.MethodDelete, path, nil)
		return err
	})
	if err := b.destroy(t.Context(), t, domain); !unit.IsBlocked(err) {
		t.Errorf("the domain goes: %v", err)
	}
	request(t, identity, http.MethodGet, path, nil)
}
