package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// repair puts objects back as Helm left them: no new revision, no hook. What cannot be put back holds back no
// other.
func (d *Driver) repair(ctx context.Context, v *view, found []drift) error {
	if err := d.runAgain(ctx, v, found); err != nil {
		return err
	}
	var failures []error
	for _, one := range found {
		if one.again != "" {
			continue
		}
		ref := refOf(one.desired)
		live, err := d.cluster.Confirm(ctx, ref)
		desired := one.desired
		if err == nil && live != nil {
			desired, err = d.yielded(ctx, v, desired, live)
		}
		switch {
		case err != nil:
			failures = append(failures, fmt.Errorf("look for %s: %w", ref, err))
			continue
		case one.missing && live == nil:
		case live == nil || live.GetDeletionTimestamp() != nil:
			continue // a later step finds it gone
		case one.missing && one.desired.GetKind() == kindJob:
			continue
		case one.missing && len(d.cluster.Compare(desired, live)) == 0:
			continue // a watch was behind
		case !one.missing && !slices.Equal(d.cluster.Compare(desired, live), one.fields):
			continue // the same: an upgrade may have come to it since, and a later step looks at it anew
		}
		if _, err := d.cluster.Apply(ctx, Manager, desired); err != nil {
			failures = append(failures, fmt.Errorf("repair %s: %w", ref, err))
		}
	}
	return errors.Join(failures...)
}

// removeLeftovers deletes what earlier revisions had and the newest has not. Helm tries that once
// and only logs a failure.
func (d *Driver) removeLeftovers(ctx context.Context, v *view) error {
	for _, ref := range v.leftovers {
		live, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return fmt.Errorf("look at %s: %w", ref, err)
		}
		if live == nil || live.GetDeletionTimestamp() != nil || !v.owns(live) || stays(live) {
			continue
		}
		if err := d.cluster.Delete(ctx, ref, live.GetUID()); err != nil {
			return fmt.Errorf("delete %s, which is not part of the release any more: %w", ref, err)
		}
	}
	return nil
}

// clearJobs deletes the Jobs that are in the way of the next revision, and tells whether they are
// gone: next are its objects and hooks, and run is theirs. Kubernetes refuses to change the pods of a Job, so that of
// the manifest finished ones go, and those without a pod that works where the next revision has other pods for them: one that waits for an
// image that does not exist would keep the revision with the right image out for ever. Jobs of the hooks that will run
// again go before the upgrade, as pods of the new revision would take the old ones for proof that the
// database has its new form; one that changes it right now is left to its end.
func (d *Driver) clearJobs(ctx context.Context, v *view, run string, next []*unstructured.Unstructured, hooksOfNext []*release.Hook) (bool, error) {
	if v.newest == nil {
		return true, nil
	}
	gone := true
	clear := func(ref unit.ObjectRef, mayGo func(*unstructured.Unstructured) bool) error {
		live, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return fmt.Errorf("look at %s: %w", ref, err)
		}
		if live == nil || stays(live) || !mayGo(live) {
			return nil
		}
		if live.GetDeletionTimestamp() == nil {
			if err := d.cluster.Delete(ctx, ref, live.GetUID()); err != nil {
				return fmt.Errorf("make room for a new %s: %w", ref, err)
			}
			if live, err = d.cluster.Confirm(ctx, ref); err != nil {
				return fmt.Errorf("look at %s: %w", ref, err)
			}
		}
		gone = gone && live == nil
		return nil
	}
	for _, object := range v.newest.objects {
		if object.GetKind() != kindJob {
			continue
		}
		err := clear(refOf(object), func(live *unstructured.Unstructured) bool {
			result, _ := d.outcomeOf(live)
			return v.owns(live) && (result != outcomeRunning || !hasReadyPod(live) && d.otherPods(live, v.newest.objects, next))
		})
		if err != nil {
			return false, err
		}
	}
	hooks, err := d.hooksOf(hooksOfNext, postEvent(run), v.namespace, v.name)
	if err != nil {
		return false, err
	}
	for _, h := range hooks {
		if h.ref.Kind != kindJob || !h.deletedWhen(release.HookBeforeHookCreation) {
			continue
		}
		working := false
		err := clear(h.ref, func(live *unstructured.Unstructured) bool {
			working = d.migrating(live)
			return !working
		})
		if err != nil {
			return false, err
		}
		gone = gone && !working
	}
	return gone, nil
}

// hasReadyPod tells whether a pod of a Job runs: what it does is not cut off.
func hasReadyPod(job *unstructured.Unstructured) bool {
	ready, _, _ := unstructured.NestedInt64(job.Object, "status", "ready")
	return ready > 0
}

// otherPods tells whether objects have a Job with other pods than those that it has now, or was last meant to have:
// what is only taken out shows by that.
func (d *Driver) otherPods(live *unstructured.Unstructured, last, next []*unstructured.Unstructured) bool {
	named := func(objects []*unstructured.Unstructured) *unstructured.Unstructured {
		at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return refOf(o) == refOf(live) })
		if at < 0 {
			return nil
		}
		return objects[at]
	}
	was, is := named(last), named(next)
	if was == nil || is == nil {
		return false // Helm makes or deletes it
	}
	before, _, _ := unstructured.NestedMap(was.Object, "spec", "template")
	after, _, _ := unstructured.NestedMap(is.Object, "spec", "template")
	return !equality.Semantic.DeepEqual(before, after) ||
		slices.ContainsFunc(d.cluster.Compare(is, live), func(f unit.Field) bool { return strings.HasPrefix(f.Path, "spec.template.") })
}
