package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	storagedriver "helm.sh/helm/v3/pkg/storage/driver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// returnPrefix begins the names of runs that go back.
const returnPrefix = "return."

func isReturn(run string) bool { return strings.HasPrefix(run, returnPrefix) }

// goingTo is the way back from an upgrade that failed.
type goingTo struct {
	run   string
	to    *revision
	cause string
	hooks hookStatus // of those before it
}

// input names all that a revision is made from, and what the configuration says to have it tried again.
func (v *view) input() string {
	l := v.want.labels
	return hashOf(l[labelSpec], l[labelChart], l[labelValues], v.want.spec.Retry)[:32]
}

// returnRun names the run that goes back from what is wanted. It is another one after a try that somebody asked for.
func (v *view) returnRun() string {
	return returnPrefix + hashOf(v.namespace, v.name, v.input(), fmt.Sprint(v.base))[:32]
}

// formerReturnRun is the same as programs named it that tried nothing for who asks.
func (v *view) formerReturnRun() string {
	return returnPrefix + hashOf(v.namespace, v.name, v.input())[:32]
}

// returned tells whether the newest revision was made in place of what is wanted, as that failed. What somebody else has made since
// then has its label, and is not what was gone back to.
func (v *view) returned() bool {
	return !v.again && v.newest != nil && v.want != nil && v.newest.status == release.StatusDeployed && v.newest.labels[labelBack] == v.input() && !v.newest.foreign()
}

// afterReturn says why a release stays as it is that has gone back, "" as long as something of that is to be done.
func (v *view) afterReturn() string {
	switch {
	case v.hooks.done && len(v.removable()) == 0:
		return v.newest.description + "; what is wanted is tried again once the configuration changes or somebody asks"
	case v.hooks.failed && v.record.Run == v.newest.labels[labelRun] && v.record.Failures >= maxReturns:
		return fmt.Sprintf("%s; and then %s", v.newest.description, v.record.Cause)
	default:
		return ""
	}
}

// wayBack returns how a release may go back from an upgrade that failed, or why it may not.
func (d *Driver) wayBack(ctx context.Context, v *view, run string) (back *goingTo, why string, err error) {
	r := &v.record
	switch {
	case v.newest.labels[labelRun] != run:
		return nil, "nothing of it was applied", nil
	case r.Good == 0 && r.NoGood != "":
		return nil, r.NoGood, nil
	case r.Good == 0:
		return nil, "that was not asked for when the upgrade began", nil
	}
	to, err := d.past(ctx, v, r.Good)
	var unread *unreadableError
	switch {
	case errors.As(err, &unread):
		return nil, unread.Error(), nil
	case err != nil:
		return nil, "", err
	case to == nil:
		return nil, fmt.Sprintf("revision %d is gone", r.Good), nil
	case to.labels[labelValues] != v.newest.labels[labelValues]: // databases and brokers may know the new ones only
		return nil, fmt.Sprintf("revision %d has other secret values", r.Good), nil
	}
	if ran := migration(v.newest, r, to); ran != "" {
		return nil, ran + ", which may have changed the schema of a database", nil
	}
	if ref := takenOver(to, v.newest); ref != "" {
		return nil, ref + " may have data of its new version", nil
	}
	return &goingTo{run: v.returnRun(), to: to, cause: r.Cause}, "", nil
}

// judgeReturn goes on with a return that was begun.
func (d *Driver) judgeReturn(ctx context.Context, v *view) error {
	r := &v.record
	if r.Failures >= maxReturns && !v.asked() {
		v.failure.stays = fmt.Sprintf("the upgrade failed, and to go back to revision %d failed as well, %d times: %s", r.Good, r.Failures, r.Cause)
		return nil
	}
	to, err := d.past(ctx, v, r.Good)
	var unread *unreadableError
	if errors.As(err, &unread) {
		v.failure.stays = fmt.Sprintf("the upgrade failed, and %s", unread)
		return nil
	}
	if err != nil {
		return err
	}
	if to == nil {
		v.failure.stays = fmt.Sprintf("the upgrade failed, and revision %d to go back to is gone", r.Good)
		return nil
	}
	hooks, err := d.hooksOf(to.hooks, release.HookPreRollback, v.namespace, v.name)
	if err != nil {
		return err
	}
	back := &goingTo{run: r.Run, to: to, cause: r.Why}
	back.hooks, err = d.hookState(ctx, v.namespace, v.name, r.Run, hooks)
	v.failure.back = back
	return err
}

// lastOfOurs returns the newest revision that nobody else has made, as far as Helm has kept one: what others have typed for a
// generated value is none that the release keeps. Of one that cannot be read the labels are known, and nothing else.
func (d *Driver) lastOfOurs(ctx context.Context, v *view) (*revision, error) {
	if v.newest == nil || !v.newest.foreign() || v.newest.status == release.StatusUninstalling || v.newest.status == release.StatusUninstalled {
		return v.newest, nil
	}
	for _, of := range slices.Backward(v.history) {
		if !of.foreign() {
			found, err := d.past(ctx, v, of.version)
			var unread *unreadableError
			if errors.As(err, &unread) {
				return &revision{stored: of, unread: unread, bare: true}, nil
			}
			return cmp.Or(found, v.newest), err
		}
	}
	return v.newest, nil
}

