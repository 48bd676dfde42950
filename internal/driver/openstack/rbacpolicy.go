package openstack

import (
	"context"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// rbacPolicyKind has neither a name nor room for a mark: a policy is known by the right that it gives, which
// Neutron takes once. Nothing of it is changed but whom it is for.
type rbacPolicyKind struct{ neutron }

func neutronRBACPolicies(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "rbac_policy"), one: "rbac_policy", many: "rbac_policies", extension: true,
		fields: []field{
			{"object_type", "object_type"},
			{"object", "object_id"},
			{"action", "action"},
			{"target", "target_tenant"},
		},
		replacing: "the project cannot use the object until the right is there again",
		kept:      []string{"target_tenant", "object_type"},
	}
}

func (k rbacPolicyKind) marks() bool { return false }

func (rbacPolicyKind) homely() {}

func (k rbacPolicyKind) key(want cty.Value) string {
	var parts []string
	for _, f := range k.fields {
		part := textOf(unmarked(attribute(want, f.attribute)))
		if part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// adoptable takes over any: two of the same key differ in nothing.
func (k rbacPolicyKind) adoptable(cty.Value, *object) string { return "" }

func (k rbacPolicyKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	o.title = k.key(cty.ObjectVal(o.values.byName()))
	return o
}

func (k rbacPolicyKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k rbacPolicyKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k rbacPolicyKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.post(ctx, s, w.body(k.fields, nil)))
}

func (k rbacPolicyKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	return k.put(ctx, s, o.id, w.body(k.fields, attributes))
}
