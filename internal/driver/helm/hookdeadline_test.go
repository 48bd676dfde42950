package helm

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// age has a Job begun some time ago.
func (c *shelf) age(t *testing.T, name string, by time.Duration) *unstructured.Unstructured {
	t.Helper()
	job := c.objects[unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: name}]
	if job == nil {
		t.Fatalf("there is no Job %s", name)
	}
	job.SetCreationTimestamp(metav1.NewTime(c.Now().Add(-by)))
	return job
}

// A hook of an upgrade that hangs counts as one that failed, is deleted, and is tried as often as one that does
// fail.
func TestAHookThatHangsIsTriedAgainAndGivenUp(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	d, v := c.change(t, api)
	d.options.HookTimeout = defaultHookTimeout
	look := func() unit.Diff {
		t.Helper()
		v.failure = failure{}
		if err := errors.Join(d.hooksBefore(t.Context(), v), d.inspect(t.Context(), v), d.judgeFailure(t.Context(), v)); err != nil {
			t.Fatal(err)
		}
		return v.diff()
	}
	for try := range maxFailures {
		if err := d.step(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		c.age(t, "prepare", 29*time.Minute)
		if diff := look(); !diff.Waits || strings.Contains(diff.Reason, "not done") {
			t.Fatalf("in time, %d: %+v", try, diff)
		}
		c.age(t, "prepare", 31*time.Minute)
		if diff := look(); diff.Waits || diff.Action != unit.ActionUpdate || !diff.Continues { // nobody else has undone it
			t.Fatalf("too late, %d: %+v", try, diff)
		}
		c.written = nil
		err := d.step(t.Context(), v)
		least := min(firstRetry<<try, lastRetry)
		if try == maxFailures-1 {
			least = 0 // nothing is tried again for now, and whoever looks is to see that at once
		}
		if wait := unit.RetryAfter(err); wait < least || wait > least+least/5 || !strings.Contains(err.Error(), "hook Job o/prepare failed: not done after 30m0s: it waits") {
			t.Fatalf("%d: %v", try, err)
		}
		if !slices.Equal(c.written, []string{"delete Job o/prepare"}) {
			t.Fatalf("%d: wrote %q", try, c.written)
		}
		if got := recorded(c.objects[progressRef("o", "keystone")]).Failures; got != try+1 {
			t.Fatalf("%d failures are on record after %d", got, try+1)
		}
		if diff := look(); try < maxFailures-1 && !diff.Continues {
			t.Fatalf("%d, before it is run again: %+v", try, diff)
		}
	}
	if diff := v.diff(); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "failed 6 times") || !strings.Contains(diff.Reason, "not done after 30m0s") {
		t.Errorf("at last: %+v", diff)
	}
	for by, want := range map[time.Duration]unit.Action{47 * time.Minute: unit.ActionBlocked, 73 * time.Minute: unit.ActionUpdate} {
		c.ahead, v.after = by, 0
		if diff := look(); diff.Action != want || (v.after > 0) != (want == unit.ActionBlocked) {
			t.Errorf("%s later: %+v, again after %s", by, diff, v.after)
		}
	}
	c.ahead = 0
	v.target.Asked = "now"
	if diff := look(); diff.Action != unit.ActionUpdate {
		t.Errorf("somebody asks: %+v", diff)
	}
	if err := d.step(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	if got := recorded(c.objects[progressRef("o", "keystone")]); got.Failures != 0 || got.Asked != "now" {
		t.Errorf("on record after that: %+v", got)
	}
}

// What an installation waits for may take as long to come: it is only told.
func TestAHookOfAnInstallationIsNeverGivenUp(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	c.act(t, api)
	for by, want := range map[time.Duration]string{
		29 * time.Minute: "hook: it waits", 31 * time.Minute: "hook: not done after 30m0s: it waits",
		3 * time.Hour: "hook: not done after 2h0m0s: it waits", 50 * time.Hour: "hook: not done after 32h0m0s: it waits",
	} {
		c.age(t, "domain-manage", by)
		d, v := installed(t, c, api)
		d.options.HookTimeout = defaultHookTimeout
		if err := d.inspect(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		if diff := v.diff(); diff.Action != unit.ActionNone {
			t.Errorf("after %s: %+v", by, diff)
		}
		if state := d.state(t.Context(), v); state.Health != unit.HealthProgressing || !strings.HasSuffix(state.Message, want) {
			t.Errorf("after %s: %s, %q", by, state.Health, state.Message)
		}
		c.written = nil
		if err := d.step(t.Context(), v); err != nil || len(c.written) > 0 {
			t.Errorf("after %s it wrote %q, %v", by, c.written, err)
		}
	}
}

func TestWhichHooksHang(t *testing.T) {
	c := newShelf()
	c.ahead = -3 * time.Hour // ours is ahead
	d := &Driver{options: Options{HookTimeout: time.Hour}, cluster: c}
	for _, test := range []struct {
		name, run, hook string
		begun           time.Duration
		ready           int64
		annotations     map[string]string
		want            bool
	}{
		{"in time", "upgrade.x", "bootstrap", 59 * time.Minute, 0, nil, false},
		{"too late", "upgrade.x", "bootstrap", time.Hour, 0, nil, true},
		{"while it works", "upgrade.x", "bootstrap", time.Hour, 1, nil, true},
		{"on the way back", "return.x", "bootstrap", time.Hour, 0, nil, true},
		{"of an installation", "install.x", "bootstrap", 100 * time.Hour, 0, nil, false},
		{"of a deletion", "delete.x", "bootstrap", 100 * time.Hour, 0, nil, false},
		{"that changes a schema", "upgrade.x", "keystone-db-sync", 100 * time.Hour, 1, nil, false},
		{"that would change a schema if it could", "upgrade.x", "keystone-db-sync", time.Hour, 0, nil, true},
		{"that stays", "upgrade.x", "bootstrap", time.Hour, 0, map[string]string{annotationPolicy: policyKeep}, false},
	} {
		job := simple("batch/v1", kindJob, test.hook, 1)
		job.SetCreationTimestamp(metav1.NewTime(c.Now().Add(-test.begun)))
		job.SetAnnotations(test.annotations)
		job.Object["status"] = map[string]any{"active": int64(1), "ready": test.ready}
		if got := d.hangs(test.run, job); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
	if d.hangs("upgrade.x", simple("batch/v1", kindJob, "bootstrap", 1)) {
		t.Error("one of which nobody knows when it began hangs")
	}
}
