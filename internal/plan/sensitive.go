package plan

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Revealed returns a unit that knows the values of the Secrets that it is made from, as far as they
// were seen.
func Revealed(u *unit.Unit, state unit.State) *unit.Unit {
	resource, ok := u.Spec.(*unit.Resource)
	if !ok || resource.Reveal == nil || len(state.Secrets) == 0 {
		return u
	}
	revealed := *u
	revealed.Spec = resource.Reveal(state.Secrets)
	return &revealed
}

// Sensitive returns digests of the attributes of a late value that hold something sensitive, by their
// names, as far as they are known; nil without any.
func Sensitive(desired cty.Value, marker inventory.Marker) map[string]string {
	if desired == cty.NilVal || !desired.Type().IsObjectType() || !desired.ContainsMarked() {
		return nil
	}
	desired, _ = desired.Unmark()
	var digests map[string]string
	for name := range desired.Type().AttributeTypes() {
		v := desired.GetAttr(name)
		if !v.ContainsMarked() || !v.IsWhollyKnown() {
			continue
		}
		v, _ = v.UnmarkDeep()
		text, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			continue // it has no text, so nobody can tell whether it changes
		}
		if digests == nil {
			digests = map[string]string{}
		}
		digests[name] = marker.Digest(name + "\x00" + string(text))
	}
	return digests
}

// Remembered returns the digests that go on record of a unit that is as it is wanted. What is not known yet keeps the one that
// is on record. So does what is always sensitive and was taken out, unless it can be changed in place: the object has it as before,
// and would be replaced for nothing once it is written again.
func Remembered(u *unit.Unit, desired cty.Value, digests map[string]string, entry inventory.Entry) map[string]string {
	resource, ok := u.Spec.(*unit.Resource)
	if !ok || resource.Block == nil || desired == cty.NilVal {
		return digests
	}
	plain, _ := desired.Unmark()
	if plain.IsNull() || !plain.IsKnown() || !plain.Type().IsObjectType() {
		return digests
	}
	remembered := maps.Clone(digests)
	for name, digest := range entry.Sensitive {
		a := resource.Block.Attribute(name)
		if a == nil || digests[name] != "" {
			continue
		}
		v := cty.NullVal(cty.DynamicPseudoType)
		if plain.Type().HasAttribute(name) {
			v, _ = plain.GetAttr(name).UnmarkDeep()
		}
		if !v.IsWhollyKnown() || v.IsNull() && a.Sensitive && unit.Effect(a.Change) != unit.InPlace {
			if remembered == nil {
				remembered = map[string]string{}
			}
			remembered[name] = digest
		}
	}
	return remembered
}

// Renewed returns the names of sensitive attributes that are wanted otherwise than they are on record, or that
// nothing is on record of.
func Renewed(digests map[string]string, entry *inventory.Entry) []string {
	var names []string
	for name, digest := range digests {
		if entry == nil || entry.Sensitive[name] != digest {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// renew finds out which sensitive attributes are wanted otherwise than when the object was as it was
// wanted. Such a difference comes from us, not from outside, though what is written is the same. What
// OpenStack does not tell is compared by that alone, and where nothing is on record of what is always sensitive, it was not
// written then. What cannot be changed in place makes the object be
// replaced, or is refused; the rest is the driver's, by [unit.Target.Renewed].
func (c *Change) renew(u *unit.Unit, entry *inventory.Entry, target unit.Target, state unit.State) {
	resource, ok := u.Spec.(*unit.Resource)
	if !ok || entry == nil || len(entry.Sensitive)+len(target.Sensitive) == 0 {
		return
	}
	seen := map[string]bool{}
	for i, f := range c.Fields {
		seen[f.Path] = true
		was, sensitive := entry.Sensitive[f.Path]
		if !sensitive {
			continue
		}
		if f.Before != "" { // it may show what is not wanted any more, and was a secret
			c.Fields[i].Before = unit.TextSensitive
		}
		if target.Sensitive[f.Path] != was {
			c.Drift = false
		}
	}
	if state.Existence != unit.Present || !state.Owned || state.Health == unit.HealthProgressing || c.Action == unit.ActionBlocked {
		return
	}
	for _, name := range resource.Block.AttributeNames() {
		was, is := entry.Sensitive[name], target.Sensitive[name]
		a := resource.Block.Attribute(name)
		if is == "" || was == is || was == "" && (a == nil || !a.Sensitive || entry.Applied == "") || seen[name] || a == nil || slices.Contains(resource.Ignore, name) || told(state.Outputs, name) {
			continue
		}
		effect := unit.Effect(a.Change)
		if effect == unit.InPlace {
			continue
		}
		c.Fields = append(c.Fields, unit.Field{Path: name, Before: unit.TextSensitive, After: unit.TextSensitive, Effect: effect})
		c.Drift = false
		if effect == unit.Refused {
			c.block(name + " cannot be changed: write what it was, or make another object under another label")
			return
		}
		c.Heals, c.Waits = false, false // another one is made anyway
		c.Action, c.Reason = unit.ActionReplace, "a sensitive value is another one than when it was made"
	}
}

// told tells whether OpenStack says what an attribute is.
func told(outputs cty.Value, name string) bool {
	if outputs == cty.NilVal || outputs.IsNull() || !outputs.IsKnown() || !outputs.Type().IsObjectType() || !outputs.Type().HasAttribute(name) {
		return false
	}
	v, _ := outputs.GetAttr(name).Unmark()
	return !v.IsNull()
}

// asked tells whether the configuration wants a unit otherwise in what its digest does not tell: a sensitive value, or one
// that it is replaced for. What differs then is not, or not only, somebody else's doing.
func asked(u *unit.Unit, entry *inventory.Entry, target unit.Target) bool {
	resource, ok := u.Spec.(*unit.Resource)
	if !ok {
		return false
	}
	for name, is := range target.Sensitive {
		if was := entry.Sensitive[name]; was != "" && was != is && !slices.Contains(resource.Ignore, name) {
			return true
		}
	}
	return len(entry.Triggers) == len(target.Triggers) && !slices.Equal(entry.Triggers, target.Triggers)
}
