package helm

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// without has a release without hooks after its revision looked at.
func (d *Driver) without(t *testing.T, v *view) unit.Diff {
	t.Helper()
	v.newest.after, v.failure, v.hooks = nil, failure{}, hookStatus{}
	if err := errors.Join(d.hooksBefore(t.Context(), v), d.inspect(t.Context(), v), d.judgeFailure(t.Context(), v)); err != nil {
		t.Fatal(err)
	}
	return v.diff()
}

func (c *shelf) complete(name string) {
	job := c.objects[unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: name}]
	job.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
}

// An upgrade that was given up and taken back is tried when it comes again, also where no hook after a revision records
// that.
func TestWhatWasGivenUpAndTakenBackComesAgain(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	d, v := c.change(t, api)
	p := &progress{Run: v.run(), Hooks: map[string]hookRecord{}}
	p.Failures, p.Cause, p.Last = maxFailures, "hook Job o/prepare failed", c.Now()
	if err := d.writeProgress(t.Context(), "o", "keystone", p); err != nil {
		t.Fatal(err)
	}
	if diff := d.without(t, v); diff.Action != unit.ActionBlocked {
		t.Fatalf("given up: %+v", diff)
	}
	d, v = installed(t, c, api)
	if diff := d.without(t, v); diff.Action != unit.ActionUpdate || !diff.Continues {
		t.Fatalf("taken back: %+v", diff)
	}
	if err := d.step(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	if got := recorded(c.objects[progressRef("o", "keystone")]); got.Run != "install.run" || got.Failures != 0 {
		t.Fatalf("on record: %+v", got)
	}
	if diff := d.without(t, v); diff.Action != unit.ActionNone {
		t.Fatalf("once that is on record: %+v", diff)
	}
	d, v = c.change(t, api)
	if diff := d.without(t, v); diff.Action != unit.ActionUpdate {
		t.Errorf("it comes again: %+v", diff)
	}
	// What was begun of it before is none of the new run.
	for _, done := range [][]string{{"create Job o/prepare"}, {"delete Job o/prepare", "create Job o/prepare"}} {
		c.written = nil
		if err := d.step(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.written, done) {
			t.Fatalf("it wrote %q, want %q", c.written, done)
		}
		c.complete("prepare")
		d, v = installed(t, c, api)
		d.without(t, v)
		if err := d.step(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		d, v = c.change(t, api)
		d.without(t, v)
	}
}

// A hook before a deletion that was taken back runs again before the next one, whatever hooks there are after the revision.
func TestADeletionThatWasTakenBackRunsItsHooksAgain(t *testing.T) {
	text, err := json.Marshal(simple("batch/v1", kindJob, "bye", 1).Object)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []bool{false, true} {
		api := simple("apps/v1", "Deployment", "api", 1)
		c := newShelf(api)
		d, v := installed(t, c, api)
		if after {
			p := &progress{Run: "install.run", Finished: []release.HookEvent{release.HookPostInstall}}
			if err := d.writeProgress(t.Context(), "o", "keystone", p); err != nil {
				t.Fatal(err)
			}
		}
		v.newest.hooks = []*release.Hook{{Name: "bye", Kind: kindJob, Manifest: string(text), Events: []release.HookEvent{release.HookPreDelete}}}
		run := func() bool {
			t.Helper()
			done, err := d.runHooksOf(t.Context(), v, v.deleteRun(), release.HookPreDelete)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		for time := range 3 {
			c.written = nil
			if run() {
				t.Fatalf("after %t, %d: the hook is done before it has run", after, time)
			}
			if want := "create Job o/bye"; len(c.written) == 0 || c.written[len(c.written)-1] != want {
				t.Fatalf("after %t, %d: it wrote %q", after, time, c.written)
			}
			c.complete("bye")
			if !run() {
				t.Fatalf("after %t, %d: it is not done", after, time)
			}
			if !after {
				d.without(t, v)
			} else {
				v.hooks = hookStatus{}
				if err := d.inspect(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
			if !v.hooks.former {
				t.Fatalf("after %t, %d: nobody notices that it was taken back", after, time)
			}
			if err := d.step(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What is on record of a run that made a revision was not taken back, whatever came after it.
func TestWhatMadeARevisionWasNotTakenBack(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	d, v := installed(t, c, api)
	for _, r := range []struct {
		p    progress
		want bool
	}{
		{progress{Run: "install.run", Finished: []release.HookEvent{release.HookPreInstall}}, false},
		{progress{Run: "install.former", Finished: []release.HookEvent{release.HookPreInstall}}, false},
		{progress{Run: "upgrade.b"}, false},
		{progress{Run: "upgrade.b", Finished: []release.HookEvent{release.HookPreUpgrade}}, true},
	} {
		v.history = []stored{{version: 1, labels: map[string]string{labelRun: "install.former"}}}
		if err := d.writeProgress(t.Context(), "o", "keystone", &r.p); err != nil {
			t.Fatal(err)
		}
		if d.without(t, v); v.hooks.former != r.want {
			t.Errorf("%+v: taken back %t", r.p, v.hooks.former)
		}
	}
}