// past returns an older revision, nil when it is gone.
func (d *Driver) past(ctx context.Context, v *view, version int) (*revision, error) {
	for _, of := range v.history {
		if of.version == version {
			return d.read(ctx, v.namespace, of, nil)
		}
	}
	return nil, nil
}

// backDiff says what going back does.
func (v *view) backDiff() unit.Diff {
	back := v.failure.back
	diff := unit.Diff{
		Action: unit.ActionUpdate, Continues: true, Waits: back.hooks.waits(),
		Reason: fmt.Sprintf("the upgrade failed, and the release goes back to revision %d: %s", back.to.version, back.cause),
	}
	if diff.Waits || back.hooks.failed {
		diff.Reason += fmt.Sprintf("; hook %s: %s", back.hooks.hook, back.hooks.message)
	}
	before := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, object := range v.newest.objects {
		before[refOf(object)] = object
	}
	for _, object := range back.to.objects {
		if rolls(object) && changesPods(before[refOf(object)], object) {
			diff.Action, diff.Cost = unit.ActionRestart, "pods are restarted one by one"
		}
	}
	diff.Reason = v.masker.Text(diff.Reason).String()
	return diff
}

// goBack takes the next step back: that it was decided goes on record first, then come the hooks, room for the
// Jobs, and Helm's action, which makes a new revision of the old one.
func (d *Driver) goBack(ctx context.Context, v *view) error {
	back := v.failure.back
	if v.record.Run == back.run && v.record.Failures > 0 && v.asked() {
		p := v.record
		p.Failures, p.Asked = 0, v.target.Asked
		return d.writeProgress(ctx, v.namespace, v.name, &p)
	}
	if v.record.Run != back.run {
		p := &progress{Run: back.run, Done: v.record.done(), Undone: v.record.Undone}
		p.Good, p.Retry, p.Why = back.to.version, v.want.spec.Retry, v.masker.Text(back.cause).String()
		p.Asked = cmp.Or(v.target.Asked, v.record.Asked)
		return d.writeProgress(ctx, v.namespace, v.name, p)
	}
	hooks, err := d.hooksOf(back.to.hooks, release.HookPreRollback, v.namespace, v.name)
	if err != nil {
		return err
	}
	if done, err := d.runHooks(ctx, v, back.run, hooks); err != nil || !done {
		return err
	}
	if gone, err := d.clearJobs(ctx, v, back.run, back.to.objects, back.to.hooks); err != nil || !gone {
		return err
	}
	if err := d.unlock(ctx, v); err != nil {
		return err
	}
	configuration, cancel, err := d.revising(ctx, v, back.to.objects)
	if err != nil {
		return err
	}
	defer cancel()
	labels := maps.Clone(back.to.labels)
	maps.DeleteFunc(labels, func(key, _ string) bool { return !strings.HasPrefix(key, "kupenstack.io/") })
	labels[labelRun], labels[labelBack], labels[labelOurs] = back.run, v.input(), v.ours(back.run)
	if v.target.Mark != "" {
		labels[labelMark] = markOf(v.target)
	}
	configuration.Releases.Driver = &retold{
		Driver: configuration.Releases.Driver, from: v.newest.version, labels: labels,
		description: v.masker.Text(fmt.Sprintf("revision %d failed and was rolled back to revision %d: %s", v.newest.version, back.to.version, back.cause)).String(),
	}
	// Helm keeps a few revisions, and the good one is to be among them however often somebody asks. What was tried to go
	// back is all the same, so that the last one is enough.
	for _, tried := range v.history[:len(v.history)-1] {
		if len(v.history) >= maxHistory && tried.labels[labelRun] == back.run && tried.status == release.StatusFailed {
			if _, err := configuration.Releases.Delete(v.name, tried.version); err != nil && !errors.Is(err, storagedriver.ErrReleaseNotFound) {
				return fmt.Errorf("make room for revision %d of release %s/%s: %w", v.newest.version+1, v.namespace, v.name, err)
			}
		}
	}
	rollback := action.NewRollback(configuration)
	rollback.Version, rollback.MaxHistory = back.to.version, maxHistory
	rollback.DisableHooks, rollback.Timeout = true, d.options.Timeout
	return d.failed(ctx, v, back.run, d.explained(v, rollback.Run(v.name)))
}

// retold stores the revision that a rollback makes with labels and a description of ours: Helm would take those
// of the old one. The revision that failed stays one that failed.
type retold struct {
	storagedriver.Driver
	from        int
	labels      map[string]string
	description string
}

// Create stores the new revision.
func (r *retold) Create(key string, made *release.Release) error {
	made.Labels, made.Info.Description = maps.Clone(r.labels), r.description
	return r.Driver.Create(key, made)
}

// Update stores what became of a revision.
func (r *retold) Update(key string, of *release.Release) error {
	if of.Version == r.from && of.Info.Status == release.StatusSuperseded {
		if stored, err := r.Get(key); err != nil || stored.Info.Status == release.StatusFailed {
			return err
		}
	}
	return r.Driver.Update(key, of)
}

// usesToolkit tells whether a chart is made with the library of OpenStack-Helm's.
func usesToolkit(of *chart.Chart) bool {
	if of == nil || of.Metadata == nil {
		return false
	}
	for _, dependency := range of.Metadata.Dependencies {
		if dependency != nil && dependency.Name == toolkit {
			return true
		}
	}
	return false
}
