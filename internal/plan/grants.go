package plan

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Claimed returns those of the roles that a block's thing on record is: they are the block's from then on.
func Claimed(grants []unit.Grant, entries []inventory.Entry, claims Claims) []unit.Grant {
	var claimed []unit.Grant
	for _, g := range grants {
		if slices.ContainsFunc(entries, func(e inventory.Entry) bool {
			return e.Locator.Driver == unit.OpenStack && e.ID != "" && claims(g, e.Locator, e.ID)
		}) {
			claimed = append(claimed, g)
		}
	}
	return claimed
}

// Claims tells whether a thing on record is the very role that our user has given itself.
type Claims func(g unit.Grant, l unit.Locator, id string) bool

// Needs tells whether a thing needs a role that our user has given itself, goes being whether it is to be deleted. Of one
// whose project or id is not known yet nobody can say, so it does.
type Needs func(g unit.Grant, l unit.Locator, id string, goes bool) bool

// Unneeded returns the roles that our user has given itself and that nothing on record needs any more, nor anything
// that is wanted and not on record yet.
func Unneeded(grants []unit.Grant, units []unit.Unit, entries []inventory.Entry, needs Needs) []unit.Grant {
	unneeded := slices.Clone(grants)
	keep := func(l unit.Locator, id string, goes bool) {
		if l.Driver == unit.OpenStack {
			unneeded = slices.DeleteFunc(unneeded, func(g unit.Grant) bool { return needs(g, l, id, goes) })
		}
	}
	known := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		known[e.Address.String()] = true
		l := e.Locator
		switch {
		case l.Kind == unit.KindSmokeTest && !e.Run.Open():
			continue // its next run has our user give itself the role again
		case e.Run.Open():
			l.Project = e.Run.Project // a test works where its run does
		}
		keep(l, e.ID, e.Phase == inventory.Deleting)
		for _, f := range e.Former {
			keep(f.Locator, f.ID, true)
		}
	}
	for i := range units {
		u := &units[i]
		if r, ok := u.Spec.(*unit.Resource); ok && r.Lookup || known[u.Address.String()] {
			continue
		}
		keep(u.Spec.Locator(), "", false)
	}
	return unneeded
}
