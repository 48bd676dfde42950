package openstack

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// regionKind knows regions, whose names are their ids.
type regionKind struct{ keystone }

func keystoneRegions(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "region"), one: "region", many: "regions", fields: []field{{"parent", "parent_region_id"}},
		replacing: "for a moment the catalogue has no such region",
	}
}

func (k regionKind) read(raw map[string]any) *object {
	o := k.keystone.read(raw)
	o.title = o.id
	o.values.set("name", cty.StringVal(o.id))
	return o
}

func (k regionKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceIdentity, path: k.many}, k.many))
}

func (k regionKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k regionKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(s, w)
	delete(body, "name")
	body["id"] = w.named
	return readOne(k.read)(k.post(ctx, s, body))
}

// remove refuses while regions are below it, which Keystone would delete along. While it has endpoints Keystone
// refuses by itself; which they are we know better. With registered limits it fails without a word.
func (k regionKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	for _, c := range []content{
		within("regions", "parent_region_id", o.id, markInDescription),
		within("endpoints", "region_id", o.id, markInAttribute),
		registeredWith("region_id", o.id),
	} {
		if err := c.mustBeEmpty(ctx, s, "the region"); err != nil {
			return false, err
		}
	}
	return k.keystone.remove(ctx, s, o)
}
