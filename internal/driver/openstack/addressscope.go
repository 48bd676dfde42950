package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// addressScopeKind has no room for a mark: a scope is known by its name in its project alone.
type addressScopeKind struct{ neutron }

func neutronAddressScopes(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "address_scope"), one: "address_scope", many: "address_scopes", extension: true,
		fields:    []field{{"ip_version", "ip_version"}, {"shared", "shared"}},
		replacing: "subnet pools in the scope stand in the way of deleting it",
	}
}

func (k addressScopeKind) marks() bool { return false }
func (k addressScopeKind) unsigned()   {}

// adoptable takes over one of the same version of IP.
func (k addressScopeKind) adoptable(want cty.Value, o *object) string {
	version := unmarked(attribute(want, "ip_version"))
	if version == cty.NilVal || !version.IsKnown() || version.RawEquals(o.values.get("ip_version")) {
		return ""
	}
	return fmt.Sprintf("there is an address scope %q of the other version of IP: write another name", o.title)
}

// makeable wants a name: by nothing else a new one is found whose answer was lost. One that is there may have none.
func (k addressScopeKind) makeable(want cty.Value) string {
	if name := unmarked(attribute(want, "name")); name != cty.NilVal && name.IsKnown() && textOf(name) == "" {
		return "an address scope without a name is not made, as it could not be told from others: write a name"
	}
	return ""
}

func (k addressScopeKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	delete(body, keyDescription)
	return readOne(k.read)(k.post(ctx, s, body))
}

func (k addressScopeKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body(k.fields, attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	return k.put(ctx, s, o.id, body)
}
