package plan

import (
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// fate is what the configuration says about something that it does not have any more.
type fate string

const (
	fateUnsaid  fate = ""
	fateDestroy fate = "destroy"
	fateForget  fate = "forget"
)

// Removals are the removed blocks of a configuration.
type Removals []model.Removal

// fate returns what the most specific block says that names an address.
func (r Removals) fate(a addr.Object) fate {
	said, by := fateUnsaid, addr.Address(nil)
	for _, removal := range r {
		if !removal.From.Contains(a) || by != nil && removal.From.Contains(by) {
			continue
		}
		said, by = fateForget, removal.From
		if removal.Destroy {
			said = fateDestroy
		}
	}
	return said
}

// Names tells whether a block says what becomes of an address.
func (r Removals) Names(a addr.Object) bool { return r.fate(a) != fateUnsaid }

// Forgets tells whether an address is to be forgotten, whatever is true of it.
func (r Removals) Forgets(a addr.Object) bool { return r.fate(a) == fateForget }

// tearDown tells whether a block says that the whole cloud is to go.
func (r Removals) tearDown() bool {
	return slices.ContainsFunc(r, func(removal model.Removal) bool {
		module, is := removal.From.(addr.Module)
		return is && module.IsRoot() && removal.Destroy
	})
}

// left tells of objects that an entry's thing has replaced, which are not deleted any more once it is
// forgotten.
func left(entry *inventory.Entry) string {
	if len(entry.Former) == 0 {
		return ""
	}
	var ids []string
	for _, f := range entry.Former {
		ids = append(ids, f.ID)
	}
	return "; what it has replaced was still to be deleted, and stays as well: " + strings.Join(ids, ", ")
}

// Departed is [Vanished] together with what the removed blocks say; disabled tells that a service has
// enabled = false, and cleanUp what goes with it then.
func Departed(entry *inventory.Entry, state unit.State, removals Removals, disabled bool, cleanUp []string) Change {
	switch removals.fate(entry.Address) {
	case fateForget:
		return Change{
			Address: entry.Address, Class: entry.Class, Kind: entry.Locator.Kind, Action: unit.ActionForget,
			Reason: "destroy = false in its removed block: it stays, and is not managed any more" + left(entry),
		}
	case fateDestroy:
		c := Vanished(entry, state, true)
		if c.Action == unit.ActionDelete {
			c.Reason = "its removed block says so"
			if removals.tearDown() {
				c.Reason = "the cloud is removed"
			}
		}
		if removals.takesData(entry) {
			c.takeData(entry, state)
		}
		return c
	default:
		c := Vanished(entry, state, disabled)
		late := c.Action == unit.ActionDelete && state.TooLate || c.Action == unit.ActionForget && entry.Applied != ""
		if missed := without(cleanUp, CleanedUp(entry, state)); late && len(missed) > 0 {
			c.block(tooLate(missed) + "; " + insteadOf(missed, entry.Address))
		}
		if c.Action == unit.ActionDelete && !state.TooLate {
			c.Cost = costOfCleanUp(cleanUp)
			if why := stuck(cleanUp, state); why != "" {
				c.block(why)
			}
		}
		return c
	}
}

// stuck says why what is to go with a service cannot, "" where it can.
func stuck(cleanUp []string, state unit.State) string {
	var reasons []string
	for _, name := range cleanUp {
		if why := state.Stuck[name].Why; why != "" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	return strings.Join(reasons, "; ")
}

// unstick lets go what only services have as well that go, too: the last of them takes it along.
func (p *Plan) unstick(in *Input) {
	again := false
	for i := range in.Entries {
		e := &in.Entries[i]
		state, cleanUp := in.Seen(e.Address), in.CleanUps[e.Address]
		c := p.Change(e.Address)
		if why := stuck(cleanUp, state); why == "" || c == nil || c.Action != unit.ActionBlocked || c.Reason != why {
			continue
		}
		if slices.ContainsFunc(cleanUp, func(name string) bool { return state.Stuck[name].Why != "" && !p.allGo(in, state.Stuck[name].By) }) {
			continue
		}
		state.Stuck = nil
		without := Departed(e, state, in.Removals, in.Removed[e.Address], cleanUp)
		c.Action, c.Wanted, c.Reason = without.Action, without.Wanted, without.Reason
		again = true
	}
	if again {
		p.unstick(in) // it may have been in the way of another one
	}
}

// allGo tells whether all releases are those of services that are deleted; false for none.
func (p *Plan) allGo(in *Input, releases []unit.Locator) bool {
	for _, at := range releases {
		if !slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool {
			same := e.Locator.Driver == at.Driver && e.Locator.Kind == at.Kind && e.Locator.Namespace == at.Namespace && e.Locator.Name == at.Name
			c := p.Change(e.Address)
			return same && c != nil && c.Action == unit.ActionDelete
		}) {
			return false
		}
	}
	return len(releases) > 0
}

// costOfCleanUp says what is lost with a service beside its release, "" for nothing.
func costOfCleanUp(names []string) string {
	var lost []string
	for _, name := range schema.Leftovers() {
		if !slices.Contains(names, name) {
			continue
		}
		switch name {
		case schema.LeftCatalogue:
			name = "its entries in the catalogue"
		case schema.LeftUsers:
			name = "its users in Keystone unless another region has the service"
		case schema.LeftMessaging:
			name = "its user and virtual host in RabbitMQ"
		case schema.LeftDatabase:
			name = "its databases with all that is in them"
		case schema.LeftPools:
			name = "its pools in Ceph with all that is in them"
		}
		lost = append(lost, name)
	}
	if len(lost) == 0 {
		return ""
	}
	return "deleted with it: " + strings.Join(lost, ", ")
}
