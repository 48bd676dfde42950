package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/release"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Apply takes the next step: the hooks before a revision, the revision, the hooks after it, then
// the repair of drift, which does not wait for hooks that wait. With target.Mend it only repairs, whatever
// is next. It looks at the release anew, so a state that is old does no harm.
func (d *Driver) Apply(ctx context.Context, target unit.Target, _ cty.Value, state unit.State) (unit.State, error) {
	if _, ok := target.Spec.(*unit.Release); !ok {
		return state, unit.Blocked(fmt.Sprintf("%s has no Helm release to apply", target.Address))
	}
	d.listings.forget()
	defer d.listings.forget()
	v, err := d.lookNow(ctx, target)
	if err != nil {
		return state, err
	}
	if target.Mend {
		err = d.repair(ctx, v, v.mendable())
	} else {
		err = d.step(ctx, v)
	}
	if err != nil {
		return state, v.masked(err)
	}
	after, err := d.lookNow(ctx, target)
	if err != nil {
		return state, err
	}
	return d.states(ctx, []*view{after})[0], nil
}

// step does what is next for a release that is wanted.
func (d *Driver) step(ctx context.Context, v *view) error {
	switch {
	case v.unseen != "":
		return errors.New(v.unseen)
	case v.blocked != "":
		return unit.Blocked(v.blocked)
	case v.deferred != "":
		return errors.New(v.deferred)
	case v.theirWork != "":
		return nil // one at a time, as Helm itself has it
	case v.newest != nil && v.newest.status == release.StatusUninstalling:
		return d.uninstall(ctx, v) // and is installed again by a later step
	}
	if err := d.begin(ctx, v); err != nil {
		return err
	}
	switch {
	case v.failure.back != nil:
		return d.goBack(ctx, v)
	case v.restored() && v.rollout.left > 0:
		return d.replace(ctx, v.rollout)
	case v.failure.stays != "":
		return unit.Blocked(v.failure.stays)
	case v.outdated() && !v.returned():
		return d.release(ctx, v)
	case !v.owned():
		return d.relabel(ctx, v)
	}
	// One thing at a time: drift that is only to be reported is not repaired along with something else. But
	// what a hook waits for may be the very thing that somebody took away.
	switch {
	case v.hooks.former && len(v.newest.after) == 0:
		return d.forsake(ctx, v)
	case v.hooks.former, !v.hooks.done && (v.hooks.due || !v.strays()):
		_, err := d.runHooks(ctx, v, v.newest.labels[labelRun], v.newest.after)
		return err
	case len(v.removable()) > 0:
		return d.removeLeftovers(ctx, v)
	case v.failure.proves:
		v.record.Proven = true
		return d.writeProgress(ctx, v.namespace, v.name, &v.record)
	case len(v.drift) > 0:
		return d.repair(ctx, v, v.drift)
	default:
		return d.replace(ctx, v.rollout)
	}
}

