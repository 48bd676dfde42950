package plan

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Triggers returns digests of the values that a unit is replaced for when they change, with the
// outputs of what it depends on; nil without such values, and while not all of them are known.
func Triggers(u *unit.Unit, outputs func(addr.Object) cty.Value, marker inventory.Marker) []string {
	if !Triggered(u) {
		return nil
	}
	values, diags := u.Spec.(*unit.Resource).Triggers(knownOutputs(u, outputs))
	if diags.HasErrors() || values == cty.NilVal {
		return nil
	}
	values, _ = values.UnmarkDeep()
	if !values.IsWhollyKnown() {
		return nil
	}
	var digests []string
	for it := values.ElementIterator(); it.Next(); {
		_, v := it.Element()
		text, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			return nil // it has no text, so nobody can tell whether it changes
		}
		digests = append(digests, marker.Digest(string(text)))
	}
	return digests
}

// Triggered tells whether a unit has values that it is replaced for when they change.
func Triggered(u *unit.Unit) bool {
	resource, ok := u.Spec.(*unit.Resource)
	return ok && resource.Triggers != nil
}

// trigger makes a replacement of a change when a value is another one than when the object was made.
// What was made with another number of values was made for another list: that is no change of a
// value.
func (c *Change) trigger(entry *inventory.Entry, target unit.Target, state unit.State) {
	if entry == nil || state.Existence != unit.Present || !state.Owned || state.Health == unit.HealthProgressing ||
		len(entry.Triggers) != len(target.Triggers) || c.Action == unit.ActionBlocked {
		return
	}
	for i, was := range entry.Triggers {
		if target.Triggers[i] == was {
			continue
		}
		c.Heals, c.Waits = false, false // another one is made anyway
		c.Action, c.Reason, c.Drift = unit.ActionReplace, "a value in its lifecycle's replace_triggered_by is another one than when it was made", false
		c.Fields = append(c.Fields, triggered(i, "(another value)"))
	}
}

// triggered says that one of the values is another one.
func triggered(i int, after string) unit.Field {
	return unit.Field{Path: fmt.Sprintf("lifecycle.replace_triggered_by[%d]", i), Before: "(as it was made)", After: after, Effect: unit.Replace}
}
