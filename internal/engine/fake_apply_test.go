package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func (f fake) Apply(ctx context.Context, t unit.Target, desired cty.Value, s unit.State) (unit.State, error) {
	if t.Locator.Kind == unit.KindObjects {
		return f.world.stepSet(ctx, t, s)
	}
	act, op := f.apply, "apply"
	if t.Mend {
		act, op = f.mend, "mend"
	}
	f.world.mutex.Lock()
	f.world.attempted[t.Address.String()] = t.Attempted
	f.world.asked[t.Address.String()] = t.Asked != ""
	f.world.mutex.Unlock()
	doing, err := f.begin(ctx, op, t)
	if err != nil {
		return s, err
	}
	if wanted, ok := t.Spec.(*spec); ok {
		if err := f.grant(ctx, wanted.fields["project"]); err != nil {
			return s, cmp.Or(f.end(ctx, doing, t.Address, failed), err)
		}
	}
	f.world.mutex.Lock()
	next, err := act(t, desired)
	how := made
	if err != nil {
		how = failed
	} else {
		delete(f.world.givenUp, t.Address.String())
	}
	f.world.mutex.Unlock()
	if dead := f.end(ctx, doing, t.Address, how); dead != nil {
		return s, dead
	}
	return next, err
}

// begin is what comes before a call changes anything. It tells what the call is about to do, see [columns].
func (f fake) begin(ctx context.Context, op string, t unit.Target) (doing string, err error) {
	if err := f.world.point(ctx); err != nil {
		return "", err
	}
	w, a := f.world, t.Address
	w.mutex.Lock()
	doing = w.witness.doing(op, t, w.find(t) != nil)
	w.witness.begins(doing, a)
	w.calls++
	w.tried[a.String()]++
	w.spend(f.name)
	w.running++
	w.most = max(w.most, w.running)
	hold := w.holds[a.String()]
	w.mutex.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err = w.fails(op, a); err != nil {
		w.witness.fails(doing, a)
	}
	if w.displaced {
		err = unit.ErrNotWriter
		w.witness.notes(isDisplaced, doing, a)
	}
	if reason := cmp.Or(w.blocked[a.String()], w.blocked[op+":"+a.String()]); reason != "" {
		err = unit.Blocked(reason)
	}
	if w.givenUp[a.String()] && t.Asked == "" {
		err = unit.Blocked("it was given up")
	}
	for _, clash := range [][]string{w.clashes[a.String()], w.clashes[op+":"+a.String()]} {
		if clash == nil {
			continue
		}
		other := w.at(addr.MustParseObject(clash[0]))
		if other != nil && (len(clash) < 3 || other.fields[clash[1]] == clash[2]) {
			err = unit.Blocked(clash[0] + " has its place")
		}
	}
	if id := w.fast[a.String()]; id != "" && op == "delete" && slices.ContainsFunc(w.objects, func(o *object) bool { return o.id == id }) {
		err = &unit.FollowsError{With: id, Err: errors.New("it is held fast")}
	}
	if err != nil {
		w.running--
		w.witness.ends(doing, a, failed)
	}
	return doing, err
}

func (f fake) end(ctx context.Context, doing string, a addr.Object, how outcome) error {
	f.world.mutex.Lock()
	f.world.running--
	f.world.witness.ends(doing, a, how)
	f.world.mutex.Unlock()
	return f.world.point(ctx)
}

// mend puts back what is in force.
func (f fake) mend(t unit.Target, desired cty.Value) (unit.State, error) {
	w, wanted := f.world, wantedOf(t, desired)
	o := w.find(t)
	if o == nil {
		return w.state(o, t), errors.New("there is nothing to put back")
	}
	for _, name := range wanted.mends {
		if !wanted.stubborn {
			o.fields[name] = o.force[name]
		}
	}
	w.trace = append(w.trace, "mend "+named(t.Address, o))
	return w.state(o, t), nil
}

