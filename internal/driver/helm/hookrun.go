package helm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// firstRetry and lastRetry are the pauses before a hook that failed is run again, a fifth more at most; they double
	// in between.
	firstRetry = 30 * time.Second
	lastRetry  = 10 * time.Minute
)

// hookRun runs the hooks of one event. It takes one step at a time and asks the API server itself,
// never a watch: what it does not see it would do twice.
type hookRun struct {
	driver    *Driver
	namespace string
	name      string
	event     release.HookEvent
	hooks     []hook
	progress  *progress
	hide      func(string) string // takes the release's secrets out of a text
	asked     string              // see [unit.Target.Asked]
}

// forgetStale drops the record of a run that is about to begin and has hooks after its revision on
// record already: somebody uninstalled the release behind our back, and the record is of its former
// life.
func (d *Driver) forgetStale(ctx context.Context, v *view) error {
	stored, err := d.cluster.Confirm(ctx, progressRef(v.namespace, v.name))
	if err != nil {
		return fmt.Errorf("read the progress of hooks: %w", err)
	}
	if run := v.run(); !readProgress(stored, run).begun(postEvent(run)) {
		return nil
	}
	return d.deleteProgress(ctx, v.namespace, v.name)
}

// runHooks takes the next step of the hooks of one event and tells whether all are done. A hook that
// failed is a [unit.RetryError]; the call after it runs it again.
func (d *Driver) runHooks(ctx context.Context, v *view, run string, hooks []hook) (bool, error) {
	namespace, name := v.namespace, v.name
	if len(hooks) == 0 {
		return true, nil
	}
	event := hooks[0].event
	stored, err := d.cluster.Confirm(ctx, progressRef(namespace, name))
	if err != nil {
		return false, fmt.Errorf("read the progress of hooks: %w", err)
	}
	r := &hookRun{driver: d, namespace: namespace, name: name, event: event, hooks: hooks, progress: readProgress(stored, run), hide: v.hide, asked: v.target.Asked}
	switch {
	case r.progress.finished(event) && r.progress.Done == run: // what failed of the run in between counts no more
		r.progress.Done = ""
		r.progress.Undone++
		return true, d.writeProgress(ctx, namespace, name, r.progress)
	case r.progress.finished(event):
		return true, nil
	}
	for _, h := range hooks {
		done, err := r.step(ctx, h)
		if err != nil || !done {
			return false, err
		}
	}
	if err := r.cleanUp(ctx); err != nil {
		return false, err
	}
	r.progress.Finished = append(r.progress.Finished, event)
	r.progress.Ended = time.Now().UTC()
	return true, d.writeProgress(ctx, namespace, name, r.progress)
}

// step brings one hook on, and tells whether it is done.
func (r *hookRun) step(ctx context.Context, h hook) (bool, error) {
	record := r.progress.Hooks[hookKey(h.event, h.ref)]
	if record.Stage == hookDone {
		return true, nil
	}
	live, err := r.driver.cluster.Confirm(ctx, h.ref)
	if err != nil {
		return false, fmt.Errorf("look at hook %s: %w", h.ref, err)
	}
	if attempt, ours := r.attemptOf(live); ours && record.Stage != hookFailed && (record.Stage == "" || attempt == record.Attempt) {
		record.Attempt = attempt
		return r.judge(ctx, h, live, record)
	}
	if live != nil && stays(h.object) {
		// Such as the Secrets with Keystone's keys: what is there is never made anew.
		return true, r.record(ctx, h, hookRecord{Stage: hookDone, Attempt: record.Attempt})
	}
	if live != nil {
		if err := r.makeRoom(ctx, h, live); err != nil {
			return false, err
		}
		if live, err = r.driver.cluster.Confirm(ctx, h.ref); err != nil || live != nil {
			return false, err // the next step looks again
		}
	}
	if record.Stage != hookCreating {
		record.Attempt++
	}
	return r.create(ctx, h, record.Attempt)
}

// create makes the hook's object. Between the record and the creation a kill is harmless: the name
// is the same the next time.
func (r *hookRun) create(ctx context.Context, h hook, attempt int) (bool, error) {
	if err := r.record(ctx, h, hookRecord{Stage: hookCreating, Attempt: attempt}); err != nil {
		return false, err
	}
	object := h.object.DeepCopy()
	annotate(object, annotationRevision, r.revision(attempt))
	created, err := r.driver.cluster.Create(ctx, Manager, object)
	if err != nil {
		return false, fmt.Errorf("run hook %s: %w", h.ref, err)
	}
	return r.judge(ctx, h, created, hookRecord{Stage: hookCreating, Attempt: attempt})
}

