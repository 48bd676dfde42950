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
	// made tells of an object by itself that it was made from another one.
	made(o *object) bool
}

// copied tells whether an object cannot have a mark from us, which we look for as no id is on record: before the first attempt
// to create something, after one that was cut off, and when another thing takes the place of what was deleted. Anybody can
// copy the mark to what is theirs, and OpenStack does for them. What we make is in the project that is wanted, and of what
// such a kind lends its mark to, that alone has the wanted name.
func copied(k kind, s *session, t unit.Target, want cty.Value, o *object) bool {
	l, lends := k.(lending)
	r := resource(t)
	switch {
	case lends && l.made(o):
		return true
	case r == nil || lookup(t):
		return false
	case lends && l.lent(&object{title: nameOf(k, t, want)}, o):
		return true
	}
	if _, everywhere := k.(keyed); everywhere || s == nil || scopeName(r) == domainAttribute { // no tenant makes what is in a domain
		return false
	}
	scope, known := scopeOf(k, r, want, s)
	return known && scope != "" && scope != noPlace && o.scope != "" && o.scope != scope
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
