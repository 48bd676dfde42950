package openstack

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// flavorKind keeps its mark in the description, which flavors have from 2.55 on; from 2.61 on the
// list has the extra specs.
type flavorKind struct{ schema *schema.Block }

const (
	flavorVersion = "2.61"
	flavorAccess  = "os-flavor-access:is_public"
	keySpecs      = "extra_specs"
)

func (k flavorKind) name() string         { return k.schema.Kind }
func (flavorKind) api() string            { return serviceCompute }
func (k flavorKind) marks() bool          { return true }
func (k flavorKind) block() *schema.Block { return k.schema }
func (k flavorKind) cost() string {
	return "running instances keep the old size, which has no name any more"
}

func flavorFields() []field {
	return []field{
		{"vcpus", "vcpus"},
		{"ram", "ram"},
		{"disk", "disk"},
		{"ephemeral", "OS-FLV-EXT-DATA:ephemeral"},
		{"swap", "swap"},
		{"public", flavorAccess},
		{keySpecs, keySpecs},
	}
}

func (k flavorKind) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), mark: mark, raw: raw}
	o.values = readFields(k.schema, flavorFields(), raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("name", cty.StringVal(o.title))
	o.values.set(keyDescription, cty.StringVal(text))
	return o
}

func (k flavorKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{
		service: serviceCompute, path: pathOf("flavors", "detail"), query: url.Values{"is_public": {"None"}}, microversion: flavorVersion,
	}, "flavors"))
}

func (k flavorKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("flavors", id), microversion: flavorVersion,
	}, "flavor"))
}

func (flavorKind) late() []string { return []string{accessAttribute} }

// complete reads which projects can use the flavors that are not public.
func (k flavorKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	return flavorAccessPlace().complete(ctx, s, objects)
}

func (k flavorKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(flavorFields(), nil)
	delete(body, keySpecs) // these follow
	body["name"] = w.named
	body[keyDescription] = joinMark(w.text(keyDescription), w.mark)
	if body["disk"] == nil {
		body["disk"] = 0
	}
	o, err := readOne(k.read)(s.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: "flavors", body: map[string]any{"flavor": body}, microversion: flavorVersion,
	}, "flavor"))
	if err == nil {
		flavorAccessPlace().follows(o, w)
	}
	return o, err
}

func (k flavorKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if description, changed := newDescription(o, w, attributes); changed {
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPut, path: pathOf("flavors", o.id), microversion: flavorVersion,
			body: map[string]any{"flavor": map[string]any{keyDescription: description}},
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(attributes, accessAttribute) {
		if err := flavorAccessPlace().let(ctx, s, o, w); err != nil {
			return err
		}
		if err := flavorAccessPlace().withdraw(ctx, s, o, w); err != nil {
			return err
		}
	}
	if !slices.Contains(attributes, keySpecs) {
		return nil
	}
	if specs, _ := w.plain(keySpecs).(map[string]any); len(specs) > 0 {
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPost, path: pathOf("flavors", o.id, "os-extra_specs"), microversion: flavorVersion,
			body: map[string]any{keySpecs: specs},
		})
		if err != nil {
			return err
		}
	}
	return takeAway(w.drop[keySpecs], func(key string) error {
		return s.delete(ctx, call{service: serviceCompute, path: pathOf("flavors", o.id, "os-extra_specs", key), microversion: flavorVersion})
	})
}

func (k flavorKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceCompute, pathOf("flavors", o.id))
}
