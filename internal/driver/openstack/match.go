package openstack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// match is what was found for a target. It is what the driver keeps in a state.
type match struct {
	object     *object // nil when none is meant for certain
	owned      bool
	open       bool     // the search by name has to be made again: not all that it needs was known
	candidates []string // what could be meant
	message    string
	// twins are other objects that bear the mark of the one that is on record: see [twins].
	twins []string
	// marked are objects of the wanted name that bear other marks.
	marked []unit.Marked
	// before is what had the name already, for kinds whose creating request takes no mark, or that bear none.
	before *unit.Before
	// sent are digests of the sensitive attributes that were written when the match was made.
	sent map[string]string
	// begun is the id of what is gone, and whose deletion we had begun: the record of what comes next tells no more of that.
	begun string
	// want is what the match was made for, as far as it was known.
	want cty.Value
	// outputs are those of the object, for others that refer to it; cty.NilVal where they are still to be made, as what
	// it consists of is not all known yet.
	outputs cty.Value
}

// find looks for a target among the objects of its kind. done is false when what it is searched
// by is not known yet.
func find(k kind, s *session, t unit.Target, want cty.Value, objects *listing) (m match, done bool) {
	if m, done = findAmong(k, s, t, want, objects); done && !lookup(t) {
		m.before = before(k, s, t, want, objects, m.object)
	}
	return m, done
}

// before is what has the wanted name besides the object itself, for kinds whose creating request takes no mark, or that bear none.
func before(k kind, s *session, t unit.Target, want cty.Value, objects *listing, found *object) *unit.Before {
	if _, ok := k.(unsigned); !ok && k.marks() || resource(t) == nil || lookup(t) {
		return nil
	}
	name := nameOf(k, t, want)
	scope, known := scopeFor(k, t, want, s)
	if name == "" || !known {
		return nil
	}
	seen := &unit.Before{Of: scope + "/" + name}
	if _, connects := k.(keyed); connects && t.Attempted && t.Before != nil && t.Before.Of != seen.Of {
		return nil // see Foretell
	}
	for _, o := range objects.titled(name) {
		if o != found && (scope == "" || o.scope == scope) {
			seen.IDs = append(seen.IDs, o.id)
		}
	}
	return seen
}

func findAmong(k kind, s *session, t unit.Target, want cty.Value, objects *listing) (m match, done bool) {
	m.want = want
	if lookup(t) {
		return findLookup(k, want, objects.all)
	}
	if t.ID != "" {
		if o := objects.byID[t.ID]; o != nil {
			m.object, m.owned, m.twins = o, true, describe(twins(k, t.Mark, o, objects))
			return m, true
		}
	}
	if t.Mark != "" {
		all := objects.marked(append([]string{t.Mark}, t.Marks...))
		marked := filter(all, func(o *object) bool { return !copied(k, s, t, want, o) })
		switch {
		case len(marked) == 1:
			m.object, m.owned = marked[0], true
			return m, true
		case len(marked) > 1:
			m.candidates = describe(marked)
			m.message = fmt.Sprintf("several objects bear the mark of this %s: %s; delete all but one", k.name(), several(m.candidates))
			return m, true
		case len(marked) == 0:
			if away := strays(k, t, want, all); len(away) > 0 {
				m.candidates = describe(away)
				m.message = fmt.Sprintf("the mark of this %s is on %s, which is in the project %s: write that as its project, or import it, if it is to be this one; "+
					"else take the mark off", k.name(), several(m.candidates), away[0].scope)
				return m, true
			}
		}
	}
	if resource(t) == nil {
		return m, true
	}
	if t.ID != "" { // what has its name and another mark of ours may be it, where the record is an older one
		name := nameOf(k, t, want)
		scope, known := scopeFor(k, t, want, s)
		if name != "" && known {
			m.marked = markedAs(k, name, scope, objects)
		}
		return m, known
	}
	if t.Import != "" {
		// Its name is not searched for: the object that is to be taken over is this one or none.
		m.object = objects.byID[t.Import]
		return m, true
	}
	if t.ImportBy != cty.NilVal {
		return findImport(k, s, t, want, objects.all)
	}
	return findByName(k, s, t, want, objects)
}

