//go:build beds

package helm_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Hooks that fail are run a few times, and the release goes back only where none of them may have changed a
// schema.
func TestAHookThatGoesOnFailing(t *testing.T) {
	fails := ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: fail{{ end }} `
	toolkit := "apiVersion: v2\nname: app\nversion: 1.2.3\ndependencies:\n- {name: library, version: '>= 0', repository: 'file://../library'}\n- {name: helm-toolkit, version: '>= 0', repository: 'file://../helm-toolkit'}\n"
	tests := []struct {
		name  string
		hooks map[string]*fstest.MapFile
		osh   bool
		jobs  []string
		want  unit.ReleaseState
		says  string
	}{
		{
			"the only one",
			map[string]*fstest.MapFile{"one": hookJob("check", "post-upgrade", "0", "", fails)},
			false,
			[]string{"check"},
			unit.ReleaseRolledBack, "rolled back to revision 1: hook Job",
		},
		{
			"before the revision",
			map[string]*fstest.MapFile{"one": hookJob("check", "pre-upgrade", "0", "", fails)},
			false,
			[]string{"check"},
			unit.ReleaseFailed, "nothing of it was applied",
		},
		{
			"after another one",
			map[string]*fstest.MapFile{"one": hookJob("first", "post-upgrade", "-1", "", ""), "two": hookJob("check", "post-upgrade", "0", "", fails)},
			false,
			[]string{"first", "check"},
			unit.ReleaseFailed, "hook first has run",
		},
		{
			"of OpenStack-Helm, after the users",
			map[string]*fstest.MapFile{"one": hookJob("app-ks-user", "post-upgrade", "-1", "", ""), "two": hookJob("app-bootstrap", "post-upgrade", "0", "", fails)},
			true,
			[]string{"app-ks-user", "app-bootstrap"},
			unit.ReleaseRolledBack, "rolled back to revision 1: hook Job",
		},
		{
			"of OpenStack-Helm, the schema",
			map[string]*fstest.MapFile{"one": byGreeting(hookJob("app-db-sync", "post-install,post-upgrade", "0", "", fails))},
			true,
			[]string{"app-db-sync", "app-db-sync"},
			unit.ReleaseFailed, "hook app-db-sync has run, which may have changed the schema",
		},
		{
			"of OpenStack-Helm, the schema by the program that was there before",
			map[string]*fstest.MapFile{"one": hookJob("app-db-sync", "post-install,post-upgrade", "0", "", fails)},
			true,
			[]string{"app-db-sync", "app-db-sync"},
			unit.ReleaseRolledBack, "rolled back to revision 1: hook Job",
		},
	}
	newBed(t, appChart())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := appChart()
			for name, hook := range tt.hooks {
				tree["charts/app/templates/"+name+".yaml"] = hook
			}
			if tt.osh {
				tree["charts/app/Chart.yaml"] = file(toolkit)
				tree["charts/helm-toolkit/Chart.yaml"] = file("apiVersion: v2\nname: helm-toolkit\nversion: 1.0.0\n")
			}
			b := newBed(t, tree)
			b.settle()
			b.greet("bad", rollBack)
			state, why := b.untilBlocked()
			mustSay(t, why, tt.says)
			if state.Release != tt.want {
				t.Errorf("it is %s", state.Release)
			}
			last := tt.jobs[len(tt.jobs)-1]
			want := append(slices.Clone(tt.jobs), slices.Repeat([]string{last}, 5)...)
			if got := b.created("jobs"); !slices.Equal(got, want) {
				t.Errorf("hooks ran as %q, want %q", got, want)
			}
			b.greet("good", rollBack)
			b.settle()
		})
	}
}

// byGreeting has a Job of another image for each greeting.
func byGreeting(job *fstest.MapFile) *fstest.MapFile {
	return file(regexp.MustCompile(`image: [^,}\s]+`).ReplaceAllString(string(job.Data), `image: "example.org/work:{{ len .Values.greeting }}"`))
}

// What is not ready in time goes back. What was ready once does not, whatever becomes of it.
func TestPodsThatNeverBecomeReady(t *testing.T) {
	tree := appChart()
	annotations := "labels: {app: app}\n      annotations: {" + ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: never-ready{{ end }} ` + "}"
	tree["charts/app/templates/deployment.yaml"] = file(strings.Replace(deploymentTemplate, "labels: {app: app}\n    spec", annotations+"\n    spec", 1))
	b := newBed(t, tree)
	b.options = func(options *helm.Options) { options.ReadyTimeout = 1 }
	b.settle()
	b.greet("fine", rollBack, func(spec *unit.Release) { spec.Values["replicas"] = int64(0) }) // ready at once
	b.settle()
	if got := b.revisions(); got != "1 superseded, 2 deployed" {
		t.Errorf("revisions: %s", got)
	}
	b.restart()
	b.greet("bad", rollBack, func(spec *unit.Release) { spec.Values["replicas"] = int64(1) })
	state, why := b.untilBlocked()
	mustSay(t, why, "revision 3 failed and was rolled back to revision 2: not all is ready 1ns after the upgrade: Deployment")
	if got := b.revisions(); state.Release != unit.ReleaseRolledBack || got != "1 superseded, 2 superseded, 3 superseded, 4 deployed" {
		t.Errorf("it is %s, revisions %s", state.Release, got)
	}
}
