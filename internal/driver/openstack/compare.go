package openstack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Compare tells what Apply would do. Only what is written counts; what is not known yet counts
// as no difference, since it may well turn out to be what is there.
func (d *Driver) Compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	diff := d.compare(t, desired, st)
	hide(t, desired, &diff.Reason, &diff.Cost, &diff.Unmakeable)
	return diff
}

func (d *Driver) compare(t unit.Target, desired cty.Value, st unit.State) unit.Diff {
	if isAccount(t) {
		return compareAccount(t, st)
	}
	if isSmokeTest(t) {
		return compareTest(t, st)
	}
	r := resource(t)
	k := d.kinds[kindOf(t)]
	if r == nil || k == nil {
		return unit.Diff{Action: unit.ActionNone}
	}
	if desired == cty.NilVal {
		desired = r.Desired
	}
	desired, err := filled(r, desired)
	if err != nil {
		return unit.Diff{Action: unit.ActionBlocked, Reason: err.Error()}
	}
	m, _ := st.Observed.(match)
	switch {
	case st.Existence == unit.Unknown:
		return unit.Diff{Action: unit.ActionUnknown, Reason: st.Message}
	case r.Lookup:
		return compareLookup(desired, st, m)
	case st.Existence == unit.Absent && t.ImportBy != cty.NilVal:
		return compareSearched(r, desired, m)
	case st.Existence == unit.Absent && t.Import != "":
		return unit.Diff{Action: unit.ActionBlocked, Reason: fmt.Sprintf("there is no %s with the id %s to import: correct the id, or take the import block away to have it created", r.Kind, t.Import)}
	case st.Existence == unit.Absent:
		if problem := unmakeable(k, desired); problem != "" {
			return unit.Diff{Action: unit.ActionBlocked, Reason: problem}
		}
		return unit.Diff{Action: unit.ActionCreate, Fields: created(r.Block, desired)}
	case m.object == nil:
		return unit.Diff{Action: unit.ActionBlocked, Reason: first(st.Message, "it was seen by something else than this driver")}
	}
	return makes(k, desired, m, compareObject(k, r, t, managed(r, t, m, desired), m))
}

// compareSearched decides about what is to be imported and was not found yet.
func compareSearched(r *unit.Resource, desired cty.Value, m match) unit.Diff {
	if !m.open {
		return unit.Diff{Action: unit.ActionBlocked, Reason: m.message}
	}
	if v := attribute(desired, scopeName(r)); v != cty.NilVal && !v.IsKnown() {
		return unit.Diff{Action: unit.ActionDeferred, Reason: fmt.Sprintf("its %s is not known yet, in which the object to import is looked for", scopeName(r))}
	}
	return unit.Diff{Action: unit.ActionAdopt, Reason: fmt.Sprintf("the object to import is looked for now that its %s is known", scopeName(r))}
}

// makes holds back what would make an object that cannot be made as it is wanted, whatever changes of that are
// ignored: a new one is made of all.
func makes(k kind, desired cty.Value, m match, diff unit.Diff) unit.Diff {
	diff.Unmakeable = unmakeable(k, desired)
	if pending := diff.Action == unit.ActionUpdate && m.object.pending != ""; diff.Unmakeable != "" && (diff.Action == unit.ActionReplace || pending) {
		return unit.Diff{Action: unit.ActionBlocked, Fields: diff.Fields, Reason: diff.Unmakeable, Differs: !pending && !diff.Heals}
	}
	return diff
}

func compareLookup(desired cty.Value, st unit.State, m match) unit.Diff {
	switch {
	case m.object != nil:
		return unit.Diff{Action: unit.ActionNone}
	case !desired.IsWhollyKnown():
		return unit.Diff{Action: unit.ActionDeferred, Reason: "what it is searched by is not known yet"}
	case m.want == cty.NilVal || !m.want.IsWhollyKnown():
		return unit.Diff{Action: unit.ActionUpdate, Reason: "it is looked up now that all it is searched by is known"}
	}
	return unit.Diff{Action: unit.ActionBlocked, Reason: first(st.Message, "it was not found")}
}

