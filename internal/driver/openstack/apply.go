package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// soon is when to look again at what was just created and is not complete.
const soon = 100 * time.Millisecond

// Apply creates, adopts or updates one object, or searches for one that is only looked up.
func (d *Driver) Apply(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	if isAccount(t) {
		next, err := d.applyAccount(ctx, t)
		if err != nil {
			return st, wrap(t.Address, err)
		}
		return next, nil
	}
	if isSmokeTest(t) {
		next, err := d.applyTest(ctx, t, desired, st)
		if err != nil {
			return st, wrap(t.Address, err)
		}
		return next, nil
	}
	r := resource(t)
	k := d.kinds[kindOf(t)]
	if r == nil || k == nil {
		return st, fmt.Errorf("%s: there is nothing to apply", t.Address)
	}
	if st.Existence == unit.Absent && !t.Attempted {
		d.outcomes.none(t.UID) // whatever keeps this one from sending anything
	}
	if desired == cty.NilVal {
		desired = r.Desired
	}
	if !desired.IsWhollyKnown() {
		return st, fmt.Errorf("%s: a part of it is not known yet", t.Address)
	}
	desired, err := filled(r, desired)
	if err != nil {
		return st, wrap(t.Address, unit.Blocked(err.Error()))
	}
	s, err := d.sessionFor(ctx, k, t, desired)
	if err != nil {
		return st, wrap(t.Address, err)
	}
	if _, err := d.stillOurs(ctx, s, k, t, st); err != nil {
		return st, wrap(t.Address, err)
	}
	diff := d.Compare(t, desired, st)
	if diff.Waits {
		return st, nil
	}
	switch diff.Action {
	case unit.ActionCreate:
		st, err = d.create(ctx, s, k, t, desired, st)
	case unit.ActionAdopt, unit.ActionUpdate:
		if seen, _ := st.Observed.(match); r.Lookup || seen.open {
			st, err = d.search(ctx, s, k, t, desired)
			break
		}
		if !st.Owned && partsElsewhere(t, st.ID) {
			err = &unit.RetryError{After: soon, Err: errParts}
			break
		}
		st, err = d.update(ctx, s, k, t, desired, st, diff)
	case unit.ActionBlocked:
		err = unit.Blocked(diff.Reason)
	case unit.ActionReplace:
		err = unit.Blocked("it has to be deleted and created again")
	case unit.ActionUnknown:
		err = errors.New("it has not been observed")
	default: // nothing to do now
	}
	if err != nil {
		return st, wrap(t.Address, err)
	}
	return st, nil
}

// wrap names the unit in an error and keeps what kind of error it is.
func wrap(a addr.Object, err error) error { return fmt.Errorf("%s: %w", a, err) }

// search looks for an object that is not ours.
func (d *Driver) search(ctx context.Context, s *session, k kind, t unit.Target, desired cty.Value) (unit.State, error) {
	objects, err := listFor(ctx, s, k, t, desired)
	if err != nil {
		return unit.State{}, err
	}
	m, _ := find(k, s, t, desired, indexed(objects))
	if m.object == nil {
		return unit.State{Existence: unit.Absent, Message: m.message, Candidates: m.candidates, Observed: m}, unit.Blocked(m.message)
	}
	return d.stateOf(ctx, s, k, t, m)
}

// create makes what is absent. It searches first for what an attempt that was cut off may have left, and sends nothing as
// long as such a one may still be under way.
func (d *Driver) create(ctx context.Context, s *session, k kind, t unit.Target, desired cty.Value, seen unit.State) (unit.State, error) {
	if m, _ := seen.Observed.(match); !t.Fresh && t.ID == "" || m.open {
		st, left, err := d.sought(ctx, s, k, t, desired)
		switch {
		case err != nil || !st.Gone():
			return st, err
		case left > 0:
			return unit.State{}, &unit.RetryError{After: left, Err: errUnsettled}
		}
	}
	if m, _ := seen.Observed.(match); m.begun != "" { // to be replaced, and the process may have been killed over that
		if err := d.sweep(ctx, s, k, m.begun); err != nil {
			return unit.State{Existence: unit.Unknown}, judge(err, deleting)
		}
	}
	w := d.wanted(s, t, desired)
	o, err := d.outcomes.attempt(ctx, t, func(ctx context.Context) (*object, error) {
		o, err := k.create(ctx, s, w)
		if err == nil && o.id == "" {
			return nil, fmt.Errorf("what came back to its creation has no id: %w", errUnreadable)
		}
		return o, err
	})
	if err != nil {
		return unit.State{Existence: unit.Unknown}, judge(err, creating)
	}
	d.newborn.add(k, o.id)
	m := match{object: o, owned: true, want: desired, sent: t.Sensitive}
	st := state(t, m)
	t.Fresh = false // there is something now, and it may not be complete
	if diff := d.Compare(t, desired, st); diff.Action == unit.ActionUpdate {
		st.Installed, st.Health, st.After = false, unit.HealthProgressing, soon
		st.Message = "it was created; what its creation does not take follows"
	}
	return st, nil
}

