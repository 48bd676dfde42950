package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// keystone is what the kinds of the identity service have in common: one list of all objects, and a
// description that takes the mark when the object is created.
type keystone struct {
	schema    *schema.Block
	one, many string // the keys of the API, and the path
	fields    []field
	replacing string // the cost
	loose     bool   // what names no domain is in none, and not in that of our user

	also func(o *object) // reads what else there is
}

func (k keystone) name() string         { return k.schema.Kind }
func (keystone) api() string            { return serviceIdentity }
func (k keystone) marks() bool          { return true }
func (k keystone) block() *schema.Block { return k.schema }
func (k keystone) cost() string         { return k.replacing }

const keyDomain = "domain_id"

func (k keystone) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), scope: textAt(raw, keyDomain), mark: mark, raw: raw}
	if k.loose {
		o.scope = first(o.scope, noPlace)
	}
	o.values = readFields(k.schema, k.fields, raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("name", cty.StringVal(o.title))
	o.values.set(keyDescription, cty.StringVal(text))
	if k.also != nil {
		k.also(o)
	}
	return o
}

func (k keystone) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceIdentity, path: k.many}, k.many))
}

// listOfDomains lists what is in domains. Where domains may have backends of their own, as the charts set Keystone
// up, a list that names no domain has only what is in that of our project, and does not say so: each domain of which
// it shows nothing is asked for by itself.
func (k keystone) listOfDomains(ctx context.Context, s *session) ([]*object, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: k.many}, k.many)
	if err != nil {
		return nil, err
	}
	domains, err := s.all(ctx, call{service: serviceIdentity, path: "domains"}, "domains")
	if err != nil && !statusIs(err, http.StatusForbidden) { // who may not see the others works in its own
		return nil, err
	}
	shown, names := map[string]bool{}, map[string]string{}
	for _, raw := range raws {
		shown[textAt(raw, keyDomain)] = true
	}
	for _, domain := range domains {
		id := textAt(domain, "id")
		if names[id] = textAt(domain, "name"); shown[id] {
			continue
		}
		more, err := s.all(ctx, call{service: serviceIdentity, path: k.many, query: url.Values{keyDomain: {id}}}, k.many)
		if err != nil && !notFound(err) { // the domain may be gone by now
			return nil, err
		}
		raws = append(raws, more...)
	}
	objects, err := readAll(k.read)(raws, nil)
	for _, o := range objects {
		if name, seen := names[o.scope]; seen {
			o.detail = domainName(name)
		}
	}
	return objects, err
}

func (k keystone) getRaw(ctx context.Context, s *session, id string) (map[string]any, error) {
	return s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf(k.many, id)}, k.one)
}

func (k keystone) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

// newBody is the body of a creating request.
func (k keystone) newBody(s *session, w wanted) map[string]any {
	body := w.body(k.fields, nil)
	body["name"] = w.named
	body[keyDescription] = joinMark(w.text(keyDescription), w.mark)
	if k.schema.Attribute(domainAttribute) != nil && !k.loose && body[keyDomain] == nil {
		body[keyDomain] = s.domain
	}
	return body
}

func (k keystone) post(ctx context.Context, s *session, body map[string]any) (map[string]any, error) {
	return s.one(ctx, call{service: serviceIdentity, method: http.MethodPost, path: k.many, body: map[string]any{k.one: body}}, k.one)
}

func (k keystone) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.post(ctx, s, k.newBody(s, w)))
}

// changedBody is the body of an updating request; empty when nothing is to be sent.
func (k keystone) changedBody(o *object, w wanted, attributes []string) map[string]any {
	body := w.body(k.fields, attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	return body
}

func (k keystone) patch(ctx context.Context, s *session, id string, body map[string]any) error {
	if len(body) == 0 {
		return nil
	}
	_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPatch, path: pathOf(k.many, id), body: map[string]any{k.one: body}})
	return err
}

func (k keystone) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	return k.patch(ctx, s, o.id, k.changedBody(o, w, attributes))
}

func (k keystone) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceIdentity, pathOf(k.many, o.id))
}

// within is a list of what Keystone deletes along with an object, or leaves without one.
func within(path, filter, id string, mark func(map[string]any) string) content {
	return content{call: call{service: serviceIdentity, path: path, query: url.Values{filter: {id}}}, key: path, mark: mark}
}

func markInTags(raw map[string]any) string {
	_, mark := splitTags(textsAt(raw, "tags"))
	return mark
}

func markInAttribute(raw map[string]any) string { return textAt(raw, markKey) }

// unassigned fails while somebody has a role by way of an object: our own assignments go before it, and with it
// those of others would go.
func unassigned(ctx context.Context, s *session, filter string, o *object, what string) error {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: "role_assignments", query: url.Values{filter: {o.id}}}, "role_assignments")
	if err != nil {
		return fmt.Errorf("look for role assignments of %s: %w", what, err)
	}
	if len(raws) > 0 {
		return unit.Blocked(fmt.Sprintf("%s still has a role assignment that is not ours: %s; take it away first", what, partsOf(raws[0]).id()))
	}
	return nil
}
