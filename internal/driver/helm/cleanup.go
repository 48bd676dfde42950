package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/cleanup"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// cleaningUp is the description of a revision from the first thing on that is taken away in other services until
// its objects go. Its status is uninstalling by then: should somebody want the release after all, it is installed
// anew, and makes again what is missing.
const cleaningUp = "What it has in other services is taken away"

// eventCleanUp is the event of the Jobs that do that. No chart has hooks of it.
const eventCleanUp release.HookEvent = "clean-up"

// cleaning tells whether a release is in that state.
func (v *view) cleaning() bool {
	return v.newest != nil && v.newest.status == release.StatusUninstalling && v.newest.description == cleaningUp
}

// cleanRun names the run of the Jobs. Another list of what goes is another run: each Job may run twice.
func (v *view) cleanRun() string {
	return "clean." + hashOf(append([]string{v.namespace, v.name, fmt.Sprint(v.newest.version)}, v.target.CleanUp...)...)[:32]
}

// beginCleanUp marks the release as one that goes, for good.
func (d *Driver) beginCleanUp(ctx context.Context, v *view) error {
	return d.change(ctx, v, func(stored *release.Release) {
		stored.SetStatus(release.StatusUninstalling, cleaningUp)
	})
}

// late tells whether the objects of a release that goes are going themselves.
func (v *view) late() bool {
	return v.newest != nil && (v.newest.status == release.StatusUninstalled || v.newest.status == release.StatusUninstalling && !v.cleaning())
}

// cleanedUp is what the release had in other services and is taken away.
func (v *view) cleanedUp() []string {
	if v.newest == nil || v.newest.labels[labelGone] == "" {
		return nil
	}
	return strings.Split(v.newest.labels[labelGone], ".")
}

// missed is what is to be taken away and is not on record as done.
func (v *view) missed() []string {
	done := v.cleanedUp()
	return slices.DeleteFunc(slices.Clone(v.target.CleanUp), func(name string) bool { return slices.Contains(done, name) })
}

// noteCleanUp records with the release what is taken away: afterwards nothing else could tell.
func (d *Driver) noteCleanUp(ctx context.Context, v *view) error {
	done := append(v.cleanedUp(), v.missed()...)
	slices.Sort(done)
	return d.change(ctx, v, func(stored *release.Release) {
		if stored.Labels == nil {
			stored.Labels = map[string]string{}
		}
		stored.Labels[labelGone] = strings.Join(done, ".")
	})
}

// cleanUp takes the next step of taking away what the release has in other services, and tells whether that is
// done. It needs the Secrets of the release, and the services: what these need stays until the release is gone.
func (d *Driver) cleanUp(ctx context.Context, v *view) (bool, error) {
	hooks, err := d.allowed(ctx, v, v.target.CleanUp)
	if err != nil {
		return false, err
	}
	return d.runHooks(ctx, v, v.cleanRun(), hooks)
}

// inspectCleanUp looks at how far that is.
func (d *Driver) inspectCleanUp(ctx context.Context, v *view) error {
	hooks, err := d.cleaners(v, v.target.CleanUp)
	if unit.IsBlocked(err) {
		return nil // the step tells
	}
	if err == nil {
		v.hooks, err = d.hookState(ctx, v.namespace, v.name, v.cleanRun(), hooks)
	}
	return err
}

// endCleanUp deletes all Jobs of that kind, whether they are done or not wanted any more, and tells whether
// nothing of them runs: what is made by a new installation they must not find.
func (d *Driver) endCleanUp(ctx context.Context, v *view) (bool, error) {
	refs := v.cleanerRefs()
	gone, err := d.sweep(ctx, v, refs)
	if err != nil {
		return false, err
	}
	for _, ref := range refs {
		pods, err := d.api.Pods(ctx, ref.Namespace, "job-name="+ref.Name)
		if err != nil {
			return false, fmt.Errorf("look for pods of %s: %w", ref, err)
		}
		gone = gone && !slices.ContainsFunc(pods, func(p corev1.Pod) bool {
			return p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed
		})
	}
	return gone, nil
}

// cleanerRefs returns the references of all Jobs that take something away, whether they are wanted or not.
func (v *view) cleanerRefs() []unit.ObjectRef {
	var refs []unit.ObjectRef
	for _, left := range schema.Leftovers() {
		for _, name := range cleanup.Names(v.name, left) {
			refs = append(refs, unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: v.namespace, Name: name})
		}
	}
	return refs
}

// cleaners returns the Jobs that take away some of what the release has in other services.
func (d *Driver) cleaners(v *view, names []string) ([]hook, error) {
	if len(names) == 0 {
		return nil, nil
	}
	objects, err := d.consistsOf(v.newest, v.namespace)
	if err != nil {
		return nil, err
	}
	var hooks []hook
	for _, left := range schema.Leftovers() {
		if !slices.Contains(names, left) {
			continue
		}
		jobs, err := cleanup.Jobs(cleanup.Release{Namespace: v.namespace, Name: v.name, Objects: objects}, left)
		if err != nil {
			return nil, unit.Blocked(fmt.Sprintf("release %s/%s did not make its %s by a Job of OpenStack-Helm's: %v: take %q out of clean_up, and away by hand what is there",
				v.namespace, v.name, left, err, left))
		}
		for _, object := range jobs {
			hooks = append(hooks, v.cleaner(object))
		}
	}
	return hooks, nil
}

// cleaner makes a hook of a Job that takes something away.
func (v *view) cleaner(object *unstructured.Unstructured) hook {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[labelManagedBy] = managedByHelm
	object.SetLabels(labels)
	annotate(object, annotationRelease, v.name)
	return hook{
		event: eventCleanUp, policies: []release.HookDeletePolicy{release.HookBeforeHookCreation, release.HookSucceeded},
		object: object, ref: refOf(object),
	}
}

// consistsOf returns the objects of a revision, with those of its hooks.
func (d *Driver) consistsOf(r *revision, namespace string) ([]*unstructured.Unstructured, error) {
	objects := slices.Clone(r.objects)
	for _, h := range r.hooks {
		found, err := d.parse(split(h.Manifest), namespace, nil)
		if err != nil {
			return nil, unreadableIn("hook "+h.Path, err)
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// told is what a Job that took something away has to say at its end: what it was to take away and did not.
func (r *hookRun) told(ctx context.Context, h hook) (string, error) {
	if r.event != eventCleanUp {
		return "", nil
	}
	pods, err := r.driver.api.Pods(ctx, r.namespace, "job-name="+h.ref.Name)
	if err != nil {
		return "", fmt.Errorf("look for pods of %s: %w", h.ref, err)
	}
	var lines []string
	for i := range pods {
		for _, status := range pods[i].Status.ContainerStatuses {
			if end := status.State.Terminated; end != nil && end.ExitCode == 0 && end.Message != "" {
				lines = append(lines, strings.Split(strings.TrimSpace(end.Message), "\n")...)
			}
		}
	}
	slices.Sort(lines)
	return r.hide(strings.Join(slices.Compact(lines), "; ")), nil
}
