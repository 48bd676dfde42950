package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// userKind knows users, and the groups of those that write some. A password is only ever written.
type userKind struct{ keystone }

const (
	groupsAttribute = "groups"
	keyPassword     = "password"
)

func keystoneUsers(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "user"), one: "user", many: "users",
		fields: []field{
			{"domain", keyDomain}, {"email", "email"}, {"enabled", "enabled"}, {"default_project", "default_project_id"},
		},
		replacing: "its roles, credentials and key pairs are lost",
	}
}

// trims: the name alone.
func (k userKind) trims(attribute string) bool { return attribute == "name" }

func (k userKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listOfDomains(ctx, s)
}

func (k userKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(s, w)
	if w.written(keyPassword) != cty.NilVal {
		body[keyPassword] = w.text(keyPassword)
	}
	o, err := readOne(k.read)(k.post(ctx, s, body))
	if err == nil && w.written(groupsAttribute) != cty.NilVal {
		o.values.set(groupsAttribute, cty.SetValEmpty(cty.String)) // those that are written follow
	}
	return o, err
}

func (k userKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	if slices.Contains(attributes, keyPassword) {
		body[keyPassword] = w.text(keyPassword)
	}
	if err := k.patch(ctx, s, o.id, body); err != nil || !slices.Contains(attributes, groupsAttribute) {
		return err
	}
	err := addTags(w.list(groupsAttribute), listOf(o.values.get(groupsAttribute)), func(group string) error {
		_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: pathOf("groups", group, "users", o.id)})
		return err
	})
	if err != nil {
		return err
	}
	return takeAway(w.drop[groupsAttribute], func(group string) error {
		return s.erase(ctx, serviceIdentity, pathOf("groups", group, "users", o.id))
	})
}

// remove refuses while the user has roles that are not ours, which Keystone would take from it.
func (k userKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if err := unassigned(ctx, s, "user.id", o, "the user"); err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, s, o)
}
