package openstack

import (
	"context"
	"fmt"
	"net/url"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// roleKind knows roles. The list of Keystone has those of the whole cloud, and that of a domain its own, see [parted].
type roleKind struct{ keystone }

func keystoneRoles(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "role"), one: "role", many: "roles", fields: []field{{domainAttribute, keyDomain}},
		replacing: "whoever had the role loses it", loose: true, also: readImmutable,
	}
}

// readImmutable reads the option of a role by which Keystone refuses to change and to delete it.
func readImmutable(o *object) {
	options, _ := o.raw["options"].(map[string]any)
	set, _ := options["immutable"].(bool)
	o.values.set("immutable", cty.BoolVal(set))
}

func (k roleKind) places(ctx context.Context, s *session) ([]string, error) {
	domains, err := s.all(ctx, call{service: serviceIdentity, path: "domains"}, "domains")
	var ids []string
	for _, domain := range domains {
		ids = append(ids, textAt(domain, "id"))
	}
	return ids, err
}

func (k roleKind) listIn(ctx context.Context, s *session, place string) ([]*object, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: k.many, query: url.Values{keyDomain: {place}}}, k.many)
	if err != nil && !notFound(err) {
		return nil, err
	}
	var there []*object
	for _, raw := range raws {
		if textAt(raw, keyDomain) == place {
			there = append(there, k.read(raw))
		}
	}
	return there, nil
}

// remove refuses while somebody has the role, as Keystone would take it from them.
func (k roleKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if err := unassigned(ctx, s, "role.id", o, "the role"); err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, s, o)
}

// hindrance is that the role is in a domain that its block does not name: it would not be found there again.
func (roleKind) hindrance(want cty.Value, o *object, _ []unit.Field) (problem string, held []string) { //nolint:unparam // other kinds hold back
	if o.scope == noPlace || attribute(want, domainAttribute) != cty.NilVal {
		return "", nil
	}
	return fmt.Sprintf("it is in the domain %s, and no role of the whole cloud: write domain = %q, or delete it and have another one made", o.scope, o.scope), nil
}
