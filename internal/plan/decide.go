package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Compare is a driver's pure comparison.
type Compare func(target unit.Target, desired cty.Value, state unit.State) unit.Diff

// Change is what is to happen to one unit, or to what is left of one.
type Change struct {
	Address addr.Object
	Class   unit.Class
	Kind    string // "release", "network"
	// From is the address that it is recorded under until now; zero for what does not move.
	From   addr.Object
	Action unit.Action
	// Wanted is what would happen if the action were not blocked.
	Wanted unit.Action
	Fields []unit.Field
	Reason string
	Cost   string
	// Stops are the DaemonSets whose pods end by it.
	Stops []unit.Stop
	// Prunes is how many objects are deleted by it that somebody has taken out of a manifest.
	Prunes int
	// Closes says why nothing would run after it of a service that OpenStack is reached through.
	Closes string
	// Continues tells that this goes on with what was begun.
	Continues bool
	// Waits tells that nothing is done about it for now, as something else goes on by itself.
	Waits bool
	// Serves tells that others need not wait for the end of it, see [unit.Diff.Serves].
	Serves bool
	// Ends tells that what the unit waits for need not be there, see [unit.Diff.Ends].
	Ends bool
	// Heals tells that it is a remedy for what failed by itself, see [unit.Diff.Heals].
	Heals bool
	// Mends are what somebody changed of what is in force, and is put back whatever holds back the action,
	// see [Change.Mending].
	Mends []unit.Field
	// CreateFirst tells of a replacement that the new one is created before the old one is deleted.
	CreateFirst bool
	// Data are the claims to volumes that are deleted with it, nil where its data stays.
	Data *unit.Data
	// Later tells that this is decided for good only once what it depends on is there. Nothing is done
	// by it.
	Later bool
	// Drift tells that the world moved, not the configuration.
	Drift bool
	// Lost tells of what is created that it was there before, and was deleted outside of the configuration.
	// It counts as drift only where nothing else about it is another one than when it was made.
	Lost bool
	// Again tells of what is created that we have deleted ourselves to make it anew.
	Again bool
	// Suspended says until when, by whom and why it waits; "" where it does not. Only [Plan.Suspend] sets it.
	Suspended string
	Range     diag.Range

	delayed bool // see [Change.delay]
	doubted bool // see [Plan.keepDoubted]
}

// Desired returns the late value of a unit with the outputs of what it depends on; cty.NilVal for
// a unit without one.
func Desired(u *unit.Unit, outputs func(addr.Object) cty.Value) (cty.Value, diag.Diagnostics) {
	switch spec := u.Spec.(type) {
	case *unit.SmokeTest:
		return spec.Desired(knownOutputs(u, outputs)), nil
	case *unit.ProjectNamespace:
		return spec.Desired(knownOutputs(u, outputs)), nil
	case *unit.Resource:
		if spec.Resolve == nil {
			return spec.Desired, nil
		}
		return spec.Resolve(knownOutputs(u, outputs))
	default:
		return cty.NilVal, nil
	}
}

// knownOutputs are those of the units that one depends on.
func knownOutputs(u *unit.Unit, outputs func(addr.Object) cty.Value) map[addr.Object]cty.Value {
	known := map[addr.Object]cty.Value{}
	for _, e := range u.Edges {
		if value := outputs(e.To); value != cty.NilVal {
			known[e.To] = value
		}
	}
	return known
}

