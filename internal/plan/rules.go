package plan

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The codes of refusals.
const (
	CodeImmutable diag.Code = "plan.immutable"
	CodeEmpty     diag.Code = "plan.empty-configuration"
	CodeUpgrade   diag.Code = "plan.release-change"
	CodeNoRecord  diag.Code = "plan.no-record"
	CodeTooLate   diag.Code = "plan.too-late"
	CodeCrash     diag.Code = "plan.crash"
	CodeQuota     diag.Code = "plan.quota" // only warns
)

// keystone is the service that every other API needs to know who is asking.
const keystone = "keystone"

// nova is the service that has instances.
const (
	nova         = "nova"
	kindInstance = "instance"
)

// admit holds back what must not happen, and refuses the plan where it cannot be right at all.
func (p *Plan) admit(in *Input) {
	p.refuseEmpty(in)
	p.refuseImmutable(in)
	p.refuseTooLate(in)
	p.unstick(in)
	p.keepOwners(in)
	p.keepNames(in)
	p.keepReleases(in)
	p.keepDoubted(in)
	p.keepLost(in)
	p.keepPath(in)
	p.keepAPIs(in)
	p.keepNeeded(in)
	p.keepRunning(in)
	p.keepHosts(in)
	p.keepPods(in)
	p.keepUsed(in)
	p.keepInhabited(in)
	p.keepShared(in)
	p.brake(in) // with what waits for the world, or the same commit would have it go later, as if nothing had gone before
	p.requireObservation(in)
	p.keepUsed(in) // with what the rules before it hold back
	p.keepShared(in)
	p.keepRecords(in)
	p.asks, p.leaving = p.asksHosts(in), p.findLeaving(in)
}

// refuseEmpty stands against a configuration that lost everything: a wrong path, a bad merge.
func (p *Plan) refuseEmpty(in *Input) {
	if len(in.Entries) == 0 || slices.ContainsFunc(in.Units, func(u unit.Unit) bool { return u.Class != unit.ClassSystem }) {
		return
	}
	if !slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool {
		return e.Class != unit.ClassSystem && !e.Stays && !in.Removed[e.Address] && !in.Removals.Names(e.Address)
	}) {
		return // all that there is stays, or is named as what is to go
	}
	p.Refused = append(p.Refused, diag.Diagnostic{
		Code: CodeEmpty, Summary: "the configuration asks for nothing, though it did before",
		Detail: "Nothing is deleted for that.",
		Hint:   "check the path; what is to go can be taken out block by block",
	})
}

// keepAPIs keeps a service while resources that only it can reach stay on record. Those that the same
// plan takes away go before it.
func (p *Plan) keepAPIs(in *Input) {
	left := map[string]int{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if c := p.Change(e.Address); e.Class == unit.ClassResource && (c == nil || c.Action != unit.ActionDelete && c.Action != unit.ActionForget) {
			left[in.Language.ServiceOf(e.Locator.Kind)]++
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if n := left[c.Address.Name()]; c.Class == unit.ClassService && c.Action == unit.ActionDelete && n > 0 {
			c.block(fmt.Sprintf("resources of the inventory can be reached only through it (%d): take them out first", n))
		}
	}
}

func entryOf(entries []inventory.Entry, a addr.Object) *inventory.Entry {
	for i := range entries {
		if entries[i].Address == a {
			return &entries[i]
		}
	}
	return nil
}

// requireObservation keeps everything of a system that could not be seen completely.
func (p *Plan) requireObservation(in *Input) {
	if !p.has((*Change).deletes) {
		return
	}
	blind := map[unit.DriverName]bool{}
	drivers := map[addr.Object]unit.DriverName{}
	for i := range in.Units {
		drivers[in.Units[i].Address] = in.Units[i].Spec.Driver()
	}
	for i := range in.Entries {
		drivers[in.Entries[i].Address] = in.Entries[i].Locator.Driver
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		state := in.Seen(c.Address)
		if c.Action == unit.ActionUnknown || c.Action == unit.ActionBlocked && state.Existence == unit.Unknown || len(state.Unseen) > 0 && !c.Later {
			blind[drivers[c.Address]] = true
		}
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.deletes() && blind[drivers[c.Address]] {
			c.block("the observation is incomplete, and nothing is deleted then")
		}
	}
}

// deletes tells whether a change deletes anything.
func (c *Change) deletes() bool { return c.Action.Destroys() || c.prunes() }

// has tells whether the plan has such a change. The rules that hold something back look there first: mostly there is none, and
// what they would gather for it grows with the inventory.
func (p *Plan) has(such func(*Change) bool) bool {
	for i := range p.Changes {
		if such(&p.Changes[i]) {
			return true
		}
	}
	return false
}

// prunes tells whether a change goes on with what else it has to do, and deletes objects by that.
func (c *Change) prunes() bool { return c.Prunes > 0 && c.Action.Changes() }