func compareObject(k kind, r *unit.Resource, t unit.Target, desired cty.Value, m match) unit.Diff {
	o := m.object
	if k.marks() && o.mark != "" && t.Mark != "" && o.mark != t.Mark && !slices.Contains(t.Marks, o.mark) {
		return unit.Diff{Action: unit.ActionBlocked, Reason: fmt.Sprintf("%s bears a mark that is not of this block: it is managed elsewhere, or the installation that made it was lost", describe([]*object{o})[0])}
	}
	if o.going {
		return unit.Diff{Action: unit.ActionNone, Reason: o.message}
	}
	diff := due(k, r, t, desired, m)
	switch {
	case o.busy == "" || !diff.Action.Changes():
	case o.sealed != "" && diff.Action == unit.ActionAdopt && len(diff.Fields) == 0: // by its record, which sends nothing
	case o.byHand: // nobody knows when that is
		diff = unit.Diff{Action: unit.ActionBlocked, Fields: diff.Fields, Reason: o.busy + "; it takes the change once that is over", Differs: m.owned && len(diff.Fields) > 0}
	default:
		diff.Waits, diff.Reason = true, o.busy+"; it takes the change once that is over"
	}
	return diff
}

// due says what is to be done about an object, whether or not it takes changes now.
func due(k kind, r *unit.Resource, t unit.Target, desired cty.Value, m match) unit.Diff {
	o := m.object
	drop := surplus(r, t, m, desired)
	renewed := renewals(r.Block, t, m, desired)
	fields, orphaned := outlive(k, r, t, desired, o, drop, differences(k, r.Block, desired, o, drop))
	fields, later, why := postponed(k, o, m.owned, append(restored(k, t, m, fields), renewed...))
	diff := dueNow(k, r, t, desired, m, fields, orphaned)
	if len(later) > 0 && diff.Action == unit.ActionReplace { // another one needs what is not free, too
		diff.Waits, diff.Reason = true, why
	}
	if len(later) == 0 && diff.Action == unit.ActionUpdate { // a part of it is done now
		diff.Reason = first(diff.Reason, why)
	}
	if len(later) > 0 && diff.Action == unit.ActionNone {
		if diff = compareOwned(k, t, o, later, worst(later)); diff.Action.Changes() {
			diff.Waits, diff.Reason = true, why
		}
	}
	return diff
}

// postponed takes those fields out that have to wait for something. Of what is not ours only those are that can be
// changed later.
func postponed(k kind, o *object, owned bool, fields []unit.Field) (now, later []unit.Field, why string) {
	a, ok := k.(awaiting)
	if !ok {
		return fields, nil, ""
	}
	why, held := a.awaits(o, fields)
	for _, f := range fields {
		if slices.Contains(held, f.Path) && (owned || f.Effect == unit.InPlace) {
			later = append(later, f)
		} else {
			now = append(now, f)
		}
	}
	return now, later, why
}

// dueNow is [due] for what does not have to wait.
func dueNow(k kind, r *unit.Resource, t unit.Target, desired cty.Value, m match, fields []unit.Field, orphaned []string) unit.Diff {
	o, effect := m.object, worst(fields)
	if c, ok := k.(consequent); ok {
		fields = append(fields, c.consequences(desired, o, fields)...)
	}
	if h, ok := k.(hindered); ok && effect == unit.InPlace {
		if problem, held := h.hindrance(desired, o, fields); problem != "" {
			return compareHindered(k, t, m, fields, problem, held)
		}
	}
	if h, ok := k.(healer); ok && m.owned && effect == unit.InPlace {
		if diff, ails := h.heal(desired, o, t, ignored(r, t, m)); ails {
			return diff
		}
	}
	if !m.owned {
		return compareAdoption(k, t, desired, o, fields, effect)
	}
	if effect != unit.InPlace && !slices.ContainsFunc(fields, func(f unit.Field) bool { return f.Effect != unit.InPlace && !slices.Contains(orphaned, f.Path) }) {
		return compareOrphaned(k, fields, orphaned)
	}
	diff := tryAgain(k, t, o, compareOwned(k, t, o, fields, effect))
	if by, ok := k.(serving); ok && diff.Action == unit.ActionUpdate {
		diff.Serves = by.serves(desired, o, diff.Fields)
	}
	return diff
}

