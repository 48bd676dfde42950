package inventory

import (
	"cmp"
	"context"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Grants returns the roles that our user has given itself, or was about to, in order. What is not among them was
// given by somebody else, and stays.
func (i *Inventory) Grants() []unit.Grant {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return slices.Clone(i.record.Grants)
}

// AddGrant records a role before our user gives it to itself; nothing is written when it is stored already.
func (i *Inventory) AddGrant(ctx context.Context, g unit.Grant) error {
	return i.note(ctx, func(r *record) bool {
		if slices.ContainsFunc(r.Grants, g.Same) {
			return false
		}
		r.Grants = append(slices.Clone(r.Grants), g)
		slices.SortFunc(r.Grants, func(a, b unit.Grant) int {
			return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.User, b.User), cmp.Compare(a.Role, b.Role))
		})
		return true
	})
}

// DropGrant takes from the record a role that was taken back. Retrying after an error is safe.
func (i *Inventory) DropGrant(ctx context.Context, g unit.Grant) error {
	return i.note(ctx, func(r *record) bool {
		if !slices.ContainsFunc(r.Grants, g.Same) {
			return false
		}
		r.Grants = slices.DeleteFunc(slices.Clone(r.Grants), g.Same)
		return true
	})
}
