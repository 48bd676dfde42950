package openstack

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// state makes what the engine sees of a match.
func state(t unit.Target, m match) unit.State {
	st := plainState(t, m)
	st.Candidates, st.Marked = slices.Clone(st.Candidates), slices.Clone(st.Marked) // which the match has as well
	texts := []*string{&st.Message, &st.Notice}
	for i := range st.Candidates {
		texts = append(texts, &st.Candidates[i])
	}
	for i := range st.Marked {
		texts = append(texts, &st.Marked[i].Name)
	}
	hide(t, m.want, texts...)
	return st
}

func plainState(t unit.Target, m match) unit.State {
	made := m.outputs
	m.outputs = cty.NilVal // the object may change
	st := unit.State{Existence: unit.Absent, Candidates: m.candidates, Marked: m.marked, Message: m.message, Before: m.before, Notice: noticeOf(t, m.twins)}
	o := m.object
	if o == nil {
		st.Observed = m
		if len(m.candidates) > 0 {
			st.Existence = unit.Present
		}
		return st
	}
	st.Existence, st.ID, st.Owned, st.Project, st.User, st.Mark = unit.Present, o.id, m.owned, o.project, o.user, o.mark
	st.Installed = o.pending == "" && !o.partial
	st.Health, st.After = o.health, o.after
	if st.Health == unit.HealthUnknown {
		st.Health = unit.HealthReady
	}
	st.Message = first(o.message, o.pending, m.message)
	switch {
	case o.lame == "":
	case lookup(t): // for what was made of it
		st.Notice = first(st.Notice, o.lame)
	default:
		st.Health, st.Message = unit.HealthFailed, o.lame
	}
	if r := resource(t); r != nil {
		if !r.Lookup && len(o.unseen) > 0 {
			st.Unseen, st.Message = o.unseen, o.obscured
		}
		if r.Lookup { // of use for all else
			st.Notice = first(st.Notice, o.obscured)
		}
		if st.Outputs = made; made == cty.NilVal {
			st.Outputs = outputsOf(t, m)
		}
	}
	if !lookup(t) { // only what is looked up is compared with what it was searched by
		m.want = cty.NilVal
	}
	st.Observed = m
	return st
}

// outputsOf makes what others see of the object that was found. What is as it was seen before is that itself, in the
// object as well: there may be very many, and all that was seen then is kept until all is seen anew.
func outputsOf(t unit.Target, m match) cty.Value {
	block, values := resource(t).Block, m.object.values
	seen := outputs(block.ObjectType(), shown(block, m.want, values))
	if t.Outputs == cty.NilVal || !t.Outputs.RawEquals(seen) {
		return seen
	}
	for i := range values {
		at := &values[i]
		if at.value == cty.NilVal || !t.Outputs.Type().HasAttribute(at.name) {
			continue
		}
		if before := t.Outputs.GetAttr(at.name); before.RawEquals(at.value) { // and not as sensitive as what was written
			at.value = before
		}
	}
	return t.Outputs
}

// departed are the attributes of what is not wanted any more. What was sensitive when it was written is not marked.
func departed(k kind, o *object) cty.Value {
	b, ok := k.(interface{ block() *schema.Block })
	if o == nil || !ok {
		return cty.NilVal
	}
	return outputs(b.block().ObjectType(), shown(b.block(), cty.NilVal, o.values))
}

// shown makes outputs as sensitive as the schema says and as what was written.
func shown(block *schema.Block, want cty.Value, values traits) map[string]cty.Value {
	all := values.byName()
	for name := range all {
		if w := attribute(want, name); w != cty.NilVal && w.ContainsMarked() {
			_, marks := w.UnmarkDeep()
			all[name] = all[name].WithMarks(marks)
		}
		if block.Hides(name) {
			all[name] = all[name].Mark(model.Sensitive)
		}
	}
	return all
}
