package openstack

import (
	"context"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// groupKind knows the groups of all domains.
type groupKind struct{ keystone }

func keystoneGroups(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "group"), one: "group", many: "groups", fields: []field{{"domain", keyDomain}},
		replacing: "its users lose the roles that it has",
	}
}

// trims: the name alone.
func (k groupKind) trims(attribute string) bool { return attribute == "name" }

func (k groupKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listOfDomains(ctx, s)
}

// remove refuses while the group has users or roles: those that we gave it are taken away before.
func (k groupKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	users, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("groups", o.id, "users")}, "users")
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for users in the group: %w", err)
	}
	if len(users) > 0 {
		return false, unit.Blocked(fmt.Sprintf("the group still has users: %s (%s); take them out first", textAt(users[0], "name"), textAt(users[0], "id")))
	}
	if err := unassigned(ctx, s, "group.id", o, "the group"); err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, s, o)
}
