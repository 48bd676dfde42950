package openstack

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// limitKind knows how much of something one project or domain may use, in place of what is registered for all. Keystone
// shows a token of a project the limits of that project alone, so all is asked with one of the system.
type limitKind struct{ keystone }

func keystoneLimits(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "limit"), one: "limit", many: "limits",
		fields: []field{
			{"service", "service_id"},
			{"region", "region_id"},
			{keyResource, keyResource},
			{"project", "project_id"},
			{"domain", keyDomain},
			{"resource_limit", "resource_limit"},
		},
		replacing: "for a moment what is registered holds",
	}
}

// inSystem returns a session in the system as a whole.
func (s *session) inSystem(ctx context.Context) (*session, error) {
	there, err := s.connector.in(ctx, wholeSystem)
	if errors.Is(err, errNoRole) {
		return nil, unit.Blocked(s.who + " has no role in the system as a whole, which limits of single projects and domains take: give it the role admin there, as a role_assignment with system = true does")
	}
	return there, err
}

func (k limitKind) key(want cty.Value) string {
	var parts []string
	for _, name := range []string{"service", "region", keyResource, "project", "domain"} {
		v := unmarked(attribute(want, name))
		if v != cty.NilVal && !v.IsKnown() {
			return ""
		}
		parts = append(parts, textOf(v))
	}
	return strings.Join(parts, "/")
}

func (k limitKind) read(raw map[string]any) *object {
	o := k.keystone.read(raw)
	o.title = strings.Join([]string{textAt(raw, "service_id"), textAt(raw, "region_id"), textAt(raw, keyResource), textAt(raw, "project_id"), textAt(raw, keyDomain)}, "/")
	return o
}

func (k limitKind) list(ctx context.Context, s *session) ([]*object, error) {
	there, err := s.inSystem(ctx)
	if err != nil {
		return nil, err
	}
	return readAll(k.read)(there.all(ctx, call{service: serviceIdentity, path: k.many}, k.many))
}

// denied tells of who may not ask for limits, as nobody may without a role in the system as a whole.
func (k limitKind) denied(err error) bool { return unit.IsBlocked(err) }

func (k limitKind) get(ctx context.Context, s *session, id string) (*object, error) {
	there, err := s.inSystem(ctx)
	if err != nil {
		return nil, err
	}
	return readOne(k.read)(k.getRaw(ctx, there, id))
}

// create takes and gets a list, as this part of Keystone does.
func (k limitKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	there, err := s.inSystem(ctx)
	if err != nil {
		return nil, err
	}
	body := w.body(k.fields, nil)
	body[keyDescription] = joinMark(w.text(keyDescription), w.mark)
	raw, err := there.postListed(ctx, k.many, body, w.mark)
	return readOne(k.read)(raw, err)
}

// postListed makes one object with a request that takes a list, and finds it in the list that it gets.
func (s *session) postListed(ctx context.Context, many string, body map[string]any, mark string) (map[string]any, error) {
	answer, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPost, path: many, body: map[string]any{many: []any{body}}})
	if err != nil {
		return nil, err
	}
	for _, raw := range objectsAt(answer, many) {
		if markInDescription(raw) == mark {
			return raw, nil
		}
	}
	return nil, errors.New("keystone's answer does not have what was to be created")
}

func (k limitKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	there, err := s.inSystem(ctx)
	if err != nil {
		return err
	}
	return k.keystone.update(ctx, there, o, w, attributes)
}

func (k limitKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	there, err := s.inSystem(ctx)
	if err != nil {
		return false, err
	}
	return k.keystone.remove(ctx, there, o)
}