// findByName looks for objects that nobody has marked.
func findByName(k kind, s *session, t unit.Target, want cty.Value, objects *listing) (m match, done bool) {
	m.want = want
	name := nameOf(k, t, want)
	scope, known := scopeFor(k, t, want, s)
	if name == "" || !known {
		m.open = true
		return m, false
	}
	same := filter(objects.titled(name), func(o *object) bool {
		return o.mark == "" && (scope == "" || o.scope == scope) && !concealed(k, want, o)
	})
	_, unsigned := k.(unsigned)
	if unsigned {
		if t.Before != nil && t.Before.Of == scope+"/"+name {
			return findNew(k, t, want, same)
		}
		if m = findFormer(k, t, want, objects); m.object != nil || len(m.candidates) > 0 {
			return m, true
		}
		same = filter(same, func(o *object) bool { return exact(k, t, want, o) })
	} else if _, connects := k.(keyed); connects && t.Before != nil && t.Before.Of != "/"+name {
		if m = findFormer(k, t, want, objects); m.object != nil || len(m.candidates) > 0 {
			return m, true
		}
	}
	m.candidates, m.marked = describe(same), markedAs(k, name, scope, objects)
	switch {
	case len(same) == 1:
		m.object = same[0]
		// A kind without marks: an earlier attempt of ours may have made it.
		m.owned = !k.marks() && !t.Fresh && (unsigned || fits(k, want, same[0])) && !partsElsewhere(t, same[0].id)
	case len(same) > 1:
		m.message = fmt.Sprintf("there are several objects with the name %q that are not ours: %s; rename this one or those", name, several(m.candidates))
	}
	if m.owned {
		m.candidates = nil
	}
	return m, true
}

// scopeFor is [scopeOf] for what is searched by its name.
func scopeFor(k kind, t unit.Target, want cty.Value, s *session) (scope string, known bool) {
	if _, everywhere := k.(keyed); everywhere {
		return "", true
	}
	return scopeOf(k, resource(t), want, s)
}

// markedAs are the objects of a name that bear marks.
func markedAs(k kind, name, scope string, objects *listing) []unit.Marked {
	if !k.marks() {
		return nil
	}
	var marked []unit.Marked
	for _, o := range objects.titled(name) {
		if o.mark != "" && (scope == "" || o.scope == scope) {
			marked = append(marked, unit.Marked{Name: describe([]*object{o})[0], Mark: o.mark})
		}
	}
	return marked
}

// scopeOf returns the project that an object belongs in, or the domain of a project: the written
// one, else that of our user; "" for kinds that live in neither, and [noPlace] for what need not live in one.
func scopeOf(k kind, r *unit.Resource, want cty.Value, s *session) (scope string, known bool) {
	if r == nil {
		return "", true
	}
	name, own := scopeName(r), s.project
	if name == domainAttribute {
		own = s.domain
	}
	if _, ok := k.(parted); ok {
		own = noPlace
	}
	if r.Block.Attribute(name) == nil {
		return "", true
	}
	v := attribute(want, name)
	if v == cty.NilVal {
		return own, true
	}
	v, _ = v.Unmark()
	return textOf(v), v.IsKnown()
}

// scopeName is the attribute that names it.
func scopeName(r *unit.Resource) string {
	if r.Block.Attribute(domainAttribute) != nil {
		return domainAttribute
	}
	return "project"
}

func fits(k kind, want cty.Value, o *object) bool {
	a, ok := k.(adopter)
	return ok && a.adoptable(want, o) == ""
}

