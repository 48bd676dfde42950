package openstack

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// neutron is what the kinds of the network service have in common: a collection that lists all
// projects at once, a description that takes the mark when the object is created, and tags,
// which only a second request can set.
type neutron struct {
	schema    *schema.Block
	one, many string // the keys of the API
	below     string // what its collection is below, such as qos/
	extension bool   // of an extension, which not every cloud has
	fields    []field
	replacing string   // the cost
	kept      []string // the keys of what the API shows that are needed beside the fields
}

func (n neutron) name() string         { return n.schema.Kind }
func (neutron) api() string            { return serviceNetwork }
func (n neutron) marks() bool          { return true }
func (n neutron) block() *schema.Block { return n.schema }
func (n neutron) cost() string         { return n.replacing }

// path is that of the collection, which the API spells otherwise than the key, and of parts in it.
func (n neutron) path(parts ...string) string {
	return n.below + pathOf(append([]string{strings.ReplaceAll(n.many, "_", "-")}, parts...)...)
}

const keyDescription = "description"

// read makes an object of what the API shows.
func (n neutron) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "project_id")}
	o.values, o.raw = readFields(n.schema, n.fields, raw), only(raw, n.kept)
	text, mark := splitMark(textAt(raw, keyDescription))
	o.mark, o.scope = mark, o.project
	for _, at := range (traits{
		{"id", cty.StringVal(o.id)},
		{"name", cty.StringVal(o.title)},
		{"project", cty.StringVal(o.project)},
		{keyDescription, cty.StringVal(text)},
		{"tags", texts(textsAt(raw, "tags"), cty.Set(cty.String))},
	}) {
		if n.schema.Attribute(at.name) != nil {
			o.values.set(at.name, at.value)
		}
	}
	return o
}

// only is what there is below some keys. There may be very many objects, and what the API shows of each takes several
// times as much memory as what is looked at.
func only(raw map[string]any, keys []string) map[string]any {
	var some map[string]any
	for _, key := range keys {
		if v, there := raw[key]; there {
			if some == nil {
				some = make(map[string]any, len(keys))
			}
			some[key] = v
		}
	}
	return some
}

// lacking tells of an extension that is not there from its collection, which is not there either.
func (n neutron) lacking(err error) bool { return n.extension && notFound(err) }

// listBy lists with what a kind reads its objects by: page by page, as there may be very many.
func (n neutron) listBy(ctx context.Context, s *session, read func(map[string]any) *object) ([]*object, error) {
	var objects []*object
	err := s.pages(ctx, call{service: serviceNetwork, path: n.path()}, n.many, func(page []map[string]any) {
		for _, raw := range page {
			objects = append(objects, read(raw))
		}
	})
	if err != nil {
		return nil, err
	}
	return objects, nil
}

func (n neutron) getRaw(ctx context.Context, s *session, id string) (map[string]any, error) {
	return s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: n.path(id)}, n.one)
}

func (n neutron) list(ctx context.Context, s *session) ([]*object, error) {
	return n.listBy(ctx, s, n.read)
}

func (n neutron) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(n.read)(n.getRaw(ctx, s, id))
}

// readAll converts the answer of a list.
func readAll(read func(map[string]any) *object) func([]map[string]any, error) ([]*object, error) {
	return func(raws []map[string]any, err error) ([]*object, error) {
		var objects []*object
		for _, raw := range raws {
			objects = append(objects, read(raw))
		}
		return objects, err
	}
}

// readOne converts the answer that has one object.
func readOne(read func(map[string]any) *object) func(map[string]any, error) (*object, error) {
	return func(raw map[string]any, err error) (*object, error) {
		if err != nil {
			return nil, err
		}
		return read(raw), nil
	}
}

// newBody is the body of a creating request, without what only single kinds have.
func (n neutron) newBody(w wanted) map[string]any {
	body := w.body(n.fields, nil)
	body["name"] = w.named
	body[keyDescription] = joinMark(w.text(keyDescription), w.mark)
	if w.project != "" {
		body["project_id"] = w.project
	}
	return body
}

func (n neutron) post(ctx context.Context, s *session, body map[string]any) (map[string]any, error) {
	return s.one(ctx, call{service: serviceNetwork, method: http.MethodPost, path: n.path(), body: map[string]any{n.one: body}}, n.one)
}

func (n neutron) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(n.read)(n.post(ctx, s, n.newBody(w)))
}

// changedBody is the body of an updating request, without what only single kinds have.
func (n neutron) changedBody(o *object, w wanted, attributes []string) map[string]any {
	body := w.body(n.fields, attributes)
	for _, f := range n.fields {
		if len(w.drop[f.attribute]) > 0 && n.schema.Attribute(f.attribute).Connects {
			body[f.key] = nil // such as a policy that is taken out
		}
	}
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	return body
}

// newDescription is the description that an object should have, mark included.
func newDescription(o *object, w wanted, attributes []string) (description string, changed bool) {
	text := textOf(o.values.get(keyDescription))
	if slices.Contains(attributes, keyDescription) {
		text, changed = w.text(keyDescription), true
	}
	return joinMark(text, w.mark), changed || o.mark != w.mark
}

func (n neutron) put(ctx context.Context, s *session, id string, body map[string]any) error {
	if len(body) == 0 {
		return nil
	}
	_, err := s.do(ctx, call{service: serviceNetwork, method: http.MethodPut, path: n.path(id), body: map[string]any{n.one: body}})
	return err
}

func (n neutron) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if err := n.put(ctx, s, o.id, n.changedBody(o, w, attributes)); err != nil {
		return err
	}
	return n.writeTags(ctx, s, o, w)
}

func (n neutron) writeTags(ctx context.Context, s *session, o *object, w wanted) error {
	return s.writeTags(ctx, o, w, s.tagsAt(call{service: serviceNetwork, path: n.path(o.id, "tags")}))
}

func (n neutron) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceNetwork, n.path(o.id))
}
