package openstack

import (
	"context"
	"net/http"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// zoneKind knows the zones of all projects. Designate shows those of others, and acts for these, only where a header says so.
type zoneKind struct{ schema *schema.Block }

const (
	serviceNames = "dns"
	zonePause    = time.Millisecond
)

func (k zoneKind) name() string         { return k.schema.Kind }
func (k zoneKind) marks() bool          { return true }
func (k zoneKind) block() *schema.Block { return k.schema }
func (k zoneKind) cost() string         { return "its records are lost" }

func (k zoneKind) fields() []field {
	return []field{{"email", "email"}, {"ttl", "ttl"}, {"type", "type"}}
}

// limits: Designate takes and tells them bare, and those of other projects with a header.
func (k zoneKind) limits() quotaPlace {
	return quotaPlace{
		keeper: "designate", service: serviceNames, path: func(project string) string { return pathOf("quotas", project) }, set: http.MethodPatch,
		with: func(c call) call {
			c.header = map[string]string{"X-Auth-All-Projects": "true"}
			return c
		},
		limits: []field{{"zones", "zones"}},
	}
}

// everywhere are the headers for zones in whatever project.
func (k zoneKind) everywhere(s *session) map[string]string {
	if !s.administrates() {
		return nil
	}
	return map[string]string{"X-Auth-All-Projects": "true"}
}

func (k zoneKind) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "project_id"), mark: mark, raw: raw}
	o.scope, o.values = o.project, readFields(k.schema, k.fields(), raw)
	for name, v := range map[string]string{"id": o.id, "name": o.title, "project": o.project, keyDescription: text} {
		o.values.set(name, cty.StringVal(v))
	}
	switch status := textAt(raw, "status"); {
	case textAt(raw, "action") == "DELETE":
		o.health, o.after, o.going, o.message = unit.HealthProgressing, zonePause, true, "it is being deleted"
	case status == "ERROR":
		o.health, o.message = unit.HealthFailed, "Designate says that the zone is in the state ERROR; see the log of the service"
	case status != "ACTIVE":
		o.health, o.after, o.message = unit.HealthProgressing, zonePause, "Designate says that the zone is in the state "+status
	}
	return o
}

func (k zoneKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceNames, path: "zones", header: k.everywhere(s)}, "zones"))
}

func (k zoneKind) one(ctx context.Context, s *session, method, id string, body any) (map[string]any, error) {
	return s.one(ctx, call{service: serviceNames, method: method, path: pathOf("zones", id), header: k.everywhere(s), body: body}, "")
}

func (k zoneKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.one(ctx, s, http.MethodGet, id, nil))
}

func (k zoneKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	c := call{service: serviceNames, method: http.MethodPost, path: "zones"}
	if w.project != s.project {
		c.header = map[string]string{"X-Auth-Sudo-Project-ID": w.project}
	}
	body := w.body(k.fields(), nil)
	body["name"], body[keyDescription] = w.named, joinMark(w.text(keyDescription), w.mark)
	c.body = body
	return readOne(k.read)(s.one(ctx, c, ""))
}

func (k zoneKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body(k.fields(), attributes)
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	_, err := k.one(ctx, s, http.MethodPatch, o.id, body)
	return err
}

func (k zoneKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return true, s.delete(ctx, call{service: serviceNames, path: pathOf("zones", o.id), header: k.everywhere(s)})
}