// release makes a new revision: hooks before it, room for its Jobs, and Helm's action.
func (d *Driver) release(ctx context.Context, v *view) error {
	next, err := d.rendering(ctx, v)
	if err != nil {
		return err
	}
	hooks, err := d.hooksOf(next.hooks, v.preEvent(), v.namespace, v.name)
	if err != nil {
		return err
	}
	if err := d.forgetStale(ctx, v); err != nil {
		return err
	}
	if err := d.define(ctx, v, next.definitions); err != nil {
		return err
	}
	done, err := d.runHooks(ctx, v, v.run(), hooks)
	if err != nil || !done {
		return err
	}
	gone, err := d.clearJobs(ctx, v, v.run(), next.objects, next.hooks)
	if err != nil || !gone {
		return err
	}
	if err := d.unlock(ctx, v); err != nil {
		return err
	}
	loaded, err := v.want.chart()
	if err != nil {
		return unit.Blocked(fmt.Sprintf("chart %s cannot be loaded: %v", v.want.spec.Chart.Name, err))
	}
	values, _ := copied(v.want.values).(map[string]any)
	leaveAway(values, loaded, v.want.spec)
	labels := map[string]string{labelRun: v.run(), labelOurs: v.ours(v.run())}
	for key, value := range v.want.labels {
		labels[key] = value
	}
	configuration, cancel, err := d.revising(ctx, v, next.objects)
	if err != nil {
		return err
	}
	defer cancel()
	before := v.newest.standing()
	if v.newest == nil { // what is left of a history that was lost has its names from there
		before = next.objects
	}
	d.countRendering()
	// Without a context on purpose: Helm would return at once and go on in the background.
	if v.base == 0 {
		install := action.NewInstall(configuration)
		install.ReleaseName, install.Namespace, install.Labels = v.name, v.namespace, labels
		install.DisableHooks, install.DisableOpenAPIValidation, install.Timeout = true, true, d.options.Timeout
		install.Replace = v.newest != nil
		install.SkipCRDs = true // they are there
		install.PostRenderer = amendmentOf(v.want.spec, before)
		_, err = install.Run(loaded, values)
	} else {
		upgrade := action.NewUpgrade(configuration)
		labels[labelBack] = noLabel // Helm keeps those of the revision before
		upgrade.Namespace, upgrade.Labels, upgrade.MaxHistory = v.namespace, labels, maxHistory
		upgrade.DisableHooks, upgrade.DisableOpenAPIValidation, upgrade.Timeout = true, true, d.options.Timeout
		upgrade.ResetValues = true
		upgrade.PostRenderer = amendmentOf(v.want.spec, before)
		_, err = upgrade.Run(v.name, loaded, values)
	}
	return d.failed(ctx, v, v.run(), d.explained(v, err))
}

// explained makes an error of Helm's one that says what to do where that is known.
func (d *Driver) explained(v *view, err error) error {
	switch {
	case err == nil:
		return nil
	case tooLarge(err):
		return unit.Blocked(fmt.Sprintf("release %s/%s is larger than 1 MiB when stored, which is all that Kubernetes takes: use fewer groups of nodes or less configuration", v.namespace, v.name))
	case strings.Contains(err.Error(), "cannot be imported into the current release"):
		return unit.Blocked(fmt.Sprintf("release %s/%s: %v: delete the object or have the release adopt it", v.namespace, v.name, err))
	case strings.Contains(err.Error(), unit.ErrNotWriter.Error()): // Helm does not always wrap
		return fmt.Errorf("%w: release %s/%s", unit.ErrNotWriter, v.namespace, v.name)
	default:
		return fmt.Errorf("release %s/%s: %w", v.namespace, v.name, err)
	}
}

// tooLarge tells whether the API server refused the Secret of a release for its size.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) ||
		strings.Contains(err.Error(), "Too long: may not be more than 1048576 bytes") ||
		strings.Contains(err.Error(), "Too long: must have at most 1048576 bytes")
}

// unlock marks a revision as failed that a process left behind which was killed, as Helm would
// refuse to go on.
func (d *Driver) unlock(ctx context.Context, v *view) error {
	if v.newest == nil || !v.newest.status.IsPending() {
		return nil
	}
	return d.change(ctx, v, func(stored *release.Release) {
		stored.SetStatus(release.StatusFailed, fmt.Sprintf("%s was cut off", stored.Info.Status))
	})
}

// relabel makes a release ours that is as wanted already.
func (d *Driver) relabel(ctx context.Context, v *view) error {
	return d.change(ctx, v, func(stored *release.Release) {
		if stored.Labels == nil {
			stored.Labels = map[string]string{}
		}
		stored.Labels[labelMark] = markOf(v.target)
	})
}

// change rewrites the newest revision.
func (d *Driver) change(ctx context.Context, v *view, edit func(*release.Release)) error {
	configuration, cancel, err := d.operation(ctx, v.namespace, v.name)
	if err != nil {
		return err
	}
	defer cancel()
	stored, err := configuration.Releases.Get(v.name, v.newest.version)
	if err != nil {
		return fmt.Errorf("read revision %d of release %s/%s: %w", v.newest.version, v.namespace, v.name, err)
	}
	edit(stored)
	if err := configuration.Releases.Update(stored); err != nil {
		return fmt.Errorf("store revision %d of release %s/%s: %w", v.newest.version, v.namespace, v.name, err)
	}
	return nil
}
