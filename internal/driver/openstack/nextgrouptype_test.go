package openstack

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// This file is all that the program is told of another kind to come, which Cinder has already: types of groups of volumes.
// They are in no project, take a microversion, and have keys that come and go one by one, of which others may have some.

// groupTypeBlock is its block of the schema.
func groupTypeBlock() schema.Block {
	return schema.Block{
		Kind: "group_type", Class: schema.ClassResource, API: "cinder", Keeps: []string{"groups"}, Unique: "Cinder takes a name for one group type only", OneName: true,
		Doc:    "What groups of volumes can do.",
		Labels: []schema.Label{{Name: "name", Doc: "The name within the configuration.", Format: schema.FormatIdentifier, Example: "consistent"}},
		Attributes: []schema.Attribute{
			{Name: "name", Type: cty.String, FromLabel: true, Lookup: true, Change: schema.Replace, Example: cty.StringVal("consistent"), Doc: "The name; that of the block unless written."},
			{Name: "description", Type: cty.String, Example: cty.StringVal("All at once."), Doc: "A text for people."},
			{Name: "public", Type: cty.Bool, Example: cty.False, Doc: "Whether every project can use it."},
			{
				Name: "specs", Type: cty.Map(cty.String), Doc: "What the storage should know. Keys that others have added stay.",
				Example: cty.MapVal(map[string]cty.Value{"consistent_group_snapshot_enabled": cty.StringVal("<is> True")}),
			},
			{Name: "id", Type: cty.String, Presence: schema.Computed, Lookup: true, Format: schema.FormatID, Doc: "The id."},
		},
	}
}

type groupTypeKind struct{ schema *schema.Block }

func groupTypes(language *schema.Definition) kind {
	return groupTypeKind{language.Resource("group_type")}
}

const groupTypesKnown, keyGroupSpecs = "3.11", "group_specs"

func (k groupTypeKind) name() string         { return k.schema.Kind }
func (k groupTypeKind) marks() bool          { return true }
func (k groupTypeKind) block() *schema.Block { return k.schema }
func (k groupTypeKind) cost() string {
	return "no group of the type can be made until it is there again"
}
func (k groupTypeKind) lacking(err error) bool { return noVolumes(err) }

// limits: how many groups there are in a project.
func (k groupTypeKind) limits() quotaPlace {
	return quotaPlace{keeper: "cinder", limits: []field{{"groups", "groups"}}}
}

// incidental is the type that Cinder makes.
func (k groupTypeKind) incidental(o *object) bool { return o.title == "default_cgsnapshot_type" }

func (k groupTypeKind) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), mark: mark, raw: raw}
	o.values = readFields(k.schema, []field{{"id", "id"}, {"name", "name"}, {"public", "is_public"}, {"specs", keyGroupSpecs}}, raw)
	o.values.set(keyDescription, cty.StringVal(text))
	return o
}

func (k groupTypeKind) call(s *session, method string, body any, parts ...string) call {
	return call{service: s.volumes(), method: method, path: pathOf(append([]string{"group_types"}, parts...)...), body: body, microversion: groupTypesKnown}
}

func (k groupTypeKind) list(ctx context.Context, s *session) ([]*object, error) {
	c := k.call(s, http.MethodGet, nil)
	c.query = url.Values{"is_public": {"None"}}
	return readAll(k.read)(s.all(ctx, c, "group_types"))
}

func (k groupTypeKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, k.call(s, http.MethodGet, nil, id), "group_type"))
}

func (k groupTypeKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body([]field{{"public", "is_public"}, {"specs", keyGroupSpecs}}, nil)
	body["name"], body[keyDescription] = w.named, joinMark(w.text(keyDescription), w.mark)
	return readOne(k.read)(s.one(ctx, k.call(s, http.MethodPost, map[string]any{"group_type": body}), "group_type"))
}

func (k groupTypeKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body([]field{{"public", "is_public"}}, attributes)
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	if len(body) > 0 {
		if _, err := s.do(ctx, k.call(s, http.MethodPut, map[string]any{"group_type": body}, o.id)); err != nil {
			return err
		}
	}
	if specs, _ := w.plain("specs").(map[string]any); len(specs) > 0 && slices.Contains(attributes, "specs") {
		if _, err := s.do(ctx, k.call(s, http.MethodPost, map[string]any{keyGroupSpecs: specs}, o.id, keyGroupSpecs)); err != nil {
			return err
		}
	}
	return takeAway(w.drop["specs"], func(key string) error { return s.delete(ctx, k.call(s, "", nil, o.id, keyGroupSpecs, key)) })
}

func (k groupTypeKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.delete(ctx, k.call(s, "", nil, o.id))
}
