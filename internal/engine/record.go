package engine

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// intend records in the inventory what may exist from now on, and, where objects are pruned, what may not any more.
func (e *Engine) intend(ctx context.Context, deployment inventory.Deployment, who plan.Identity, u *unit.Unit, state unit.State, target unit.Target, desired cty.Value, prunes bool) error {
	if deployment != (inventory.Deployment{}) {
		if err := e.Inventory.SetDeployment(ctx, deployment); err != nil {
			return err
		}
	}
	entry := who.Take(e.entryOf(who, u, state), state)
	entry.CleanedUp, entry.Data = nil, nil
	if entry.Applied = plan.Lasting(&entry); prunes {
		entry.Applied = unit.Outlasting(entry.Applied, plan.Applied(u, desired))
	}
	if state.Existence == unit.Absent {
		lost := entry.LostIDs(plan.Applied(u, desired))
		before := cmp.Or(state.Before, e.foretold(u, target, desired), entry.Before)
		entry = who.Anew(entry)
		entry.Lost, entry.Before = lost, before
		r, creates := u.Spec.(*unit.Resource)
		entry.Attempted = creates && !r.Lookup
		entry.Locator.Project, entry.Locator.User = projectOf(desired, state), state.User
		entry.Triggers, entry.Sensitive, entry.Fixed = target.Triggers, target.Sensitive, u.Fixed
	}
	// What is ignored is set until all that is written was there once.
	makes := state.Existence == unit.Absent || state.Owned && !target.Complete && !target.Imported && !target.Fresh
	entry.Set = plan.Setting(u, desired, entry, makes)
	entry.Address, entry.Class, entry.Stays = u.Address, u.Class, u.Stays
	entry.PreventDestroy = entry.PreventDestroy || u.PreventDestroy // see [Engine.protect]
	entry.Healing = cmp.Or(target.Remedy, entry.Healing)
	entry.Locator = joined(entry.Locator, u.Spec.Locator())
	if entry.Locator.Kind == unit.KindRelease && deployment != (inventory.Deployment{}) {
		entry.Deployment = &deployment
	}
	for _, edge := range inventory.RunEdges(u) { // the old ones still hold for what exists
		if !slices.Contains(entry.Edges, edge) {
			entry.Edges = append(slices.Clone(entry.Edges), edge)
		}
	}
	if err := e.Inventory.Put(ctx, entry); err != nil || !isService(u.Class) {
		return err
	}
	return e.Inventory.SetInstalled(ctx, u.Address) // last, so that it is on record at any time
}

// foretold is what was there before what is made now, where no look could tell.
func (e *Engine) foretold(u *unit.Unit, target unit.Target, desired cty.Value) *unit.Before {
	if c, ok := e.Drivers[u.Spec.Driver()].(*contained); ok {
		if driver, ok := c.Driver.(Foreteller); ok {
			return driver.Foretell(target, desired)
		}
	}
	return nil
}

// projectOf is the project that something absent is about to be created in, "" where it lives in none or that is not
// known. It is all that tells where to look for it when it is not wanted any more before its id is known.
func projectOf(desired cty.Value, state unit.State) string {
	if state.Project == "" || desired == cty.NilVal || desired.IsNull() || !desired.Type().IsObjectType() || !desired.Type().HasAttribute("project") {
		return state.Project
	}
	named, marks := desired.GetAttr("project").UnmarkDeep()
	switch {
	case named.IsKnown() && named.IsNull():
		return state.Project
	case len(marks) > 0 || !named.IsKnown() || named.Type() != cty.String:
		return "" // a secret is not put on record
	}
	return named.AsString()
}

// entryOf returns the entry of a unit, or the first one for what was seen of it.
func (e *Engine) entryOf(who plan.Identity, u *unit.Unit, state unit.State) inventory.Entry {
	if entry, known := e.Inventory.Entry(u.Address); known {
		return entry
	}
	return who.First(u, state)
}

// joined is a locator of all that was there and all that will be.
func joined(old, wanted unit.Locator) unit.Locator {
	next := wanted
	next.Project, next.User = old.Project, old.User
	next.Objects = slices.Clone(wanted.Objects)
	for _, ref := range old.Objects {
		if !slices.Contains(next.Objects, ref) {
			next.Objects = append(next.Objects, ref)
		}
	}
	slices.SortFunc(next.Objects, unit.ObjectRef.Compare)
	return next
}

