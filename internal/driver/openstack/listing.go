package openstack

import (
	"cmp"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// listing is the list of a kind, by all that its objects are searched by, so that many are found in one go. It is used
// by one goroutine.
type listing struct {
	all             []*object
	byID            map[string]*object
	byMark, byTitle map[string][]*object // made when they are needed, as what is on record is found by its id
}

func indexed(objects []*object) *listing {
	l := &listing{all: objects, byID: make(map[string]*object, len(objects))}
	for _, o := range objects {
		if l.byID[o.id] == nil {
			l.byID[o.id] = o
		}
	}
	return l
}

// marked are the objects with one of these marks.
func (l *listing) marked(marks []string) []*object {
	if l.byMark == nil {
		l.byMark = grouped(l.all, func(o *object) string { return o.mark })
	}
	var found []*object
	for i, mark := range marks {
		if mark != "" && !slices.Contains(marks[:i], mark) {
			found = append(found, l.byMark[mark]...)
		}
	}
	slices.SortFunc(found, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
	return found
}

// titled are the objects of a name, whichever way its characters are put together: what is written is in one of them, and
// OpenStack keeps names as they come.
func (l *listing) titled(name string) []*object {
	if l.byTitle == nil {
		l.byTitle = grouped(l.all, func(o *object) string { return cty.NormalizeString(o.title) })
	}
	return l.byTitle[name]
}

func grouped(objects []*object, key func(*object) string) map[string][]*object {
	all := map[string][]*object{}
	for _, o := range objects {
		all[key(o)] = append(all[key(o)], o)
	}
	delete(all, "") // nothing is searched for without
	return all
}
