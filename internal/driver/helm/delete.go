package helm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Delete takes the next step towards the release's absence: its hooks before, what it has in other services as
// far as that goes with it, Helm's uninstall, the wait until the objects are gone, its hooks after, its claims to volumes as far as
// these are on record as going with it, and at last the history. What has Helm's
// policy "keep", and other claims, stay. Of one that never came to a revision that goes which its hooks have made.
func (d *Driver) Delete(ctx context.Context, target unit.Target, state unit.State) (unit.State, error) {
	target.Spec = nil
	namespace, name := idOf(target)
	d.listings.forget()
	defer d.listings.forget()
	v, err := d.lookNow(ctx, target)
	if err != nil {
		return state, err
	}
	if v.newest == nil {
		if gone, waits, err := d.takeData(ctx, target); err != nil || !gone {
			return unit.State{Existence: unit.Present, Health: unit.HealthProgressing, Outputs: cty.NilVal, Message: cmp.Or(waits, takingData)}, err
		}
		if left, gone, err := d.endBegun(ctx, v); err != nil || !gone {
			return left, err
		}
		// The progress of hooks goes last, so that it is there as long as it may be needed.
		if err := d.deleteProgress(ctx, namespace, name); err != nil {
			return state, err
		}
		return d.absent(target), nil
	}
	if !v.owned() && !target.Imported {
		return state, unit.Blocked(fmt.Sprintf("release %s/%s is not marked as ours: uninstall it with Helm if it shall go", namespace, name))
	}
	if unread := v.newest.unread; unread != nil { // before anything is done: it may have what nobody else deletes
		return state, unit.Blocked(fmt.Sprintf("%v: put it back from a backup, or delete it to have the release go without what only that one had", unread))
	}
	if v.theirWork != "" {
		return d.state(ctx, v), nil
	}
	if err := d.deleteStep(ctx, v); err != nil {
		return state, v.masked(err)
	}
	after, err := d.lookNow(ctx, target)
	if err != nil {
		return state, err
	}
	if after.newest == nil {
		if err := d.deleteProgress(ctx, namespace, name); err != nil {
			return state, err
		}
		state = d.absent(target)
		state.CleanedUp = v.cleanedUp()
		return state, nil
	}
	state = d.state(ctx, after)
	state.Health, state.Message = unit.HealthProgressing, cmp.Or(v.waits, state.Message)
	return state, nil
}

// absent forgets what is known of a release, and says that it is gone.
func (d *Driver) absent(target unit.Target) unit.State {
	namespace, name := idOf(target)
	d.forget(namespace, name)
	d.remember(target.Address, "", nil)
	return unit.State{Existence: unit.Absent}
}

func (d *Driver) deleteStep(ctx context.Context, v *view) error {
	if missed := v.missed(); v.late() && len(missed) > 0 {
		return unit.Blocked(fmt.Sprintf("release %s/%s is being uninstalled already, so nothing of its %s can be taken away with it: take that out of clean_up, and away by hand what is there",
			v.namespace, v.name, strings.Join(missed, ", ")))
	}
	run := v.deleteRun()
	if v.newest.status != release.StatusUninstalled {
		if v.newest.status != release.StatusUninstalling {
			if _, err := d.allowed(ctx, v, v.target.CleanUp); err != nil {
				return err // before anything is done: somebody has to decide otherwise
			}
			done, err := d.runHooksOf(ctx, v, run, release.HookPreDelete)
			if err != nil || !done {
				return err
			}
			if len(v.target.CleanUp) > 0 {
				return d.beginCleanUp(ctx, v)
			}
		}
		if v.cleaning() && len(v.target.CleanUp) > 0 {
			if done, err := d.cleanUp(ctx, v); err != nil || !done {
				return err
			}
			if missed := v.missed(); len(missed) > 0 {
				return d.noteCleanUp(ctx, v)
			}
		}
		return d.uninstall(ctx, v)
	}
	last := func(h *release.Hook) bool { return slices.Contains(h.Events, release.HookPostDelete) }
	refs, err := d.hookRefs(v, func(h *release.Hook) bool { return !last(h) })
	if err != nil {
		return err
	}
	gone, err := d.sweep(ctx, v, append(append(refs, deletable(v.newest.objects)...), v.newest.previous...))
	if err != nil || !gone {
		return err
	}
	done, err := d.runHooksOf(ctx, v, run, release.HookPostDelete)
	if err != nil || !done {
		return err
	}
	if refs, err = d.hookRefs(v, last); err != nil {
		return err
	}
	if gone, err = d.sweep(ctx, v, refs); err != nil || !gone {
		return err
	}
	if gone, v.waits, err = d.takeData(ctx, v.target); err != nil || !gone {
		return err // while there is a history the release is not gone, so that this goes on
	}
	return d.purge(ctx, v)
}

// deleteRun names the run of hooks that belongs to the deletion of the newest revision.
func (v *view) deleteRun() string {
	return "delete." + hashOf(v.namespace, v.name, fmt.Sprint(v.newest.version))[:32]
}

