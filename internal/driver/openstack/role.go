package openstack

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// roleKind knows the roles of the whole cloud: Keystone lists those of a domain for that domain only.
type roleKind struct{ keystone }

func keystoneRoles(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "role"), one: "role", many: "roles",
		replacing: "whoever had the role loses it",
	}
}

// apart are the roles of domains, of which Keystone has no list for all. Nothing but an export asks for them.
func (k roleKind) apart(ctx context.Context, s *session) ([]*object, error) {
	domains, err := s.all(ctx, call{service: serviceIdentity, path: "domains"}, "domains")
	if statusIs(err, http.StatusForbidden) {
		return nil, nil // who may not see domains is told so
	}
	if err != nil {
		return nil, err
	}
	var all []*object
	for _, domain := range domains {
		id := textAt(domain, "id")
		raws, err := s.all(ctx, call{service: serviceIdentity, path: k.many, query: url.Values{keyDomain: {id}}}, k.many)
		if err != nil && !notFound(err) { // the domain may be gone by now
			return nil, err
		}
		for _, raw := range raws {
			if textAt(raw, keyDomain) == id {
				all = append(all, k.read(raw))
			}
		}
	}
	return all, nil
}

// remove refuses while somebody has the role, as Keystone would take it from them.
func (k roleKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if err := unassigned(ctx, s, "role.id", o, "the role"); err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, s, o)
}