// confirm records what a step led to, as soon as an id is known or nothing is left to do. An object that a
// step came upon and that is not ours has an id, too: that is not put on record, or it would be taken for
// ours from then on.
func (e *Engine) confirm(ctx context.Context, u *unit.Unit, target unit.Target, desired cty.Value, state unit.State) error {
	if state.Existence != unit.Present || state.ID != "" && !state.Owned {
		return nil
	}
	entry, known := e.Inventory.Entry(u.Address)
	if !known {
		return nil
	}
	entry = found(entry, state)
	target.ID, target.Fresh = entry.ID, false
	if state.Installed && e.Drivers[u.Spec.Driver()].Compare(target, desired, state).Action == unit.ActionNone {
		entry = done(entry, u, desired, target)
	}
	return e.Inventory.Put(ctx, entry)
}

// found is the entry of a unit that exists.
func found(entry inventory.Entry, state unit.State) inventory.Entry {
	entry.Phase, entry.Again, entry.Attempted = inventory.Owned, false, false
	if state.ID != "" {
		entry.ID, entry.Before = state.ID, nil
	}
	if state.Project != "" {
		entry.Locator.Project = state.Project
	}
	if state.User != "" {
		entry.Locator.User = state.User
	}
	if state.Ready() && plan.Healthy(entry.Healing, time.Now()) {
		entry.Healing = nil
	}
	if state.Run != nil {
		if entry.Run = state.Run; !state.Run.Open() {
			entry.Edges = nil // nothing is left that would need anything
		}
	}
	return entry
}

// done is the entry of a unit that is as it was wanted.
func done(entry inventory.Entry, u *unit.Unit, desired cty.Value, target unit.Target) inventory.Entry {
	switch {
	case !plan.Triggered(u):
		entry.Triggers = nil
	case target.Triggers != nil && len(entry.Triggers) != len(target.Triggers):
		entry.Triggers = target.Triggers // those it was made with are not on record, or were others altogether
	}
	entry.Sensitive, entry.Fixed, entry.Set = plan.Remembered(u, desired, target.Sensitive, entry), u.Fixed, plan.Set(u, desired, entry)
	project, user := entry.Locator.Project, entry.Locator.User
	entry.Phase, entry.Applied = inventory.Owned, plan.Applied(u, desired)
	if entry.Healing != nil && entry.Healing.For != entry.Applied {
		entry.Healing = nil
	}
	entry.Locator, entry.Edges = u.Spec.Locator(), inventory.EdgesOf(u)
	entry.Locator.Project, entry.Locator.User = project, user
	entry.Class, entry.PreventDestroy, entry.Stays = u.Class, entry.PreventDestroy || u.PreventDestroy, u.Stays
	return entry
}

// unrecorded tells whether the inventory does not say yet that a unit is as it should be. What we delete, to
// make it anew, is not: a driver that lets it go in peace finds nothing to do, and with another record its end
// would be taken for somebody else's doing.
func (e *Engine) unrecorded(l *loop, desired cty.Value) bool {
	entry, known := e.Inventory.Entry(l.address)
	if known && entry.Phase == inventory.Deleting && l.state.Health == unit.HealthProgressing {
		return false
	}
	return !known || !reflect.DeepEqual(entry, done(found(entry, *l.state), l.unit, desired, l.decided.target())) || e.undeployed(&entry)
}

// undeployed tells whether the inventory has lost, or never had, what cloud a release belongs to.
func (e *Engine) undeployed(entry *inventory.Entry) bool {
	deployment := e.revision.Deployment
	return entry.Locator.Kind == unit.KindRelease && deployment != (inventory.Deployment{}) &&
		(entry.Deployment == nil || *entry.Deployment != deployment || e.Inventory.Deployment() == nil)
}

// settle records that a unit is as it should be: found so, or left so by a process that was killed
// before it could say it.
func (e *Engine) settle(calls context.Context, l *loop, desired cty.Value) {
	u, state, deployment, who, target := l.unit, *l.state, e.revision.Deployment, e.identity(), l.decided.target()
	e.begin(l, u.Spec.Driver(), func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		err := e.intend(ctx, deployment, who, u, state, target, desired, false)
		if err == nil {
			entry, _ := e.Inventory.Entry(u.Address)
			err = e.Inventory.Put(ctx, done(found(entry, state), u, desired, target))
		}
		return func() {
			if err != nil {
				l.failed = ""
				e.failed(l, err)
			}
			e.wakeVanished() // what this one needed before it needs no more
		}
	})
}

// noteHealing keeps what is on record of attempts to heal, for the report.
func (e *Engine) noteHealing(l *loop, healing *unit.Healing) {
	if text := plan.Healed(healing); text != l.healed {
		l.healed, e.changed = text, true
	}
}
