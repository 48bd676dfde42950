package plan

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ReleaseHolder returns what else has the release of a unit that is not on record itself, the zero address for nothing. By the
// release alone that cannot be told from one that an earlier installation left.
func ReleaseHolder(u *unit.Unit, entries []inventory.Entry) addr.Object {
	at := u.Spec.Locator()
	if at.Driver != unit.Helm || at.Kind != unit.KindRelease {
		return addr.Object{}
	}
	var holder addr.Object
	for i := range entries {
		e := &entries[i]
		if e.Address == u.Address {
			return addr.Object{}
		}
		if e.Locator.Driver == at.Driver && e.Locator.Kind == at.Kind && e.Locator.Namespace == at.Namespace && e.Locator.Name == at.Name {
			holder = e.Address
		}
	}
	return holder
}

// HeldRelease says that a unit has the release of another one.
func HeldRelease(u *unit.Unit, holder addr.Object) string {
	at := u.Spec.Locator()
	return fmt.Sprintf("the release %s/%s is that of %s, which is on record: to give it another address, write a moved block; otherwise this waits until that one is uninstalled, or forgotten by a removed block with destroy = false",
		at.Namespace, at.Name, holder)
}

// keepReleases has no unit take over the release of another one, which would be uninstalled below it.
func (p *Plan) keepReleases(in *Input) {
	for i := range in.Units {
		u := &in.Units[i]
		c := p.Change(u.Address)
		if c == nil || !c.Action.Changes() || in.Seen(u.Address).Existence != unit.Present {
			continue
		}
		if holder := ReleaseHolder(u, in.Entries); !holder.IsZero() {
			c.block(HeldRelease(u, holder))
		}
	}
}