// inspectDeletion tells whether the deletion of a release has begun, and looks at the hooks that it
// has to run now. The record of those that were run before it is gone then.
func (d *Driver) inspectDeletion(ctx context.Context, v *view) (begun bool, err error) {
	run, event := v.deleteRun(), release.HookPreDelete
	switch v.newest.status {
	case release.StatusUninstalling:
		v.deleting, v.hooks = true, hookStatus{done: true}
		if v.cleaning() && len(v.target.CleanUp) > 0 {
			err = d.inspectCleanUp(ctx, v)
		}
		return true, err
	case release.StatusUninstalled:
		event = release.HookPostDelete
	default:
	}
	ref := progressRef(v.namespace, v.name)
	recorded, err := d.cluster.Get(ctx, ref)
	if err != nil {
		return false, fmt.Errorf("look at the hooks: %w", err)
	}
	p := readProgress(recorded[ref], run)
	v.deleting = event == release.HookPostDelete || len(p.Hooks) > 0 || len(p.Finished) > 0
	if !v.deleting {
		return false, nil
	}
	hooks, err := d.hooksOf(v.newest.hooks, event, v.namespace, v.name)
	if err != nil {
		return false, err
	}
	v.hooks, err = d.hookState(ctx, v.namespace, v.name, run, hooks)
	return true, err
}

// runHooksOf takes the next step of an event's hooks of the newest revision.
func (d *Driver) runHooksOf(ctx context.Context, v *view, run string, event release.HookEvent) (bool, error) {
	hooks, err := d.hooksOf(v.newest.hooks, event, v.namespace, v.name)
	if err != nil {
		return false, err
	}
	return d.runHooks(ctx, v, run, hooks)
}

// uninstall has Helm delete the objects. The history stays until they are really gone: Helm only
// asks for the deletion.
func (d *Driver) uninstall(ctx context.Context, v *view) error {
	if v.cleaning() {
		if gone, err := d.endCleanUp(ctx, v); err != nil || !gone {
			return err
		}
	}
	return d.runUninstall(ctx, v, true)
}

// purge drops the history of a release that was uninstalled.
func (d *Driver) purge(ctx context.Context, v *view) error { return d.runUninstall(ctx, v, false) }

func (d *Driver) runUninstall(ctx context.Context, v *view, keepHistory bool) error {
	configuration, cancel, err := d.operation(ctx, v.namespace, v.name)
	if err != nil {
		return err
	}
	defer cancel()
	uninstall := action.NewUninstall(configuration)
	uninstall.DisableHooks, uninstall.KeepHistory, uninstall.Timeout = true, keepHistory, d.options.Timeout
	_, err = uninstall.Run(v.name)
	return d.explained(v, err)
}

// deletable returns the references of the objects that go with their release.
func deletable(objects []*unstructured.Unstructured) []unit.ObjectRef {
	var refs []unit.ObjectRef
	for _, object := range objects {
		if !stays(object) {
			refs = append(refs, refOf(object))
		}
	}
	return refs
}

// hookRefs returns the references of the objects of some hooks that go with the release.
func (d *Driver) hookRefs(v *view, chosen func(*release.Hook) bool) ([]unit.ObjectRef, error) {
	var refs []unit.ObjectRef
	for _, h := range v.newest.hooks {
		if !chosen(h) {
			continue
		}
		objects, err := d.parse(split(h.Manifest), v.namespace, nil)
		if err != nil {
			return nil, fmt.Errorf("hook %s: %w", h.Path, err)
		}
		refs = append(refs, deletable(objects)...)
	}
	return refs, nil
}

// sweep deletes what an uninstalled release still has of some objects, and tells whether all of
// them are gone.
func (d *Driver) sweep(ctx context.Context, v *view, refs []unit.ObjectRef) (bool, error) {
	gone := true
	for _, ref := range refs {
		live, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return false, fmt.Errorf("look whether %s is gone: %w", ref, err)
		}
		if !v.tookPart(live) {
			continue
		}
		gone = false
		if live.GetDeletionTimestamp() == nil {
			if err := d.cluster.Delete(ctx, ref, live.GetUID()); err != nil {
				return false, fmt.Errorf("delete %s: %w", ref, err)
			}
		}
	}
	return gone, nil
}

// tookPart tells whether an object, which may be nil, is of the release or its hooks, and goes with it.
func (v *view) tookPart(live *unstructured.Unstructured) bool {
	return live != nil && !stays(live) && (v.owns(live) || live.GetAnnotations()[annotationRelease] == v.name)
}

// deleteProgress drops the record of hooks.
func (d *Driver) deleteProgress(ctx context.Context, namespace, name string) error {
	ref := progressRef(namespace, name)
	live, err := d.cluster.Confirm(ctx, ref)
	if err != nil {
		return fmt.Errorf("look for the progress of hooks: %w", err)
	}
	if live == nil || live.GetAnnotations()[annotationRelease] != name {
		return nil
	}
	if err := d.cluster.Delete(ctx, ref, live.GetUID()); err != nil {
		return fmt.Errorf("delete the progress of hooks: %w", err)
	}
	return nil
}

// going says how far objects are that go, by the one of them that tells most: others may have set a finalizer on it.
func (v *view) going(left []unit.ObjectRef) (unit.ObjectRef, string) {
	slices.SortFunc(left, unit.ObjectRef.Compare)
	number := "the last object"
	if len(left) > 1 {
		number = fmt.Sprintf("one of %d objects", len(left))
	}
	for _, ref := range left {
		live := v.live[ref]
		if held := cause.Held(live.GetFinalizers()); held != "" && live.GetDeletionTimestamp() != nil {
			return ref, "it is going, as " + number + held
		}
	}
	return left[0], "it is going, as " + number
}