// update changes what differs, and writes the mark where it is missing.
func (d *Driver) update(ctx context.Context, s *session, k kind, t unit.Target, desired cty.Value, st unit.State, diff unit.Diff) (unit.State, error) {
	m := st.Observed.(match)
	if m.object.recalled { // nothing is written, or taken away, by what was so some time ago
		seen, err := d.seenAnew(ctx, s, k, t, desired, m)
		if err != nil {
			return st, err
		}
		if now := d.Compare(t, desired, seen); now.Action != diff.Action || !slices.Equal(now.Fields, diff.Fields) {
			return seen, nil // what it takes is decided by that
		}
		st, m = seen, seen.Observed.(match)
	}
	var changed []string
	written := desired
	if m.object.pending == "" { // else the rest of a creation follows, which needs all
		changed, written = []string{}, managed(resource(t), t, m, desired)
	}
	for _, f := range diff.Fields {
		changed = append(changed, f.Path)
	}
	w := d.wanted(s, t, written)
	w.drop = surplus(resource(t), t, m, written)
	d.memory.forget(t.Address)
	err := k.update(ctx, s, m.object, w, changed)
	d.memory.forget(t.Address) // what was asked meanwhile may be of before
	if err != nil {
		return st, judge(err, updating)
	}
	o, err := d.getFor(ctx, s, k, t, m.object.id)
	if err != nil {
		return st, err
	}
	return d.stateOf(ctx, s, k, t, match{object: o, owned: true, want: desired, sent: t.Sensitive, twins: m.twins})
}

// seenAnew asks for an object again, and for all that is known of it from before.
func (d *Driver) seenAnew(ctx context.Context, s *session, k kind, t unit.Target, desired cty.Value, m match) (unit.State, error) {
	d.memory.forget(t.Address)
	o, err := d.getFor(ctx, s, k, t, m.object.id)
	if err != nil {
		return unit.State{}, err
	}
	m.object, m.want = o, desired
	return d.stateOf(ctx, s, k, t, m)
}

// stateOf completes a match that did not come with Observe.
func (d *Driver) stateOf(ctx context.Context, s *session, k kind, t unit.Target, m match) (unit.State, error) {
	if m.object != nil {
		name := k.name()
		failures, _ := d.complete(ctx, s, map[string][]found{name: {d.found(t, m)}})
		if err := failures[name]; err != nil { // what else is unread is unseen in the state
			return unit.State{}, err
		}
	}
	return state(t, m), nil
}

// wanted makes the desired value one that kinds can use, and remembers its secrets for messages.
func (d *Driver) wanted(s *session, t unit.Target, desired cty.Value) wanted {
	r, k := resource(t), d.kinds[kindOf(t)]
	for i := range r.Block.Attributes {
		a := &r.Block.Attributes[i]
		v := attribute(desired, a.Name)
		if v == cty.NilVal || !a.Sensitive && !v.ContainsMarked() {
			continue
		}
		for _, text := range textsIn(v) {
			d.connector.remember(redact.NewSecret(text))
		}
	}
	value, _ := desired.UnmarkDeep()
	value = sayingOnce(r.Block, value)
	project, _ := scopeOf(k, r, value, s)
	return wanted{
		value: value, mark: t.Mark, project: project, named: nameOf(k, t, value), address: t.Address, unserved: unserved(t),
		keeps: r.Keeps, again: t.Again, content: r.Content,
	}
}

// unserved are the services that keep a part of a target which cannot be there yet.
func unserved(t unit.Target) []string {
	if t.Complete {
		return nil
	}
	return t.Unserved
}

// textsIn returns the texts at all depths of a value, and the keys of maps that are sensitive as a whole.
func textsIn(v cty.Value) []string {
	var texts []string
	_ = cty.Walk(v, func(_ cty.Path, inner cty.Value) (bool, error) {
		plain, marks := inner.Unmark()
		if len(marks) > 0 && plain.Type().IsMapType() && plain.IsKnown() && !plain.IsNull() {
			texts = slices.AppendSeq(texts, maps.Keys(plain.AsValueMap()))
		}
		return true, nil
	}) // the function returns no error
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, inner cty.Value) (bool, error) {
		if text := textOf(inner); text != "" {
			texts = append(texts, text)
		}
		return true, nil
	}) // the function returns no error
	return texts
}

