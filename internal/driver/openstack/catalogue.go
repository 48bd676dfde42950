package openstack

import (
	"context"
	"net/http"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// catalogueServiceKind knows the services of the catalogue. Keystone deletes the endpoints of one along, and fails without a word
// for one with registered limits.
type catalogueServiceKind struct{ keystone }

func keystoneServices(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "identity_service"), one: "service", many: "services", fields: []field{{"type", "type"}, {"enabled", "enabled"}},
		replacing: "its endpoints are lost",
	}
}

// conceals: Keystone takes any number of services of one name, and clients look for types. So one of another type is another
// one, and is not given the type that is wanted, by which nobody would find it any more.
func (k catalogueServiceKind) conceals(want cty.Value, o *object) bool {
	wanted := knownText(want, "type")
	return wanted != "" && wanted != textAt(o.raw, "type")
}

func (k catalogueServiceKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	for _, c := range []content{
		within("endpoints", "service_id", o.id, markInAttribute),
		registeredWith("service_id", o.id),
	} {
		if err := c.mustBeEmpty(ctx, s, "the service"); err != nil {
			return false, err
		}
	}
	return k.keystone.remove(ctx, s, o)
}

// endpointKind knows the endpoints of the catalogue. They have neither name nor description, and keep the mark
// in an attribute of ours.
type endpointKind struct{ keystone }

func keystoneEndpoints(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "identity_endpoint"), one: "endpoint", many: "endpoints",
		fields: []field{
			{"service", "service_id"}, {"interface", "interface"}, {"region", "region_id"}, {"url", "url"}, {"enabled", "enabled"},
		},
		replacing: "for a moment the catalogue has no such endpoint",
	}
}

// key is what no two endpoints should have in common.
func (k endpointKind) key(want cty.Value) string {
	var parts []string
	for _, name := range []string{"service", "region", "interface"} {
		v := attribute(want, name)
		if v != cty.NilVal {
			if v, _ = v.Unmark(); !v.IsKnown() {
				return ""
			}
		}
		parts = append(parts, textOf(v))
	}
	return strings.Join(parts, "/")
}

func (k endpointKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), mark: markInAttribute(raw), raw: raw, values: readFields(k.schema, k.fields, raw)}
	o.title = strings.Join([]string{textAt(raw, "service_id"), textAt(raw, "region_id"), textAt(raw, "interface")}, "/")
	o.values.set("id", cty.StringVal(o.id))
	return o
}

func (k endpointKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceIdentity, path: k.many}, k.many))
}

func (k endpointKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k endpointKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(k.fields, nil)
	body[markKey] = w.mark
	return readOne(k.read)(s.one(ctx, call{
		service: serviceIdentity, method: http.MethodPost, path: k.many, body: map[string]any{k.one: body},
	}, k.one))
}

func (k endpointKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body(k.fields, attributes)
	if o.mark != w.mark {
		body[markKey] = w.mark
	}
	return k.patch(ctx, s, o.id, body)
}