// findLookup looks for the one object that has everything that is written.
func findLookup(k kind, want cty.Value, objects []*object) (m match, done bool) {
	m.want = want
	if !want.IsWhollyKnown() {
		m.message = "what it is searched by is not known yet"
		return m, false
	}
	plain, _ := want.UnmarkDeep()
	matching := filter(objects, func(o *object) bool {
		return matches(k, plain, o) && (attribute(plain, "id") != cty.NilVal || !concealed(k, plain, o) && inPlace(k, plain, o))
	})
	switch len(matching) {
	case 1:
		m.object = matching[0]
	case 0:
		m.message = fmt.Sprintf("no %s matches: %s", k.name(), criteria(want))
	default:
		m.candidates = describe(matching)
		slices.Sort(m.candidates)
		m.message = fmt.Sprintf("%d objects match %s: %s; write more attributes, or the id", len(matching), criteria(want), several(m.candidates))
	}
	return m, true
}

// findImport looks for the one object that has everything that an import says of it, in the project or domain that the
// import or else the block names.
func findImport(k kind, s *session, t unit.Target, want cty.Value, objects []*object) (m match, done bool) {
	m.want = want
	if !k.marks() { // nothing on the object would say that another block has made it meanwhile
		m.message = fmt.Sprintf("a %s bears no mark, so that what a filter finds may belong to another block: write the id in place of the filter", k.name())
		return m, true
	}
	r := resource(t)
	scope, known := scopeOf(k, r, want, s)
	if _, everywhere := k.(keyed); everywhere || attribute(t.ImportBy, scopeName(r)) != cty.NilVal {
		scope, known = "", true
	}
	if !known {
		m.open = true
		return m, false
	}
	matching := filter(objects, func(o *object) bool {
		return matches(k, t.ImportBy, o) && (scope == "" || o.scope == scope) && !concealed(k, t.ImportBy, o)
	})
	by := criteria(t.ImportBy)
	if scope != "" && scope != noPlace {
		by += fmt.Sprintf(" in the %s %s", scopeName(r), scope)
	}
	switch len(matching) {
	case 1:
		m.object = matching[0]
	case 0:
		m.message = fmt.Sprintf("there is no %s to import with %s: correct the filter, or take the import block away to have it created", k.name(), by)
	default:
		m.candidates = describe(matching)
		slices.Sort(m.candidates)
		m.message = fmt.Sprintf("%d objects have %s, and one is to be imported: %s; write more into the filter, or the id in its place", len(matching), by, several(m.candidates))
	}
	return m, true
}

// concealed tells whether an object is out of sight for who looks for what is wanted.
func concealed(k kind, want cty.Value, o *object) bool {
	c, ok := k.(concealer)
	return ok && c.conceals(want, o)
}

func matches(k kind, want cty.Value, o *object) bool {
	for name := range want.Type().AttributeTypes() {
		w := attribute(want, name)
		if w == cty.NilVal {
			continue
		}
		have, ok := o.values.look(name)
		if !ok || !same(k, name, w, have, o) {
			return false
		}
	}
	return true
}

// criteria tells what was searched for.
func criteria(want cty.Value) string {
	var parts []string
	for name := range want.Type().AttributeTypes() {
		if w := attribute(want, name); w != cty.NilVal {
			parts = append(parts, name+" = "+show(w))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func filter(objects []*object, keep func(*object) bool) []*object {
	var kept []*object
	for _, o := range objects {
		if keep(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// mostNamed is how many objects a message names.
const mostNamed = 10

// several lists names for people, who read no long lists.
func several(names []string) string {
	if n := len(names) - mostNamed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), n)
	}
	return strings.Join(names, ", ")
}

// describe names objects for people.
func describe(objects []*object) []string {
	var texts []string
	for _, o := range objects {
		text := o.id
		if o.title != "" && o.title != o.id {
			text = fmt.Sprintf("%s (%s)", o.title, o.id)
		}
		texts = append(texts, text)
	}
	return texts
}
