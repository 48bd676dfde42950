package openstack

import (
	"context"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

const keyResource = "resource_name"

// registeredLimitKind knows how much of something every project may use. As long as there is a limit in its place
// somewhere, Keystone refuses to delete what is registered.
type registeredLimitKind struct{ keystone }

func keystoneRegisteredLimits(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "registered_limit"), one: "registered_limit", many: "registered_limits",
		fields: []field{
			{"service", "service_id"}, {"region", "region_id"}, {keyResource, keyResource}, {"default_limit", "default_limit"},
		},
		replacing: "for a moment nothing of it can be used",
	}
}

// key is what no two have in common.
func (k registeredLimitKind) key(want cty.Value) string {
	var parts []string
	for _, name := range []string{"service", "region", keyResource} {
		v := unmarked(attribute(want, name))
		if v != cty.NilVal && !v.IsKnown() {
			return ""
		}
		parts = append(parts, textOf(v))
	}
	return strings.Join(parts, "/")
}

func (k registeredLimitKind) read(raw map[string]any) *object {
	o := k.keystone.read(raw)
	o.title = strings.Join([]string{textAt(raw, "service_id"), textAt(raw, "region_id"), textAt(raw, keyResource)}, "/")
	return o
}

func (k registeredLimitKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceIdentity, path: k.many}, k.many))
}

func (k registeredLimitKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

// create takes and gets a list, as this part of Keystone does.
func (k registeredLimitKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(k.fields, nil)
	body[keyDescription] = joinMark(w.text(keyDescription), w.mark)
	raw, err := s.postListed(ctx, k.many, body, w.mark)
	return readOne(k.read)(raw, err)
}
