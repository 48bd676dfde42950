package openstack

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// assignmentKind knows who has which role where. Keystone has no ids for that and keeps no marks with it.
type assignmentKind struct{ schema *schema.Block }

func (k assignmentKind) name() string         { return k.schema.Kind }
func (assignmentKind) api() string            { return serviceIdentity }
func (k assignmentKind) marks() bool          { return false }
func (k assignmentKind) block() *schema.Block { return k.schema }
func (k assignmentKind) cost() string         { return "for a moment nobody has the role by it" }

// parts are what an assignment connects. One in the system has no place.
type parts struct {
	holder, holderID string // a user or a group
	place, placeID   string // a project or a domain, or the system
	role             string
	inherited        bool
}

const (
	placeSystem   = "system"
	keyInherited  = "OS-INHERIT:inherited_to"
	wordInherited = "inherited"
)

func (p parts) id() string {
	words := []string{p.holder, p.holderID, p.place}
	if p.place != placeSystem {
		words = append(words, p.placeID)
	}
	words = append(words, "role", p.role)
	if p.inherited {
		words = append(words, wordInherited)
	}
	return strings.Join(words, "/")
}

// partsIn reads an id; ok is false for a text that is none.
func partsIn(id string) (p parts, ok bool) {
	words := strings.Split(id, "/")
	if slices.Contains(words, "") {
		return p, false
	}
	if n := len(words); words[n-1] == wordInherited && n > 1 {
		p.inherited, words = true, words[:n-1]
	}
	if len(words) == 5 && words[2] == placeSystem {
		words = slices.Insert(words, 3, "")
	}
	if len(words) != 6 || words[4] != "role" {
		return p, false
	}
	p.holder, p.holderID, p.place, p.placeID, p.role = words[0], words[1], words[2], words[3], words[5]
	known := slices.Contains([]string{"user", "group"}, p.holder) && slices.Contains([]string{"project", "domain", placeSystem}, p.place)
	return p, known && (p.place != placeSystem || !p.inherited)
}

// partsOf reads an assignment as Keystone lists it.
func partsOf(raw map[string]any) parts {
	inner := func(raw map[string]any, key string) (map[string]any, bool) {
		m, ok := raw[key].(map[string]any)
		return m, ok
	}
	var p parts
	for _, holder := range []string{"user", "group"} {
		if m, ok := inner(raw, holder); ok {
			p.holder, p.holderID = holder, textAt(m, "id")
		}
	}
	role, _ := inner(raw, "role")
	p.role = textAt(role, "id")
	scope, _ := inner(raw, "scope")
	p.inherited = textAt(scope, keyInherited) != ""
	for _, place := range []string{"project", "domain", placeSystem} {
		if m, ok := inner(scope, place); ok {
			p.place, p.placeID = place, textAt(m, "id")
		}
	}
	return p
}

func (k assignmentKind) object(p parts) *object {
	o := &object{id: p.id(), title: p.id(), values: traits{
		{"id", cty.StringVal(p.id())},
		{"role", cty.StringVal(p.role)},
		{placeSystem, cty.BoolVal(p.place == placeSystem)},
		{wordInherited, cty.BoolVal(p.inherited)},
	}}
	for _, name := range []string{"user", "group", "project", "domain"} {
		o.values.set(name, cty.NullVal(cty.String))
	}
	o.values.set(p.holder, cty.StringVal(p.holderID))
	if p.place != placeSystem {
		o.values.set(p.place, cty.StringVal(p.placeID))
	}
	return o
}

func (k assignmentKind) read(raw map[string]any) *object { return k.object(partsOf(raw)) }

// wantedParts are those that are written; ok is false while one of them is not known.
func (k assignmentKind) wantedParts(want cty.Value) (p parts, ok bool) {
	ok = true
	text := func(name string) string {
		v := attribute(want, name)
		if v == cty.NilVal {
			return ""
		}
		v, _ = v.Unmark()
		ok = ok && v.IsKnown()
		return textOf(v)
	}
	truth := func(name string) bool {
		v := attribute(want, name)
		if v == cty.NilVal {
			return false
		}
		v, _ = v.Unmark()
		ok = ok && v.IsKnown()
		return v.IsKnown() && v.True()
	}
	p.role = text("role")
	for _, holder := range []string{"user", "group"} {
		if id := text(holder); id != "" {
			p.holder, p.holderID = holder, id
		}
	}
	for _, place := range []string{"project", "domain"} {
		if id := text(place); id != "" {
			p.place, p.placeID = place, id
		}
	}
	if truth(placeSystem) {
		p.place, p.placeID = placeSystem, ""
	}
	p.inherited = truth(wordInherited)
	return p, ok && p.role != "" && p.holder != "" && p.place != ""
}

func (k assignmentKind) key(want cty.Value) string {
	p, ok := k.wantedParts(want)
	if !ok {
		return ""
	}
	return p.id()
}

// adoptable has nothing against any: what connects the same is the same.
func (k assignmentKind) adoptable(cty.Value, *object) string { return "" }

func (k assignmentKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceIdentity, path: "role_assignments"}, "role_assignments"))
}

func (k assignmentKind) get(ctx context.Context, s *session, id string) (*object, error) {
	p, ok := partsIn(id)
	absent := &apiError{
		service: serviceIdentity, method: http.MethodGet, path: "role_assignments", status: http.StatusNotFound, message: "nobody has such a role",
	}
	if !ok {
		return nil, absent
	}
	query := url.Values{p.holder + ".id": {p.holderID}, "role.id": {p.role}}
	if p.place == placeSystem {
		query.Set("scope.system", "all")
	} else {
		query.Set("scope."+p.place+".id", p.placeID)
	}
	raws, err := s.all(ctx, call{service: serviceIdentity, path: "role_assignments", query: query}, "role_assignments")
	if err != nil {
		return nil, err
	}
	for _, raw := range raws {
		if partsOf(raw) == p {
			return k.read(raw), nil
		}
	}
	return nil, absent
}

// path is the address of an assignment, for giving and taking it.
func (p parts) path() string {
	words := []string{p.place}
	if p.place != placeSystem {
		words = []string{p.place + "s", p.placeID}
	}
	words = append(words, p.holder+"s", p.holderID, "roles", p.role)
	if p.inherited {
		words = append(slices.Insert(words, 0, "OS-INHERIT"), "inherited_to_projects")
	}
	return pathOf(words...)
}

func (k assignmentKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	p, _ := k.wantedParts(w.value) // all of it is known by now
	if _, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: p.path()}); err != nil {
		return nil, err
	}
	return k.object(p), nil
}

// update has nothing to do: nothing of an assignment can be changed.
func (k assignmentKind) update(context.Context, *session, *object, wanted, []string) error {
	return nil
}

// remove refuses to take a role from our own user, which all of this is done by.
func (k assignmentKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	p, ok := partsIn(o.id)
	if !ok {
		return false, nil
	}
	if p.holder == "user" && p.holderID == s.user {
		return false, unit.Blocked("it is a role of the user that does this here, who could not go on without it: take it away by hand")
	}
	return false, s.erase(ctx, serviceIdentity, p.path())
}