func (f fake) apply(t unit.Target, desired cty.Value) (unit.State, error) {
	w, wanted := f.world, wantedOf(t, desired)
	o := w.find(t)
	op := "update"
	switch {
	case o == nil && w.mayCome(t):
		return w.state(o, t), &unit.RetryError{After: time.Until(w.until[t.Address.String()]), Err: errLate}
	case o == nil:
		o = &object{address: t.Address, host: hostOf(t), mark: t.Mark, fields: maps.Clone(wanted.fields), left: wanted.slow, steps: wanted.install}
		if f.name == unit.OpenStack {
			w.lastID++
			o.id = fmt.Sprintf("id%d", w.lastID)
		}
		if wanted.unsigned {
			o.mark, o.unsigned = "", true
		}
		o.broken = wanted.ill
		for field := range wanted.parts {
			delete(o.fields, field) // it follows
		}
		if later, ok := w.late[t.Address.String()]; ok {
			w.comes(o, later)
			return w.state(nil, t), errors.New("nobody answered in time")
		}
		w.objects = append(w.objects, o)
		op = "create"
	case o.strange:
		return w.state(o, t), nil // it was not seen before
	case !bears(o, t):
		o.mark, o.disowned, op = t.Mark, false, "adopt"
	case o.steps > 0 && holds(o.fields, wanted.fields):
		o.steps--
		op = "step"
	case o.broken != "" && wanted.heal == unit.ActionUpdate && holds(o.fields, wanted.fields):
		o.broken, op = wanted.ill, "heal"
	case !wanted.stubborn:
		for name, value := range wanted.fields {
			if slices.Contains(w.unseen(t), wanted.parts[name]) {
				continue
			}
			if slices.Contains(wanted.replace, name) && o.fields[name] != value {
				return w.state(o, t), fmt.Errorf("%s cannot be changed in place", name)
			}
			o.fields[name] = value
		}
	}
	o.force = maps.Clone(o.fields)
	w.trace = append(w.trace, op+" "+named(t.Address, o))
	return w.state(o, t), nil
}

// holds tells whether an object has the wanted fields.
func holds(have, wanted map[string]string) bool {
	for name, value := range wanted {
		if have[name] != value {
			return false
		}
	}
	return true
}

func (f fake) Delete(ctx context.Context, t unit.Target, s unit.State) (unit.State, error) {
	if t.Locator.Kind == unit.KindObjects {
		return f.world.deleteSet(ctx, t, s)
	}
	doing, err := f.begin(ctx, "delete", t)
	if err != nil {
		return s, err
	}
	w := f.world
	w.mutex.Lock()
	var failure error
	how := deleted
	next := unit.State{Existence: unit.Absent, CleanedUp: t.CleanUp}
	t.Spec = nil // what goes is what is on record
	if w.takeClaim(t) {
		next = w.state(w.find(t), t)
		next.Existence, next.Health = unit.Present, unit.HealthProgressing
	} else if o := w.find(t); o != nil && (o.mark == t.Mark || o.host != "" && !o.disowned || o.unsigned && bears(o, t)) {
		if o.going > 0 {
			o.going--
			if o.going > 0 {
				next = w.state(o, t)
			}
		}
		if o.fades > 0 {
			o.fading = true
			next = w.state(o, t)
		} else if o.going == 0 {
			w.objects = slices.DeleteFunc(w.objects, func(other *object) bool { return other == o })
			w.trace = append(w.trace, strings.Join(append([]string{"delete " + named(t.Address, o)}, t.CleanUp...), " and "))
		}
	} else if o == nil && w.mayCome(t) {
		how = failed
		next, failure = s, &unit.RetryError{After: time.Until(w.until[t.Address.String()]), Err: errLate}
	} else if o == nil && w.astray(t) {
		how = failed
		next, failure = s, unit.Blocked("something has come since")
	}
	w.mutex.Unlock()
	if err := f.end(ctx, doing, t.Address, how); err != nil {
		return s, err
	}
	return next, failure
}
