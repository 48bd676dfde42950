package openstack

import (
	"context"
	"net/http"
	"path"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// secretKind has no room for a mark, and Barbican takes a name any number of times. It knows a secret by its address.
type secretKind struct{ schema *schema.Block }

const (
	serviceSecrets = "key-manager"
	keySecretRef   = "secret_ref"
)

func (k secretKind) name() string         { return k.schema.Kind }
func (k secretKind) marks() bool          { return false }
func (k secretKind) unsigned()            {}
func (k secretKind) walled()              {}
func (k secretKind) madeInProject()       {}
func (k secretKind) block() *schema.Block { return k.schema }
func (k secretKind) cost() string         { return "what refers to the old one cannot read it any more" }

func (k secretKind) fields() []field {
	return []field{{"name", "name"}, {"type", "secret_type"}, {"algorithm", "algorithm"}, {"ref", keySecretRef}}
}

// readIn reads a secret of the session's project, which it does not tell.
func (k secretKind) readIn(s *session) func(map[string]any) *object {
	return func(raw map[string]any) *object {
		o := &object{id: path.Base(textAt(raw, keySecretRef)), title: textAt(raw, "name"), project: s.project, scope: s.project, raw: raw}
		o.values = readFields(k.schema, k.fields(), raw)
		o.values.set("id", cty.StringVal(o.id))
		o.values.set("project", cty.StringVal(s.project))
		if raw["content_types"] == nil {
			o.pending = "its payload is still to be handed over"
		}
		return o
	}
}

func (k secretKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.readIn(s))(s.all(ctx, call{service: serviceSecrets, path: "secrets", known: keySecretRef, turns: byNumber}, "secrets"))
}

func (k secretKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.readIn(s))(s.one(ctx, call{service: serviceSecrets, method: http.MethodGet, path: pathOf("secrets", id)}, ""))
}

// create makes it without its payload, which would be in the body beside all else. The answer is its address alone.
func (k secretKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	body := w.body(k.fields(), nil)
	body["name"] = w.named
	raw, err := scoped.one(ctx, call{service: serviceSecrets, method: http.MethodPost, path: "secrets", body: body}, "")
	if err != nil {
		return nil, err
	}
	body[keySecretRef] = raw[keySecretRef]
	return k.readIn(scoped)(body), nil
}

// update hands the payload over, once: nothing else of a secret can be changed.
func (k secretKind) update(ctx context.Context, s *session, o *object, w wanted, _ []string) error {
	_, err := s.do(ctx, call{service: serviceSecrets, method: http.MethodPut, path: pathOf("secrets", o.id), text: w.text("payload"), contentType: "text/plain"})
	if statusIs(err, http.StatusConflict) { // it has one already
		return nil
	}
	return err
}

func (k secretKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceSecrets, pathOf("secrets", o.id))
}
