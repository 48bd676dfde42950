package openstack

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// shareKind keeps its mark in the metadata. Shares are created in the project of the token, and take a while to come and to go.
type shareKind struct{ schema *schema.Block }

const (
	serviceShares = "sharev2"
	sharesKnown   = "2.50"
	sharePause    = time.Millisecond
)

func (k shareKind) name() string         { return k.schema.Kind }
func (k shareKind) marks() bool          { return true }
func (k shareKind) madeInProject()       {}
func (k shareKind) block() *schema.Block { return k.schema }
func (k shareKind) cost() string         { return "what is in the share is lost" }

func (k shareKind) fields() []field {
	return []field{{"size", "size"}, {"protocol", "share_proto"}, {"public", "is_public"}}
}

func (k shareKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "project_id"), mark: markInMetadata(raw), raw: raw}
	o.scope, o.values = o.project, readFields(k.schema, k.fields(), raw)
	for name, v := range map[string]string{"id": o.id, "name": o.title, "project": o.project, keyDescription: textAt(raw, keyDescription)} {
		o.values.set(name, cty.StringVal(v))
	}
	metadata, _ := raw["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	delete(metadata, markKey)
	o.values.set("metadata", fromMap(metadata, cty.Map(cty.String)))
	switch status := textAt(raw, "status"); status {
	case "available":
	case "error", "error_deleting", "extending_error":
		o.health, o.message = unit.HealthFailed, "Manila says that the share is in the state "+status+"; see the log of the service"
	default:
		o.health, o.after, o.message = unit.HealthProgressing, sharePause, "Manila says that the share is in the state "+status
		o.busy, o.going, o.partial = o.message, status == "deleting", status == "creating"
	}
	return o
}

func (k shareKind) call(s *session, method string, body any, parts ...string) call {
	return call{service: s.called(serviceShares), method: method, path: pathOf(append([]string{"shares"}, parts...)...), body: body, microversion: sharesKnown}
}

// list asks for them in the order in which they came: Manila begins a page at a number, and has the newest first.
func (k shareKind) list(ctx context.Context, s *session) ([]*object, error) {
	c := k.call(s, http.MethodGet, nil, "detail")
	c.query, c.turns = url.Values{"sort_key": {"created_at"}, "sort_dir": {"asc"}}, byNumber
	maps.Copy(c.query, s.everywhere())
	return readAll(k.read)(s.all(ctx, c, "shares"))
}

func (k shareKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, k.call(s, http.MethodGet, nil, id), "share"))
}

// effect tells growing, which a share does as it is, from shrinking, which may lose what is in it.
func (k shareKind) effect(name string, want cty.Value, o *object, usual unit.Effect) unit.Effect {
	if have := o.values.get("size"); name == "size" && !have.IsNull() && want.LessThan(have).True() {
		return unit.Refused
	}
	return usual
}

func (k shareKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	body := w.body(append(k.fields(), field{keyDescription, keyDescription}), nil)
	body["name"], body["metadata"] = w.named, newMetadata(w)
	return readOne(k.read)(scoped.one(ctx, k.call(scoped, http.MethodPost, map[string]any{"share": body}), "share"))
}

func (k shareKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body([]field{{"name", "display_name"}, {keyDescription, "display_description"}, {"public", "is_public"}}, attributes)
	if len(body) > 0 {
		if _, err := s.do(ctx, k.call(s, http.MethodPut, map[string]any{"share": body}, o.id)); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "metadata") || o.mark != w.mark {
		if _, err := s.do(ctx, k.call(s, http.MethodPost, map[string]any{"metadata": newMetadata(w)}, o.id, "metadata")); err != nil {
			return err
		}
	}
	for _, key := range w.drop["metadata"] {
		if err := s.delete(ctx, k.call(s, "", nil, o.id, "metadata", key)); err != nil {
			return err
		}
	}
	if !slices.Contains(attributes, "size") {
		return nil
	}
	_, err := s.do(ctx, k.call(s, http.MethodPost, map[string]any{"extend": map[string]any{"new_size": w.plain("size")}}, o.id, "action"))
	return err
}

func (k shareKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return true, s.delete(ctx, k.call(s, "", nil, o.id))
}
