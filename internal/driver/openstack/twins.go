package openstack

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lending is a kind whose mark OpenStack itself copies to what it makes from an object.
type lending interface {
	// lent tells whether another object may have its mark from there.
	lent(from, other *object) bool
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
