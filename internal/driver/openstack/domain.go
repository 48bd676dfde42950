package openstack

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// domainKind knows domains. Keystone deletes with one all that is in it.
type domainKind struct{ keystone }

func keystoneDomains(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "domain"), one: "domain", many: "domains", fields: []field{{"enabled", "enabled"}},
		replacing: "all projects, users and groups in it are lost",
	}
}

// trims: the name alone.
func (k domainKind) trims(attribute string) bool { return attribute == "name" }

// remove refuses while something is in the domain: what is marked goes before it and is on its way. Keystone
// takes a deletion of what is disabled only.
func (k domainKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	for _, c := range []content{
		within("projects", keyDomain, o.id, markInTags),
		within("users", keyDomain, o.id, markInDescription),
		within("groups", keyDomain, o.id, markInDescription),
		within("roles", keyDomain, o.id, markInDescription),
		identityProviders(o.id),
	} {
		if err := c.mustBeEmpty(ctx, s, "the domain"); err != nil {
			return false, err
		}
	}
	if err := unassigned(ctx, s, "scope.domain.id", o, "the domain"); err != nil {
		return false, err
	}
	if enabled, _ := o.raw["enabled"].(bool); enabled {
		if err := k.patch(ctx, s, o.id, map[string]any{"enabled": false}); err != nil {
			if notFound(err) {
				return false, nil
			}
			return false, err
		}
	}
	return k.keystone.remove(ctx, s, o)
}

// identityProviders are those that others have added for users who log in elsewhere. Keystone deletes them with their domain, with
// all that leads from there to its users, and does not filter them by it.
func identityProviders(domain string) content {
	return content{
		call: call{service: serviceIdentity, path: pathOf("OS-FEDERATION", "identity_providers")}, key: "identity_providers", mark: unmarkable, extra: true,
		ignore: func(raw map[string]any) bool { return textAt(raw, keyDomain) != domain },
	}
}
