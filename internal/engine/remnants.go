package engine

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
)

// What a service has left that was uninstalled before goes with the cloud where that is asked for, as if the service
// were still on record. It is put there once the deletion begins, so that a process that is killed goes on with the
// same claims.

// entries are all that is on record, and what goes with a revision besides.
func (e *Engine) entries(r *Revision) []inventory.Entry {
	entries := e.Inventory.Entries()
	for _, remnant := range e.remnants(r) {
		if !slices.ContainsFunc(entries, func(entry inventory.Entry) bool { return entry.Address == remnant.Address }) {
			entries = append(entries, remnant)
		}
	}
	return entries
}

// remnants are the records of services that are gone, whose data a revision takes away.
func (e *Engine) remnants(r *Revision) []inventory.Entry {
	if r == nil || len(r.Removals) == 0 {
		return nil
	}
	who := plan.Identity{Marker: e.Marker, Used: e.Inventory.UsesUID, Removals: r.Removals}
	return who.Remnants(e.Inventory.Uninstalled(), e.Inventory.Deployment())
}

// remnant is the record of one of these.
func (e *Engine) remnant(a addr.Object) (inventory.Entry, bool) {
	for _, remnant := range e.remnants(e.revision) {
		if remnant.Address == a {
			return remnant, true
		}
	}
	return inventory.Entry{}, false
}
