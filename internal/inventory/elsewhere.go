package inventory

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Has tells whether something with an id is on record at another address than one, where l says of what kind that is and where it may
// be. It looks at all entries, as [Inventory.Parts] does, so both are for what is seldom asked.
func (i *Inventory) Has(l unit.Locator, id string, but addr.Object) bool {
	return i.some(but, func(e Entry) bool { return e.ID == id && id != "" && alike(e.Locator, l) })
}

// Parts tells whether another address is about to part with something: it is on record until it is deleted.
func (i *Inventory) Parts(l unit.Locator, id string, but addr.Object) bool {
	return i.some(but, func(e Entry) bool {
		return e.Phase == Deleting && e.ID == id && alike(e.Locator, l) ||
			slices.ContainsFunc(e.Former, func(f Former) bool { return f.ID == id && alike(f.Locator, l) })
	})
}

func (i *Inventory) some(but addr.Object, is func(Entry) bool) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	for a, entry := range i.entries {
		if a != but && is(entry) {
			return true
		}
	}
	return false
}

// alike tells whether an id may mean the same at two places: some are names, and each project or user has its own of those.
func alike(one, other unit.Locator) bool {
	return one.Kind == other.Kind && (one.User == "" || other.User == "" || one.User == other.User) &&
		(one.Project == "" || other.Project == "" || one.Project == other.Project)
}