// unmakeable returns "" or a sentence that says why an object cannot be made as it is wanted.
func unmakeable(k kind, desired cty.Value) string {
	if m, ok := k.(maker); ok {
		return m.makeable(desired)
	}
	return ""
}

// compareHindered decides about an object of which some changes are held back: the others are made first, and
// what is left then is blocked. What is not ours is not taken over by halves.
func compareHindered(k kind, t unit.Target, m match, fields []unit.Field, problem string, held []string) unit.Diff {
	rest := slices.DeleteFunc(slices.Clone(fields), func(f unit.Field) bool { return slices.Contains(held, f.Path) })
	if diff := compareOwned(k, t, m.object, rest, unit.InPlace); m.owned && diff.Action == unit.ActionUpdate {
		diff.Reason = fmt.Sprintf("without %s: %s", strings.Join(held, " and "), problem)
		return diff
	}
	return unit.Diff{Action: unit.ActionBlocked, Fields: fields, Reason: problem, Differs: m.owned && len(fields) > 0}
}

// compareOwned decides about an object that is ours.
func compareOwned(k kind, t unit.Target, o *object, fields []unit.Field, effect unit.Effect) unit.Diff {
	diff := unit.Diff{Action: unit.ActionNone, Fields: fields}
	switch {
	case effect == unit.Refused:
		diff.Action, diff.Reason, diff.Differs = unit.ActionBlocked, refusal(fields), true
	case effect == unit.Replace:
		diff.Action, diff.Cost = unit.ActionReplace, k.cost()
	case o.health == unit.HealthFailed:
		diff.Fields, diff.Reason = nil, o.message
	case len(fields) > 0:
		diff.Action, diff.Cost = unit.ActionUpdate, costOf(t, fields)
	case k.marks() && o.mark == "" && t.Mark != "" && o.sealed == "":
		diff.Action, diff.Reason = unit.ActionUpdate, "our mark is missing"
	case o.pending != "":
		diff.Action, diff.Reason = unit.ActionUpdate, o.pending
	case len(o.unseen) > 0:
		diff.Action, diff.Reason = unit.ActionUnknown, o.obscured
	}
	return diff
}

// tryAgain makes a change that the service gave up an attempt of those that are counted. What else differs is changed
// before.
func tryAgain(k kind, t unit.Target, o *object, diff unit.Diff) unit.Diff {
	r, ok := k.(resigning)
	if !ok || diff.Action != unit.ActionUpdate {
		return diff
	}
	name, why := r.gaveUp(o)
	i := slices.IndexFunc(diff.Fields, func(f unit.Field) bool { return f.Path == name })
	switch {
	case why == "" || i < 0:
	case len(diff.Fields) > 1:
		diff.Fields = slices.Delete(slices.Clone(diff.Fields), i, i+1)
		diff.Cost = costOf(t, diff.Fields)
	default:
		diff.Heals, diff.Reason = true, why
	}
	return diff
}

// costOf is what changes in place cost.
func costOf(t unit.Target, fields []unit.Field) string {
	if r := resource(t); r != nil {
		return unit.Cost(r.Block, fields)
	}
	return ""
}