// judge looks at a hook's object of this run.
func (r *hookRun) judge(ctx context.Context, h hook, live *unstructured.Unstructured, record hookRecord) (bool, error) {
	result, message := r.driver.outcomeOf(live)
	hangs := result == outcomeRunning && r.driver.hangs(r.progress.Run, live)
	if hangs {
		result, message = outcomeFailed, r.driver.overtime(live)+": "+message
	}
	switch result {
	case outcomeDone:
		told, err := r.told(ctx, h)
		if err != nil {
			return false, err
		}
		return true, r.record(ctx, h, hookRecord{Stage: hookDone, Attempt: record.Attempt, Message: told})
	case outcomeFailed:
		if causes := r.driver.cluster.Explain(ctx, h.ref, r.hide).Causes; len(causes) > 0 { // its pods may go with it
			message += "; " + causes[0]
		}
		r.progress.fail(fmt.Sprintf("hook %s failed: %s", h.ref, message), r.driver.cluster.Now(), r.asked)
		if err := r.record(ctx, h, hookRecord{Stage: hookFailed, Attempt: record.Attempt, Message: message}); err != nil {
			return false, err
		}
		failure := fmt.Errorf("hook %s failed: %s", h.ref, message)
		if hangs || h.deletedWhen(release.HookFailed) {
			if err := r.driver.cluster.Delete(ctx, h.ref, live.GetUID()); err != nil {
				return false, fmt.Errorf("%w; and to delete it: %w", failure, err)
			}
		}
		return false, r.progress.again(record.Attempt, failure)
	default:
		if record.Stage != hookRunning {
			return false, r.record(ctx, h, hookRecord{Stage: hookRunning, Attempt: record.Attempt})
		}
		return false, nil
	}
}

// makeRoom deletes what has the hook's name, from an earlier run or attempt.
func (r *hookRun) makeRoom(ctx context.Context, h hook, live *unstructured.Unstructured) error {
	failedBefore := live.GetAnnotations()[annotationRelease] == r.name && r.progress.Hooks[hookKey(h.event, h.ref)].Stage == hookFailed
	if live.GetDeletionTimestamp() != nil || !failedBefore && r.driver.migrating(live) {
		return nil // the next step looks again
	}
	if !h.deletedWhen(release.HookBeforeHookCreation) && !failedBefore {
		return unit.Blocked(fmt.Sprintf("hook %s is there already and its policy does not let it be deleted: delete it", h.ref))
	}
	if err := r.driver.cluster.Delete(ctx, h.ref, live.GetUID()); err != nil {
		return fmt.Errorf("make room for hook %s: %w", h.ref, err)
	}
	return nil
}

// cleanUp deletes hooks that go when all have succeeded. Helm waits for all, too: a ServiceAccount
// that is a hook is needed by the Jobs after it.
func (r *hookRun) cleanUp(ctx context.Context) error {
	for _, h := range slices.Backward(r.hooks) {
		if !h.deletedWhen(release.HookSucceeded) {
			continue
		}
		live, err := r.driver.cluster.Confirm(ctx, h.ref)
		if err != nil {
			return fmt.Errorf("look at hook %s: %w", h.ref, err)
		}
		if live == nil || live.GetAnnotations()[annotationRelease] != r.name {
			continue
		}
		if err := r.driver.cluster.Delete(ctx, h.ref, live.GetUID()); err != nil {
			return fmt.Errorf("delete hook %s: %w", h.ref, err)
		}
	}
	return nil
}

func (r *hookRun) record(ctx context.Context, h hook, record hookRecord) error {
	record.APIVersion = h.ref.APIVersion
	r.progress.Hooks[hookKey(h.event, h.ref)] = record
	return r.driver.writeProgress(ctx, r.namespace, r.name, r.progress)
}

// revision names an attempt of the run. An object with it is never created again.
func (r *hookRun) revision(attempt int) string { return r.prefix() + strconv.Itoa(attempt) }

func (r *hookRun) prefix() string {
	prefix := r.progress.Run + "." + string(r.event) + "."
	if r.progress.Undone > 0 { // what is there may be of the same run before it was taken back
		prefix += strconv.Itoa(r.progress.Undone) + "~"
	}
	return prefix
}

// attemptOf tells which attempt of this run an object is of.
func (r *hookRun) attemptOf(live *unstructured.Unstructured) (int, bool) {
	if live == nil {
		return 0, false
	}
	text, ours := strings.CutPrefix(live.GetAnnotations()[annotationRevision], r.prefix())
	attempt, err := strconv.Atoi(text)
	return attempt, ours && err == nil
}

// pause doubles with each attempt, and is longer by up to a fifth: what failed of one cause in several releases does not come
// back together.
func pause(attempt int) time.Duration {
	wait := firstRetry
	for range max(0, attempt-1) {
		if wait *= 2; wait >= lastRetry {
			wait = lastRetry
			break
		}
	}
	return wait + rand.N(wait/5) //nolint:gosec // spreads load, keeps no secret
}
