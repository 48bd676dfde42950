package plan

import (
	"encoding/json"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// foresee says of a unit that exists what will follow for it from what the plan does before: its
// attributes that are made of what is created anew. A driver takes what is not known for no
// difference, as it may turn out to be what is there; of an object that does not exist yet that is
// not to be expected.
func (m *maker) foresee(c *Change, u *unit.Unit, desired cty.Value) {
	resource, ok := u.Spec.(*unit.Resource)
	from := m.renewed(u)
	state := m.Seen(u.Address)
	if !ok || from.IsZero() || resource.Lookup || state.Existence != unit.Present || desired == cty.NilVal || !desired.Type().IsObjectType() ||
		c.Action != unit.ActionNone && c.Action != unit.ActionUpdate || c.Drift {
		return
	}
	desired = m.following(u, state, desired)
	for _, i := range m.triggering(u, state) {
		c.tellOnce(triggered(i, unit.TextUnknown))
		c.Later, c.Reason = true, "once "+from.String()+" is there"
	}
	for _, name := range writable(resource.Block) {
		if !desired.Type().HasAttribute(name) || slices.Contains(resource.Ignore, name) || desired.GetAttr(name).IsWhollyKnown() {
			continue
		}
		c.tellOnce(foreseen(resource.Block, name, state.Outputs, desired.GetAttr(name)))
		c.Later, c.Reason = true, "once "+from.String()+" is there"
	}
	switch {
	case !c.Later:
	case slices.ContainsFunc(c.Fields, func(f unit.Field) bool { return f.Effect == unit.Replace }):
		c.Action = unit.ActionReplace
	default:
		c.Action, c.Cost = unit.ActionUpdate, unit.Cost(resource.Block, c.Fields)
	}
	if c.Action == unit.ActionReplace && u.PreventDestroy {
		c.block(preventsReplacement)
	}
	c.consent(u, desired)
}

// following is what is wanted of a unit with nothing unknown but what is made of what comes new: what would be deleted before its
// replacement is there stays as long as the unit needs it, see [Plan.keepUsed].
func (m *maker) following(u *unit.Unit, state unit.State, desired cty.Value) cty.Value {
	if !slices.ContainsFunc(u.Edges, func(e unit.Edge) bool { return m.staysBelow(e.To) }) {
		return desired
	}
	following, diags := Desired(Revealed(u, state), m.outputsBelow)
	if diags.HasErrors() {
		return desired
	}
	return following
}

// staysBelow tells whether something would have to be deleted before another one comes.
func (m *maker) staysBelow(a addr.Object) bool {
	if m.places[a].unit == nil {
		return false
	}
	c := m.decide(a)
	return c.Action == unit.ActionReplace && !c.CreateFirst
}

// outputsBelow are [maker.outputs], and those of what stays.
func (m *maker) outputsBelow(a addr.Object) cty.Value {
	if m.staysBelow(a) {
		return m.Seen(a).Outputs
	}
	return m.outputs(a)
}

// triggering are the values, by number, that a unit is replaced for and that are made of what comes new. One that nothing is on record of
// triggers nothing yet.
func (m *maker) triggering(u *unit.Unit, state unit.State) []int {
	entry := m.places[u.Address].entry
	if entry == nil || len(entry.Triggers) == 0 || !Triggered(u) || !state.Owned || state.Health == unit.HealthProgressing {
		return nil
	}
	revealed := Revealed(u, state)
	values, diags := revealed.Spec.(*unit.Resource).Triggers(knownOutputs(revealed, m.outputsBelow))
	if diags.HasErrors() || values == cty.NilVal || !values.IsKnown() {
		return nil
	}
	values, _ = values.UnmarkDeep()
	all := values.AsValueSlice()
	if len(all) != len(entry.Triggers) { // it was made for another list
		return nil
	}
	var numbers []int
	for i, v := range all {
		if !v.IsWhollyKnown() {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// comes says of what is looked up and is not there that it may come with what it waits for.
func (c *Change) comes(u *unit.Unit, state unit.State, with addr.Object) {
	resource, ok := u.Spec.(*unit.Resource)
	if ok && resource.Lookup && c.Action == unit.ActionBlocked && state.Existence == unit.Absent && !with.IsZero() {
		c.Action, c.Reason = unit.ActionDeferred, "once "+with.String()+" is there"
	}
}

// tellOnce adds an attribute, or takes the place of what the driver says of the same one: that knows better what comes of a change,
// and not what is there of a list or set of which not all is known that is wanted.
func (c *Change) tellOnce(f unit.Field) {
	i := slices.IndexFunc(c.Fields, func(told unit.Field) bool { return told.Path == f.Path })
	if i < 0 {
		c.Fields = append(c.Fields, f)
		return
	}
	f.Effect = c.Fields[i].Effect
	c.Fields[i] = f
}

// complete says of a unit that a part of it could not be seen because what keeps that part is to be made
// by the same plan.
func (m *maker) complete(c *Change, u *unit.Unit, state unit.State) {
	if c.Action != unit.ActionUnknown || len(state.Unseen) == 0 {
		return
	}
	var from addr.Object
	for _, service := range state.Unseen {
		i := slices.IndexFunc(u.Edges, func(e unit.Edge) bool {
			return e.Gate == unit.GateReady && e.To.Name() == service && m.places[e.To].unit != nil
		})
		if i < 0 {
			return
		}
		if from = u.Edges[i].To; m.decide(from).Action != unit.ActionCreate {
			return
		}
	}
	c.Action, c.Later, c.Reason = unit.ActionUpdate, true, "once "+from.String()+" is there"
}

func foreseen(block *schema.Block, name string, outputs, desired cty.Value) unit.Field {
	f := unit.Field{Path: name, After: text(desired)}
	if outputs != cty.NilVal && outputs.Type().IsObjectType() && outputs.IsKnown() && !outputs.IsNull() && outputs.Type().HasAttribute(name) {
		f.Before = text(outputs.GetAttr(name))
	}
	if a := block.Attribute(name); a != nil {
		f.Effect = unit.Effect(a.Change)
		if a.Sensitive {
			f.Before, f.After = unit.TextSensitive, unit.TextSensitive
		}
	}
	return f
}

// writable are the attributes that can be written, and the nested blocks.
func writable(block *schema.Block) []string {
	names := block.AttributeNames()
	for i := range block.Blocks {
		names = append(names, block.Blocks[i].Kind)
	}
	return names
}

// text returns a value for people, which never shows a secret.
func text(v cty.Value) string {
	visible := unit.Visible(v)
	if s, ok := visible.(string); ok || visible == nil {
		return s
	}
	encoded, err := json.Marshal(visible)
	if err != nil {
		return ""
	}
	return string(encoded)
}

// renewed returns something that a unit depends on and that will be another one.
func (m *maker) renewed(u *unit.Unit) addr.Object {
	for _, e := range u.Edges {
		if m.places[e.To].unit == nil {
			continue
		}
		if c := m.decide(e.To); c.Action == unit.ActionCreate || c.Action == unit.ActionReplace && c.CreateFirst {
			return e.To
		}
	}
	return addr.Object{}
}

// succeed decides whether a replacement is created before what it replaces is deleted: not when
// something that the object lies in is deleted before, as the old one has to go before that.
func (m *maker) succeed(c *Change, u *unit.Unit, entry *inventory.Entry) {
	if c.Action != unit.ActionReplace || !u.CreateFirst {
		return
	}
	for _, e := range u.Edges {
		if m.places[e.To].unit == nil || e.Gate != unit.GateStart {
			continue
		}
		if below := m.decide(e.To); below.Action == unit.ActionReplace && !below.CreateFirst {
			return
		}
	}
	c.CreateFirst = true
	if entry == nil {
		return
	}
	if _, ok := m.identity.Succeed(*entry, entry.ID); !ok {
		c.block("too many of the objects that it has replaced are still there: see why they are not deleted")
	}
}

// linger tells of an object that is as it should be, and whose predecessors are still there.
func (c *Change) linger(entry *inventory.Entry) {
	if c.Action == unit.ActionNone && !c.Drift && entry != nil && len(entry.Former) > 0 {
		c.Action, c.Later, c.Reason = unit.ActionUpdate, true, "what it has replaced is deleted once nothing needs that any more"
	}
}