// Delete deletes an object that is ours: known by its id, and with our mark where its kind can
// bear one. It asks for the object first, as it may have changed hands since it was observed.
// What is absent may still be created by a request that was given up: it is gone when that can be no more.
func (d *Driver) Delete(ctx context.Context, t unit.Target, st unit.State) (unit.State, error) {
	if isAccount(t) {
		return st, nil // it stays, as everything in Keystone that its database goes with
	}
	if isSmokeTest(t) {
		next, err := d.deleteTest(ctx, t)
		if err != nil {
			return st, wrap(t.Address, err)
		}
		return next, nil
	}
	k := d.kinds[kindOf(t)]
	gone := unit.State{Existence: unit.Absent}
	if k == nil {
		return st, wrap(t.Address, unit.Blocked(fmt.Sprintf("%q is no kind that is known here", kindOf(t))))
	}
	if lookup(t) {
		return st, wrap(t.Address, unit.Blocked("it is only looked up and never deleted"))
	}
	id := t.ID
	if id == "" && st.Owned {
		id = st.ID
	}
	if id == "" {
		if t.Attempted && (st.Gone() || st.Owned) && !traceless(k, t) {
			next, err := d.late(ctx, k, t)
			if err != nil {
				return st, wrap(t.Address, err)
			}
			if !next.Gone() {
				return next, nil // it has come, and is deleted by its id
			}
		}
		if st.Gone() {
			if err := d.astray(ctx, k, t); err != nil {
				return st, wrap(t.Address, err)
			}
		}
		if _, ok := k.(keeping); ok && (st.Gone() || st.Owned) { // nothing was made but its Secret
			if err := d.nothingElsewhere(ctx, k, t); err != nil {
				return st, wrap(t.Address, err)
			}
			return gone, d.discard(ctx, k, t)
		}
		if st.Gone() {
			return gone, nil
		}
		return st, wrap(t.Address, unit.Blocked("its id is not known, so it is not deleted"))
	}
	d.memory.forget(t.Address)
	defer d.memory.forget(t.Address)
	s, err := d.sessionFor(ctx, k, t, desiredOf(t))
	if err != nil {
		return st, wrap(t.Address, err)
	}
	gone.Project, gone.User = destined(s, k, t), userFor(s, k)
	if orphan, err := d.stillOurs(ctx, s, k, t, st); err != nil { // not to be shown it would count as its absence
		return st, wrap(t.Address, err)
	} else if orphan {
		if by, ok := k.(outliving); ok && t.Locator.User != "" {
			if err := by.bury(ctx, s, t.Locator.User, id); err != nil {
				return st, wrap(t.Address, judge(err, deleting))
			}
		}
		return d.without(ctx, s, k, t, id, st, gone)
	}
	o, err := k.get(ctx, s, id)
	if notFound(err) {
		if err = s.vouch(ctx, k, t, desiredOf(t)); err == nil {
			if resource(t) == nil && st.Owned && st.ID != "" && st.ID != id {
				return st, wrap(t.Address, unit.Blocked(fmt.Sprintf("what is on record (%s) is gone, and %s bears its mark, as where the inventory was restored from an older backup: "+
					"it is deleted only by its id; delete it yourself, take the mark off, or have it forgotten by a removed block with destroy = false", id, st.ID)))
			}
			return d.without(ctx, s, k, t, id, st, gone)
		}
	}
	if err != nil {
		return st, wrap(t.Address, err)
	}
	if o.going { // nothing is sent again; and Nova takes the mark away before the instance is gone
		if l, ok := k.(lingering); ok && t.Mark != "" && o.mark == t.Mark {
			if err := l.hasten(ctx, s, o); err != nil {
				return st, wrap(t.Address, judge(err, deleting))
			}
		}
		return state(t, match{object: o, owned: true}), nil
	}
	if k.marks() && (t.Mark == "" || o.mark != t.Mark) {
		why := fmt.Sprintf("%s does not bear our mark, so it is not deleted", describe([]*object{o})[0])
		if by, ok := k.(sealable); ok {
			why += by.stays(o)
		}
		return st, wrap(t.Address, unit.Blocked(why))
	}
	if h, ok := k.(holder); ok {
		if problem := h.holds(o, t.Set); problem != "" {
			return st, wrap(t.Address, unit.Blocked(problem))
		}
	}
	if g, ok := k.(sparing); ok {
		if err := g.spare(ctx, s, o, t); err != nil {
			return st, wrap(t.Address, judge(err, deleting))
		}
	}
	lasting, err := k.remove(ctx, s, o)
	if err != nil {
		return st, wrap(t.Address, judge(err, deleting))
	}
	if !lasting {
		return d.without(ctx, s, k, t, id, st, gone)
	}
	st = state(t, match{object: o, owned: true})
	st.Health, st.After, st.Message = unit.HealthProgressing, o.after, "it is being deleted"
	return st, nil
}
