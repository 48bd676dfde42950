package openstack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const keyResource = "resource_name"

// registeredLimitKind knows how much of something every project may use. As long as there is a limit in its place
// somewhere, Keystone refuses to delete what is registered, and to change anything of it, our mark included.
type registeredLimitKind struct{ keystone }

// replacedByLimits is why one takes nothing.
const replacedByLimits = "projects or domains have limits in its place, and Keystone changes nothing of it before they are gone: write what it has, or take these limits away first"

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
	o.title = registeredFor(raw)
	return o
}

// registeredFor is what a registered limit is of, and what the limits in its place are of.
func registeredFor(raw map[string]any) string {
	return strings.Join([]string{textAt(raw, "service_id"), textAt(raw, "region_id"), textAt(raw, keyResource)}, "/")
}

// registeredWith are the registered limits of a service or a region. Keystone's database keeps that for them (the foreign keys in
// keystone/limit/backends/sql.py), and its answer is an error of the server each time. The limits in their place are of one of them.
func registeredWith(filter, id string) content {
	c := within("registered_limits", filter, id, markInDescription)
	c.extra = true // since Queens
	return c
}

// completes tells that only what lacks our mark is to be known as sealed: all else is of no use before something changes.
func (registeredLimitKind) completes(_ cty.Value, o *object) bool { return o.mark == "" }

// complete finds out which of those without a mark have limits in their place. Who has no role in the system as a whole is
// shown no limits, and hears of them as Keystone refuses.
func (k registeredLimitKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	objects = slices.DeleteFunc(slices.Clone(objects), func(f found) bool { return f.whole || f.looked != nil || !k.completes(f.want, f.object) })
	if len(objects) == 0 {
		return nil
	}
	replaced := map[string]bool{}
	there, err := s.inSystem(ctx)
	if unit.IsBlocked(err) {
		return nil
	}
	if err == nil {
		var limits []map[string]any
		limits, err = there.all(ctx, call{service: serviceIdentity, path: "limits"}, "limits")
		for _, raw := range limits {
			replaced[registeredFor(raw)] = true
		}
	}
	failures := map[addr.Object]error{}
	for _, f := range objects {
		switch {
		case err != nil:
			failures[f.address] = fmt.Errorf("look for limits in its place: %w", err)
		case replaced[f.object.title]:
			f.object.sealed = replacedByLimits
		}
	}
	return failures
}

// hindrance is that there are limits in its place.
func (registeredLimitKind) hindrance(_ cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	if o.sealed == "" || len(fields) == 0 {
		return "", nil
	}
	for _, f := range fields {
		held = append(held, f.Path)
	}
	return o.sealed, held
}

func (registeredLimitKind) stays(*object) string {
	return ": Keystone takes none while there are limits in its place; keep its block until one pass after these have gone, or delete it yourself"
}

// update sends nothing where only the mark is missing of what takes none: it is ours by its record then.
func (k registeredLimitKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if o.sealed != "" && len(attributes) == 0 {
		return nil
	}
	return k.keystone.update(ctx, s, o, w, attributes)
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