// Decide tells what is to be done about one wanted unit, by what was seen of it.
func Decide(u *unit.Unit, entry *inventory.Entry, target unit.Target, desired cty.Value, state unit.State, compare Compare) Change {
	c := Change{Address: u.Address, Class: u.Class, Kind: target.Locator.Kind, Range: u.Range}
	if state.Existence == unit.Unknown {
		c.Action, c.Reason = unit.ActionUnknown, state.Message
		return c
	}
	diff := compare(target, desired, state)
	c.Action, c.Fields, c.Reason, c.Cost, c.Continues, c.Stops = diff.Action, diff.Fields, diff.Reason, diff.Cost, diff.Continues, diff.Stops
	c.Waits, c.Serves, c.Ends, c.Heals = diff.Waits, diff.Serves, diff.Ends, diff.Heals
	if u.Class == unit.ClassWorkload { // what we make ourselves comes and goes with nodes and kinds
		c.Prunes = diff.Prunes
	}
	if target.Imports() && c.Action == unit.ActionAdopt {
		c.Action = unit.ActionImport
	}
	met := entry != nil && entry.Phase == inventory.Owned && unit.SameSpec(entry.Applied, Applied(u, desired))
	c.Drift = met && c.Action.Changes() && !c.Continues
	stuck := met && c.Action == unit.ActionBlocked && diff.Differs && !asked(u, entry, target)
	c.Lost = c.Action == unit.ActionCreate && entry != nil && entry.Phase == inventory.Owned && entry.Applied != ""
	c.Again = c.Action == unit.ActionCreate && entry != nil && (entry.Phase == inventory.Deleting || entry.Phase == inventory.Intent && entry.Again)
	c.renew(u, entry, target, state)
	c.trigger(entry, target, state)
	if c.Action == unit.ActionReplace && diff.Unmakeable != "" {
		c.block(diff.Unmakeable)
	}
	if c.Heals {
		c.heal(target.Heal)
	}
	c.leave(target)
	if c.Action.Changes() {
		c.Closes = u.Closes
	}
	switch {
	case state.Withheld != "":
		c.Action, c.Reason, c.Fields, c.Drift, c.Lost = unit.ActionBlocked, state.Withheld, nil, false, false
	case c.Action == unit.ActionCreate && target.ByImport && u.Drift != unit.DriftCorrect && (entry == nil || entry.Phase != inventory.Deleting):
		c.Wanted, c.Action, c.Drift, c.Reason = c.Action, unit.ActionNone, true, importedGone
	case (c.Drift || stuck) && u.Drift == unit.DriftIgnore && state.Existence == unit.Present:
		c.Action, c.Fields, c.Drift = unit.ActionNone, nil, false
		if stuck {
			c.Reason = ""
		}
	case stuck && u.Drift == unit.DriftReport:
		c.Action, c.Drift, c.Reason = unit.ActionNone, true, "drift is only reported, and this cannot be put back: "+c.Reason
	case c.Drift && u.Drift == unit.DriftReport:
		c.Wanted, c.Action = c.Action, unit.ActionNone
		c.Reason = "drift is only reported"
		if state.Existence == unit.Absent {
			c.Reason = deletedOutside + ", and drift is only reported"
		}
	case c.Action == unit.ActionReplace && u.PreventDestroy:
		c.block(preventsReplacement)
	case c.Prunes > 0 && u.PreventDestroy:
		c.block(fmt.Sprintf("prevent_destroy forbids to delete what is not in it any more (%d): put that back, or take prevent_destroy out first", c.Prunes))
	case c.Action == unit.ActionReplace || c.Action == unit.ActionUpdate:
		c.consent(u, desired)
	}
	if state.Withheld == "" && entry != nil {
		c.mend(u.Drift, diff.Mends)
	}
	switch {
	case c.Reason != "":
	case c.Drift && state.Existence == unit.Absent, c.Lost:
		c.Reason = deletedOutside
	case c.Drift:
		c.Reason = changedOutside
	case c.Action == unit.ActionCreate && entry != nil && entry.Phase == inventory.Deleting:
		c.Reason = deletedByUs
	}
	return c
}

// Tell has a unit that is as it should be count as drifted where somebody should see to something about it. Nothing is
// done about that.
func (c *Change) Tell(state unit.State) {
	if state.Notice == "" || c.Action != unit.ActionNone || !state.Ready() {
		return
	}
	if c.Drift = true; c.Reason != "" {
		c.Reason += "; "
	}
	c.Reason += state.Notice
}

// mend takes what can be put back by itself, as far as the policy wants that. What is only reported is told
// where there is nothing else to tell.
func (c *Change) mend(policy unit.DriftPolicy, fields []unit.Field) {
	switch policy {
	case unit.DriftIgnore:
	case unit.DriftReport:
		if len(fields) > 0 && c.Held() {
			c.Fields, c.Drift = fields, true
			c.Reason += "; drift is only reported"
		}
	default:
		c.Mends = fields
	}
}

