package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// migrationOf is a Job of a hook that changes a schema, as a run has made it.
func migrationOf(run string, ready int64) *unstructured.Unstructured {
	job := simple("batch/v1", kindJob, "keystone-db-sync", 1)
	annotate(job, annotationRevision, run)
	annotate(job, annotationRelease, "keystone")
	if ready > 0 {
		job.Object["status"] = map[string]any{"ready": ready}
	}
	return job
}

// A Job that changes a schema for one revision is left to its end before another one takes its place, whether the hook
// runs before or after the revision.
func TestAMigrationIsNotCutOffByTheNextRevision(t *testing.T) {
	for _, event := range []release.HookEvent{release.HookPreUpgrade, release.HookPostUpgrade} {
		api := simple("apps/v1", "Deployment", "api", 1)
		c := newShelf(api, migrationOf("install.run.post-install.1", 1))
		sync := refOf(migrationOf("", 0))
		look := func() (*Driver, *view) {
			t.Helper()
			d, v := installed(t, c, api)
			v.want.labels[labelSpec] = "2"
			text, err := json.Marshal(simple("batch/v1", kindJob, "keystone-db-sync", 1).Object)
			if err != nil {
				t.Fatal(err)
			}
			d.rendered["o/keystone"] = rendered{
				key: hashOf(fmt.Sprint(2, false), "2", "", ""),
				hooks: []*release.Hook{{
					Name: "keystone-db-sync", Kind: kindJob, Manifest: string(text),
					Events: []release.HookEvent{event}, DeletePolicies: []release.HookDeletePolicy{release.HookBeforeHookCreation},
				}},
			}
			if err := errors.Join(d.hooksBefore(t.Context(), v), d.inspect(t.Context(), v)); err != nil {
				t.Fatal(err)
			}
			c.written = nil
			return d, v
		}

		d, v := look()
		if diff := v.diff(); !diff.Waits || !strings.Contains(diff.Reason, "Job o/keystone-db-sync of an earlier revision is changing a database") {
			t.Errorf("%s, while it works: %+v", event, diff)
		}
		if !slices.Contains(v.refs(), sync) {
			t.Errorf("%s: its end would not be seen", event)
		}
		if err := d.step(t.Context(), v); err != nil || len(c.written) > 0 {
			t.Errorf("%s: a step that came too early wrote %q, %v", event, c.written, err)
		}

		c.objects[sync] = migrationOf("install.run.post-install.1", 0) // it waits for something
		if _, v = look(); v.diff().Waits {
			t.Errorf("%s: one that does not work is waited for: %+v", event, v.diff())
		}

		done := migrationOf("install.run.post-install.1", 1)
		done.Object["status"].(map[string]any)["conditions"] = []any{map[string]any{"type": "Complete", "status": "True"}}
		c.objects[sync] = done
		d, v = look()
		if diff := v.diff(); diff.Waits {
			t.Errorf("%s, when it has ended: %+v", event, diff)
		}
		gone, err := d.clearJobs(t.Context(), v, v.run(), nil, d.rendered["o/keystone"].hooks)
		if event == release.HookPostUpgrade && (err != nil || !gone || !slices.Equal(c.written, []string{"delete " + sync.String()})) {
			t.Errorf("room is made: %v, %v, %q", gone, err, c.written)
		}
	}
}

// What runs before the next revision, and was begun for it, is its own.
func TestAMigrationOfTheSameRevisionGoesOn(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	d, v := c.change(t, api)
	own := migrationOf(v.run()+".pre-upgrade.1", 1)
	c.objects[refOf(own)] = own
	text, err := json.Marshal(own.Object)
	if err != nil {
		t.Fatal(err)
	}
	hooks := []*release.Hook{{
		Name: "keystone-db-sync", Kind: kindJob, Manifest: string(text),
		Events: []release.HookEvent{release.HookPreUpgrade}, DeletePolicies: []release.HookDeletePolicy{release.HookBeforeHookCreation},
	}}
	if err := d.awaitMigration(t.Context(), v, hooks); err != nil || v.migration != "" {
		t.Errorf("%q, %v", v.migration, err)
	}
}
