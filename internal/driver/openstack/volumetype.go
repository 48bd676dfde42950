package openstack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// volumeTypeKind keeps its mark in the description: an extra spec would have to be one of a storage.
type volumeTypeKind struct{ schema *schema.Block }

func (k volumeTypeKind) name() string         { return k.schema.Kind }
func (volumeTypeKind) api() string            { return serviceVolume }
func (k volumeTypeKind) marks() bool          { return true }
func (k volumeTypeKind) block() *schema.Block { return k.schema }
func (k volumeTypeKind) cost() string {
	return "no volume of the type can be made until it is there again"
}

// lacking tells of a cloud without volumes.
func (k volumeTypeKind) lacking(err error) bool { return noVolumes(err) }

func (k volumeTypeKind) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), mark: mark, raw: raw}
	o.values = readFields(k.schema, []field{{"id", "id"}, {"name", "name"}, {"public", "is_public"}, {keySpecs, keySpecs}}, raw)
	o.values.set(keyDescription, cty.StringVal(text))
	readQoS(raw, &o.values)
	return o
}

func (k volumeTypeKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: s.volumes(), path: "types", query: url.Values{"is_public": {"None"}}}, "volume_types"))
}

func (k volumeTypeKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: pathOf("types", id)}, "volume_type"))
}

func (volumeTypeKind) late() []string { return []string{accessAttribute, typeQuota} }

// complete reads which projects can use the types that are not public, and how much of them.
func (k volumeTypeKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := volumeTypeAccess().complete(ctx, s, objects)
	for address, err := range k.completeQuotas(ctx, s, objects) {
		failures[address] = errors.Join(failures[address], err)
	}
	return failures
}

func (k volumeTypeKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body([]field{{"public", "os-volume-type-access:is_public"}, {keySpecs, keySpecs}}, nil)
	body["name"], body[keyDescription] = w.named, joinMark(w.text(keyDescription), w.mark)
	o, err := readOne(k.read)(s.one(ctx, call{
		service: s.volumes(), method: http.MethodPost, path: "types", body: map[string]any{"volume_type": body},
	}, "volume_type"))
	if err == nil {
		// What follows.
		o.values.set(volumeQoSOfAType, cty.NullVal(cty.String))
		o.values.set(typeQuota, collection(nil, k.schema.Nested(typeQuota).ValueType()))
		volumeTypeAccess().follows(o, w)
	}
	return o, err
}

func (k volumeTypeKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if slices.Contains(attributes, accessAttribute) {
		if err := volumeTypeAccess().withdraw(ctx, s, o, w); err != nil {
			return err
		}
	}
	body := w.body([]field{{"public", "is_public"}}, attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	if len(body) > 0 {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPut, path: pathOf("types", o.id), body: map[string]any{"volume_type": body},
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(attributes, accessAttribute) {
		if err := volumeTypeAccess().let(ctx, s, o, w); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, typeQuota) {
		if err := k.writeQuotas(ctx, s, o, w); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, volumeQoSOfAType) {
		if err := k.writeQoS(ctx, s, o, w); err != nil {
			return err
		}
	}
	if specs, _ := w.plain(keySpecs).(map[string]any); len(specs) > 0 && slices.Contains(attributes, keySpecs) {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPost, path: pathOf("types", o.id, keySpecs), body: map[string]any{keySpecs: specs},
		})
		if err != nil {
			return err
		}
	}
	return takeAway(w.drop[keySpecs], func(key string) error {
		return s.erase(ctx, s.volumes(), pathOf("types", o.id, keySpecs, uncut(key)))
	})
}

// uncut is a key as the end of a path of Cinder, which takes away one .json there, as the format of the answer: it would be
// the key without that which goes, another one or none.
func uncut(key string) string {
	if strings.HasSuffix(key, ".json") {
		return key + ".json"
	}
	return key
}

// restores has a type that somebody renamed get the name back that volumes name it by.
func (k volumeTypeKind) restores(attribute string) bool { return attribute == "name" }

func (k volumeTypeKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, s.volumes(), pathOf("types", o.id))
}