// worst is the gravest effect of the fields.
func worst(fields []unit.Field) unit.Effect {
	effect := unit.InPlace
	for _, f := range fields {
		if f.Effect == unit.Refused || f.Effect == unit.Replace && effect == unit.InPlace {
			effect = f.Effect
		}
	}
	return effect
}

func refusal(fields []unit.Field) string {
	var names []string
	for _, f := range fields {
		if f.Effect == unit.Refused {
			names = append(names, f.Path)
		}
	}
	return strings.Join(names, " and ") + " cannot be changed: write what it was, or make another object under another label"
}

// created lists what an object is created with.
func created(block *schema.Block, desired cty.Value) []unit.Field {
	var fields []unit.Field
	for _, name := range names(block) {
		if w := attribute(desired, name); w != cty.NilVal {
			fields = append(fields, unit.Field{Path: name, After: showAttribute(block, name, w)})
		}
	}
	return fields
}

// differences lists the written attributes that the object has otherwise, and those of which something is
// to be taken away.
func differences(k kind, block *schema.Block, desired cty.Value, o *object, drop map[string][]string) []unit.Field {
	var fields []unit.Field
	for _, name := range names(block) {
		written := attribute(desired, name)
		have, ok := o.values.look(name)
		if written == cty.NilVal && len(drop[name]) > 0 {
			written = emptied(have.Type())
		}
		if written == cty.NilVal || !ok {
			continue
		}
		want, _ := written.UnmarkDeep()
		if len(drop[name]) == 0 && same(k, name, want, have, o) {
			continue
		}
		f := unit.Field{Path: name, Before: showAttribute(block, name, seen(concerned(block.Nested(name), o, have, want, append(bornBy(k, name, o), drop[name]...)))), After: showAttribute(block, name, written)}
		if by, ok := k.(telling); ok {
			f.Before = first(by.tells(name, o), f.Before)
		}
		if written.ContainsMarked() {
			f.Before = unit.TextSensitive
		}
		if a := block.Attribute(name); a != nil {
			f.Effect = unit.Effect(a.Change)
		}
		if g, ok := k.(graded); ok && want.IsWhollyKnown() {
			f.Effect = g.effect(name, want, o, f.Effect)
		}
		fields = append(fields, f)
	}
	return fields
}

// bornBy are the keys of nested blocks that bear our mark: they go though none is on record.
func bornBy(k kind, name string, o *object) []string {
	if by, ok := k.(interface {
		bears(name string, o *object) []string
	}); ok {
		return by.bears(name, o)
	}
	return nil
}

// renewals lists the sensitive attributes that the service never tells, can change in place, and may have
// otherwise than they are wanted.
func renewals(block *schema.Block, t unit.Target, m match, desired cty.Value) []unit.Field {
	var fields []unit.Field
	for _, name := range t.Renewed {
		a := block.Attribute(name)
		_, told := m.object.values.look(name)
		if a == nil || a.Change != schema.InPlace || told || attribute(desired, name) == cty.NilVal || m.sent[name] == t.Sensitive[name] {
			continue
		}
		fields = append(fields, unit.Field{Path: name, Before: unit.TextSensitive, After: unit.TextSensitive})
	}
	return fields
}

// names are the attributes that can be written, and the nested blocks, in the schema's order.
func names(block *schema.Block) []string {
	list := block.AttributeNames()
	for i := range block.Blocks {
		list = append(list, block.Blocks[i].Kind)
	}
	return list
}

// showAttribute returns the text of a value for people, which never shows a secret.
func showAttribute(block *schema.Block, name string, v cty.Value) string {
	if a := block.Attribute(name); a != nil && a.Sensitive {
		return unit.TextSensitive
	}
	return show(v)
}

func show(v cty.Value) string {
	visible := unit.Visible(v)
	switch visible := visible.(type) {
	case nil:
		return ""
	case string:
		return visible
	}
	text, err := json.Marshal(visible)
	if err != nil {
		return ""
	}
	return string(text)
}