// Held tells whether nothing is done about a change now.
func (c *Change) Held() bool {
	return c.Action == unit.ActionBlocked || c.Action == unit.ActionDeferred || c.Action == unit.ActionUnknown
}

// Mending returns what is done before the change, or while that is held back: putting back what somebody
// changed of what is in force. Nothing that is admitted with the plan is done by it. False means that
// there is nothing of that kind.
func (c Change) Mending() (Change, bool) {
	if len(c.Mends) == 0 {
		return c, false
	}
	reason := c.Reason
	c.Action, c.Fields, c.Drift, c.Lost, c.Continues, c.Waits = unit.ActionUpdate, c.Mends, true, false, false, false
	c.Cost, c.Stops, c.Closes, c.Reason = "", nil, "", changedOutside
	if reason != "" {
		c.Reason += "; after that: " + reason
	}
	return c, true
}

const changedOutside = "it was changed outside of the configuration"

const deletedOutside = "it was deleted outside of the configuration"

// importedGone is of what somebody has deleted that was not of our making: another one would be empty.
const importedGone = deletedOutside + `, and as it was imported nothing is made in its place: to have that, write drift = "correct" in its lifecycle; else take its block out`

// deletedByUs is of what a replacement, or a block that was away for a while, has us create.
const deletedByUs = "it is made again: our own deletion of it is done"

const preventsReplacement = "it would have to be replaced, and prevent_destroy forbids that"

// Applied returns the digest that an entry has once a unit was applied with a late value. It covers
// what other units decide, so that a change of theirs is not taken for somebody's interference; but for a
// test, which is over then.
func Applied(u *unit.Unit, desired cty.Value) string {
	if _, test := u.Spec.(*unit.SmokeTest); test || desired == cty.NilVal {
		return u.Spec.Digest()
	}
	text, err := json.Marshal(unit.Visible(desired))
	if err != nil {
		return u.Spec.Digest()
	}
	sum := sha256.Sum256(append([]byte(u.Spec.Digest()), text...))
	return hex.EncodeToString(sum[:])
}

// NeedsAdmission tells whether a change may be made only if a plan of the whole has it: it deletes
// something, or takes something away from a node that instances may need, or ends pods there, or closes
// the way to OpenStack.
func (c *Change) NeedsAdmission() bool {
	return c.Action.Destroys() || c.Prunes > 0 || takesAway(c) || givesSlot(c) || endsPods(c) || c.Closes != ""
}

// Vanished tells what becomes of what the inventory has and the configuration does not have any
// more.
func Vanished(entry *inventory.Entry, state unit.State, removed bool) Change {
	c := Change{Address: entry.Address, Class: entry.Class, Kind: entry.Locator.Kind, Action: unit.ActionDelete, Reason: "it is no longer in the configuration"}
	explicit := entry.Class == unit.ClassService || entry.Class == unit.ClassInfrastructure
	switch {
	case entry.Locator.Keep:
		c.Action, c.Reason = unit.ActionNone, "it is kept"
	case explicit && !removed:
		c.Action = unit.ActionNone
		c.Reason = fmt.Sprintf("it is kept: a block that is taken away uninstalls nothing; write enabled = false in service %q for that", entry.Address.Name())
	case entry.Stays && !removed && (state.Existence != unit.Absent || len(entry.Former) > 0):
		c.Action, c.Reason = unit.ActionNone, "it stays: no rule of the configuration wants it now, and only a removed block deletes or forgets it"
	case entry.PreventDestroy && (state.Existence != unit.Absent || !Unborn(entry)): // else there was never anything to destroy
		c.block("prevent_destroy forbids that; take it out before the block")
	case state.Existence == unit.Unknown:
		c.block("it could not be observed")
	case state.Existence == unit.Absent && len(entry.Former) == 0:
		c.Action, c.Reason = unit.ActionForget, "it is gone already"
	case explicit:
		c.Reason = "enabled = false"
	}
	return c
}

// block turns a change into one that is held back, and says why.
func (c *Change) block(reason string) {
	if c.Action != unit.ActionBlocked {
		c.Wanted = c.Action
	}
	c.Action, c.Reason = unit.ActionBlocked, reason
}

// delay blocks a change by what may pass without another commit, so that the same one has it done later.
func (c *Change) delay(reason string) {
	c.block(reason)
	c.delayed = true
}
