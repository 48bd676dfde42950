package openstack

import (
	"context"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// trailing is a kind of which something is left in another service after an object has gone, and is of no use to anybody
// then. As the service may refuse to delete the object, it goes last. A process that is killed in between finds it by the
// id of the object, which stays on record until it has gone.
type trailing interface {
	// trail says what it is.
	trail() string
	// trails returns those of some objects that are gone of which it is there. It must not bring it about.
	trails(ctx context.Context, s *session, ids []string) ([]string, error)
	// sweep deletes it. That there is none is no error, nor that somebody has a use for it.
	sweep(ctx context.Context, s *session, id string) error
}

// trails says what is left of targets that are not wanted any more, and that we have begun to delete, or why that is not known.
func (d *Driver) trails(ctx context.Context, s *session, k kind, targets []unit.Target, matches map[addr.Object]match, left map[addr.Object]string, failures map[addr.Object]error) {
	by, ok := k.(trailing)
	if !ok {
		return
	}
	var ids []string
	gone := slices.DeleteFunc(slices.Clone(targets), func(t unit.Target) bool {
		m, seen := matches[t.Address]
		return !seen || m.object != nil || !t.Deleted || t.ID == "" || resource(t) != nil
	})
	for _, t := range gone {
		ids = append(ids, t.ID)
	}
	if ids == nil {
		return
	}
	there, err := by.trails(ctx, s, ids)
	for _, t := range gone {
		if err != nil {
			failures[t.Address] = err
		}
		if slices.Contains(there, t.ID) {
			left[t.Address] = by.trail()
		}
	}
}

// sweep deletes what is left of an object that is gone.
func (d *Driver) sweep(ctx context.Context, s *session, k kind, id string) error {
	if by, ok := k.(trailing); ok && id != "" {
		return by.sweep(ctx, s, id)
	}
	return nil
}
