package engine

import (
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What needs a thing goes before it. Some of it cannot, for the state that the thing is in, and goes with it: see
// [unit.FollowsError]. To wait for that would be to wait for ever.

// before are those that need a thing and go before it.
func (e *Engine) before(a addr.Object) []addr.Object {
	entry, _ := e.entry(a)
	heir := e.heir(&entry)
	return slices.DeleteFunc(e.dependents(a), func(user addr.Object) bool {
		// What needs the heir now waits for it: were its record of before to hold this back, both would wait for each other for good.
		return e.follows(user, &entry) || heir != nil && e.needs(e.loops[user], heir.address, map[*loop]bool{})
	})
}

// follows tells whether something that is to be deleted can only go with the object of an entry, or with one that this has
// replaced.
func (e *Engine) follows(user addr.Object, entry *inventory.Entry) bool {
	id, l := e.with[user], e.loops[user]
	if id == "" || l == nil || l.unit != nil && !e.condemned(l) {
		return false
	}
	return id == entry.ID || slices.ContainsFunc(entry.Former, func(f inventory.Former) bool { return f.ID == id })
}

// noteFollows keeps what something can only go with, as its deletion said that failed last, and has that look again.
func (e *Engine) noteFollows(l *loop, err error) {
	delete(e.with, l.address)
	if id := unit.FollowsOf(err); id != "" {
		if e.with == nil {
			e.with = map[addr.Object]string{}
		}
		e.with[l.address] = id
		e.wakeDeleting()
	}
}

// wakeFollowers has those look again that may have gone with something.
func (e *Engine) wakeFollowers() {
	for a := range e.with {
		if l := e.loops[a]; l != nil {
			l.wake, l.dirty = time.Time{}, true
		}
	}
	clear(e.with)
}
