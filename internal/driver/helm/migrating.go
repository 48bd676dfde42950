package helm

import (
	"context"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// migrating tells whether a Job is changing a schema right now. One that another Job would take the place of is waited for:
// cut off it leaves a schema half changed, which no Job after it may be able to finish.
func (d *Driver) migrating(live *unstructured.Unstructured) bool {
	if live.GetKind() != kindJob || live.GetDeletionTimestamp() != nil || !migrates(live.GetName()) || !hasReadyPod(live) {
		return false
	}
	result, _ := d.outcomeOf(live)
	return result == outcomeRunning
}

// awaitMigration finds out whether a Job that the hooks of the next revision would take the place of is changing a schema:
// of those that run before the revision, as well as of those that run after it.
func (d *Driver) awaitMigration(ctx context.Context, v *view, next []*release.Hook) error {
	var refs []unit.ObjectRef
	for _, event := range []release.HookEvent{v.preEvent(), postEvent(v.run())} {
		hooks, err := d.hooksOf(next, event, v.namespace, v.name)
		if unit.IsBlocked(err) {
			return nil // the step tells
		}
		if err != nil {
			return err
		}
		for _, h := range hooks {
			if h.ref.Kind == kindJob && migrates(h.ref.Name) && h.deletedWhen(release.HookBeforeHookCreation) {
				refs = append(refs, h.ref)
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	live, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return fmt.Errorf("look for Jobs that change a schema: %w", err)
	}
	for _, ref := range refs {
		job := live[ref]
		if job != nil && !strings.HasPrefix(job.GetAnnotations()[annotationRevision], v.run()+".") && d.migrating(job) {
			v.migration = fmt.Sprintf("%s of an earlier revision is changing a database and is not cut off: the next revision comes when it has ended, or when somebody deletes it", ref)
			v.upcoming = append(v.upcoming, ref)
			return nil
		}
	}
	return nil
}
