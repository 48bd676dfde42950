package openstack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What is made here and no service ever tells is kept in a Secret of the cluster: it is there before the object is
// asked for, bears the mark of the object, and goes after it. So a process that is killed anywhere finds the same
// value again, and nothing is left of what nobody wants any more.

// Keeper keeps that in the cluster.
type Keeper interface {
	// Kept returns what a Secret holds, nil when it certainly is not there. A Secret that Keep has not made has no mark.
	Kept(ctx context.Context, ref unit.ObjectRef) (*unit.Kept, error)
	// Keep makes a Secret; false without an error means that there is one already, which stays as it is.
	Keep(ctx context.Context, ref unit.ObjectRef, kept *unit.Kept) (made bool, err error)
	// Discard deletes a Secret as long as it bears the mark.
	Discard(ctx context.Context, ref unit.ObjectRef, mark string) error
}

const secretName = "secret" // the attribute

// keeping is a kind of which some objects have a part in a Secret.
type keeping interface {
	// joins says in the objects of a list, or in a single one, what a Secret with the mark of a target tells of them.
	joins(objects []*object, t unit.Target, ref unit.ObjectRef, kept *unit.Kept)
}

// secretsOf are the Secrets that a target has, or may have had.
func secretsOf(t unit.Target) []unit.ObjectRef {
	refs := slices.Clone(t.Locator.Objects)
	if r := resource(t); r != nil && r.Keeps != (unit.ObjectRef{}) && !slices.Contains(refs, r.Keeps) {
		refs = append(refs, r.Keeps)
	}
	return refs
}

// join reads the Secrets of a target and says in the objects what they tell. left is true when one of them is there.
func (d *Driver) join(ctx context.Context, k kind, t unit.Target, objects []*object) (left bool, err error) {
	by, ok := k.(keeping)
	if !ok || d.keeper == nil || lookup(t) {
		return false, nil
	}
	for _, ref := range secretsOf(t) {
		kept, err := d.keptAt(ctx, t, ref)
		if err != nil {
			return false, err
		}
		if kept != nil {
			left = true
			by.joins(objects, t, ref, kept)
		}
	}
	return left, nil
}

// keptAt is what a Secret of a target holds, nil for one that bears no mark of it, or none.
func (d *Driver) keptAt(ctx context.Context, t unit.Target, ref unit.ObjectRef) (*unit.Kept, error) {
	kept, err := d.keeper.Kept(ctx, ref)
	switch {
	case err != nil:
		return nil, fmt.Errorf("what is kept in the cluster: %w", err)
	case kept == nil || kept.Mark == "" || kept.Mark != t.Mark && !slices.Contains(t.Marks, kept.Mark):
		return nil, nil
	}
	return kept, nil
}

// joinAll is [Driver.join] for many targets. left are those of which a Secret is there, and says so.
func (d *Driver) joinAll(ctx context.Context, targets []unit.Target, lists map[string][]*object) (left map[addr.Object]string, failures map[addr.Object]error) {
	left, failures = map[addr.Object]string{}, map[addr.Object]error{}
	for _, t := range targets {
		there, err := d.join(ctx, d.kinds[kindOf(t)], t, lists[kindOf(t)])
		if err != nil {
			failures[t.Address] = err
		}
		if there {
			left[t.Address] = "Secret"
		}
	}
	return left, failures
}

// listFor lists a kind for one target, and joins what is kept of it.
func (d *Driver) listFor(ctx context.Context, s *session, k kind, t unit.Target, want cty.Value) ([]*object, error) {
	objects, err := listFor(ctx, s, k, t, want)
	if err == nil {
		_, err = d.join(ctx, k, t, objects)
	}
	return objects, err
}

// getFor gets the object of a target.
func (d *Driver) getFor(ctx context.Context, s *session, k kind, t unit.Target, id string) (*object, error) {
	o, err := k.get(ctx, s, id)
	if err == nil {
		_, err = d.join(ctx, k, t, []*object{o})
	}
	return o, err
}

// leftover is the state of what is not wanted any more, and of which only a Secret is left, or what comes after it.
func leftover(t unit.Target, what string) unit.State {
	return unit.State{
		Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: true, ID: t.ID, Mark: t.Mark,
		Message: "it is gone, but for its " + what, Observed: match{},
	}
}

// without is the state of a target that is gone, after what was left of it and its Secrets went as well.
func (d *Driver) without(ctx context.Context, s *session, k kind, t unit.Target, id string, st, gone unit.State) (unit.State, error) {
	if err := d.sweep(ctx, s, k, id); err != nil {
		return st, wrap(t.Address, judge(err, deleting))
	}
	if err := d.discard(ctx, k, t); err != nil {
		return st, wrap(t.Address, err)
	}
	return gone, nil
}

// discard deletes the Secrets of a target that bear its mark.
func (d *Driver) discard(ctx context.Context, k kind, t unit.Target) error {
	if _, ok := k.(keeping); !ok || d.keeper == nil {
		return nil
	}
	for _, ref := range secretsOf(t) {
		if err := d.keeper.Discard(ctx, ref, t.Mark); err != nil {
			return err
		}
	}
	return nil
}

// kept returns what the Secret of an object holds, and makes it of what fresh returns where there is none. A Secret
// that is another's is blocked.
func (w *wanted) kept(ctx context.Context, keeper Keeper, fresh func() (*unit.Kept, error)) (*unit.Kept, error) {
	for range 2 { // somebody else may make or delete it at the same time
		kept, err := keeper.Kept(ctx, w.keeps)
		switch {
		case err != nil:
			return nil, err
		case kept != nil && kept.Mark == w.mark:
			return kept, nil
		case kept != nil:
			return nil, unit.Blocked(fmt.Sprintf("%s is there already, and is none that was made for this here: write another name, or delete it", w.keeps))
		}
		if kept, err = fresh(); err != nil {
			return nil, err
		}
		kept.Mark = w.mark
		if made, err := keeper.Keep(ctx, w.keeps, kept); err != nil || made {
			return kept, err
		}
	}
	return nil, errors.New(w.keeps.String() + " comes and goes")
}

// nameIn is how a Secret is written in the block of a target.
func nameIn(t unit.Target, ref unit.ObjectRef) cty.Value {
	if r := resource(t); r != nil && r.Keeps == ref {
		return unmarked(attribute(r.Desired, secretName))
	}
	return cty.StringVal(ref.Namespace + "/" + ref.Name)
}

// lostSecret says what to do about an object whose Secret was lost; "" where nothing was.
func lostSecret(want cty.Value, o *object, what string) string {
	if attribute(want, secretName) == cty.NilVal {
		return ""
	}
	if _, there := o.values.look(secretName); there {
		return ""
	}
	return what
}

// unkept says that there is no cluster to keep something in; "" where there is one or nothing is to be kept.
func unkept(want cty.Value, keeper Keeper) string {
	if keeper != nil || attribute(want, secretName) == cty.NilVal {
		return ""
	}
	return "there is no cluster here that a Secret could be kept in: leave secret out"
}
