package openstack

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lending is a kind whose mark OpenStack itself copies to what it makes from an object.
type lending interface {
	// lent tells whether another object may have its mark from there.
	lent(from, other *object) bool
	// made tells of an object by itself, and of what is wanted, whether it was made from another one; said is false where
	// nothing says so.
	made(want cty.Value, o *object) (copied, said bool)
}

// copied tells whether an object cannot have a mark from us, which we look for as no id is on record: before the first attempt
// to create something, after one that was cut off, and when another thing takes the place of what was deleted. Anybody can
// copy the mark to what is theirs, and OpenStack does for them. What we make is in the project that is wanted, or in that which
// was when an attempt began whose end is not on record; and of what such a kind lends its mark to, that alone has the wanted name, where nothing says more.
func copied(k kind, s *session, t unit.Target, want cty.Value, o *object) bool {
	return lentTo(k, t, want, o) || elsewhere(k, s, t, want, o)
}

// lentTo tells whether OpenStack has copied the mark of an object to another one.
func lentTo(k kind, t unit.Target, want cty.Value, o *object) bool {
	l, lends := k.(lending)
	if !lends {
		return false
	}
	copied, said := l.made(want, o)
	switch {
	case copied || said:
		return copied
	case resource(t) == nil: // nothing says what it is called, and it would be deleted
		return true
	}
	return l.lent(&object{title: nameOf(k, t, want)}, o)
}

// elsewhere tells whether an object is where nothing of ours is to be.
func elsewhere(k kind, s *session, t unit.Target, want cty.Value, o *object) bool {
	r := resource(t)
	switch {
	case o.project != "" && o.project == t.Locator.Project && (r == nil || t.Attempted): // what was there before is gone, and its copies are not
		return false
	case r == nil:
		return o.project != "" && t.Locator.Project != ""
	}
	if _, everywhere := k.(keyed); everywhere || s == nil || scopeName(r) == domainAttribute { // no tenant makes what is in a domain
		return false
	}
	scope, known := scopeOf(k, r, want, s)
	return known && scope != "" && scope != noPlace && o.scope != "" && o.scope != scope
}

// strays are the objects elsewhere that bear the mark of what no record tells of, and whose block does not say where it is to be:
// one that was imported may be anywhere, and then nothing is to be made beside it.
func strays(k kind, t unit.Target, want cty.Value, marked []*object) []*object {
	if r := resource(t); r == nil || !t.Fresh || t.Imports() || attribute(want, scopeName(r)) != cty.NilVal {
		return nil
	}
	return filter(marked, func(o *object) bool { return !lentTo(k, t, want, o) })
}

// twins are the objects that bear the mark of one whose id is on record. A service may carry out a creating request long
// after we gave it up and sent another one; what it makes then is on record nowhere, and only its mark tells of it. As
// anybody can copy a mark, they are told of and never touched.
func twins(k kind, mark string, o *object, objects *listing) []*object {
	if mark == "" || !k.marks() {
		return nil
	}
	l, lends := k.(lending)
	return filter(objects.marked([]string{mark}), func(other *object) bool {
		return other.id != o.id && !other.going && (!lends || !l.lent(o, other))
	})
}

// noticeOf tells people of twins; "" without any.
func noticeOf(t unit.Target, found []string) string {
	if len(found) == 0 {
		return ""
	}
	// Lists cut it off after the first words.
	return fmt.Sprintf("another %s bears the mark of this one; delete it unless it was made from this one: %s; OpenStack may have made it late, of a request that had been given up; "+
		"what was made from this one, as a backup that is restored is, may hold the only copy of its data: take the mark off that; nothing here keeps or deletes it", kindOf(t), several(found))
}
