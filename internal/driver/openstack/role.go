package openstack

import (
	"context"

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

// remove refuses while somebody has the role, as Keystone would take it from them.
func (k roleKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if err := unassigned(ctx, s, "role.id", o, "the role"); err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, s, o)
}
