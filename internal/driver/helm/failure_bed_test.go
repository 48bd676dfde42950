//go:build beds

package helm_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// refusedChart has a Service that the API server refuses when the greeting is "refused", after a ConfigMap that
// only that revision has.
func refusedChart() fstest.MapFS {
	tree := appChart()
	tree["charts/app/templates/extra.yaml"] = file(`{{ if ne .Values.greeting "hello" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: a-extra}
data: {greeting: {{ .Values.greeting }}}
{{ end }}`)
	tree["charts/app/templates/service.yaml"] = file(`apiVersion: v1
kind: Service
metadata: {name: app}
spec: {type: {{ eq .Values.greeting "refused" | ternary .Values.auth.password "ClusterIP" }}, ports: [{port: 80}]}
`)
	return tree
}

func (b *bed) greet(greeting string, more ...func(*unit.Release)) {
	b.change(func(spec *unit.Release) {
		spec.Values["greeting"] = greeting
		for _, edit := range more {
			edit(spec)
		}
	})
}

func rollBack(spec *unit.Release) { spec.RollBack = true }

func again(spec *unit.Release) { spec.Retry += "again" }

// ahead has a clock that is ahead of the cluster's.
type ahead struct {
	wired
	by time.Duration
}

func (a ahead) Now() time.Time { return a.wired.Now().Add(a.by) }

// later puts a new driver in the place of the old one some time from now.
func (b *bed) later(by time.Duration) {
	b.t.Helper()
	b.driver.Close()
	b.driver = b.newDriver(ahead{wired{b.cluster}, by})
}

// untilBlocked takes steps until the release is blocked, and returns its state and why.
func (b *bed) untilBlocked() (unit.State, string) {
	b.t.Helper()
	why := ""
	state := b.until("blocked", func(_ unit.State, diff unit.Diff) bool {
		why = diff.Reason
		return diff.Action == unit.ActionBlocked
	})
	if _, err := b.apply(state); !unit.IsBlocked(err) {
		b.t.Errorf("a step of what is blocked: %v", err)
	}
	return state, why
}

func mustSay(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func TestAnUpgradeThatIsRefusedIsGivenUp(t *testing.T) {
	b := newBed(t, refusedChart())
	b.settle()
	b.greet("refused")
	state, why := b.untilBlocked()
	mustSay(t, why, "failed 6 times", "tried again at 2", "once the configuration changes or somebody asks", "(sensitive)")
	if state.Release != unit.ReleaseFailed || state.Health != unit.HealthFailed {
		t.Errorf("it is %s, %s", state.Release, state.Health)
	}
	if got := b.revisions(); !strings.HasPrefix(got, "1 deployed, ") || !strings.HasSuffix(got, ", 7 failed") {
		t.Errorf("revisions: %s", got)
	}
	b.restart()
	if _, diff := b.observe(); diff.Action != unit.ActionBlocked {
		t.Errorf("after a restart: %+v", diff)
	}

	// It is tried once more about an hour later, by whatever process, and then rests as long again.
	b.later(47 * time.Minute)
	if state, diff := b.observe(); diff.Action != unit.ActionBlocked || diff.Reason != why || state.After <= 0 || state.After > 26*time.Minute {
		t.Errorf("too early: %+v, again after %s", diff, state.After)
	}
	b.later(73 * time.Minute)
	if _, diff := b.observe(); diff.Action != unit.ActionUpdate {
		t.Errorf("an hour later: %+v", diff)
	}
	_, why = b.untilBlocked()
	mustSay(t, why, "failed 7 times", "tried again at 2")
	if got := b.revisions(); !strings.HasSuffix(got, ", 8 failed") {
		t.Errorf("revisions: %s", got)
	}
	b.later(119 * time.Minute)
	if _, diff := b.observe(); diff.Action != unit.ActionBlocked || diff.Reason != why {
		t.Errorf("after another restart: %+v", diff)
	}

	// Who asks has the count begin anew, once.
	b.target.Asked = "now"
	if _, diff := b.observe(); diff.Action != unit.ActionUpdate {
		t.Errorf("somebody asks: %+v", diff)
	}
	_, why = b.untilBlocked()
	mustSay(t, why, "failed 6 times")
	if got := b.revisions(); !strings.HasSuffix(got, ", 14 failed") {
		t.Errorf("revisions: %s", got)
	}
	b.target.Asked = ""
	b.restart()
	if _, diff := b.observe(); diff.Action != unit.ActionBlocked {
		t.Errorf("after a restart: %+v", diff)
	}

	b.greet("refused", again)
	if _, diff := b.observe(); diff.Action == unit.ActionBlocked {
		t.Errorf("asked to try again: %+v", diff)
	}
	b.untilBlocked()
	if got := b.revisions(); !strings.HasPrefix(got, "1 deployed, ") || !strings.HasSuffix(got, ", 20 failed") {
		t.Errorf("revisions: %s", got)
	}

	b.greet("fine")
	if state := b.settle(); state.Release != unit.ReleaseDeployed {
		t.Errorf("mended, it is %s", state.Release)
	}
}

// A rollback is a revision with the objects of the good one, and is not followed by another try.
func TestAnUpgradeThatIsRefusedIsRolledBack(t *testing.T) {
	b := newBed(t, refusedChart())
	b.settle()
	b.greet("refused", rollBack)
	_, why := b.untilBlocked()
	mustSay(t, why, "revision 7 failed and was rolled back to revision 1", "once the configuration changes")
	b.until("ready as before", func(state unit.State, _ unit.Diff) bool {
		return state.Release == unit.ReleaseRolledBack && state.Ready()
	})
	if got := b.revisions(); !strings.HasSuffix(got, ", 7 failed, 8 deployed") || strings.Count(got, "deployed") != 1 {
		t.Errorf("revisions: %s", got)
	}
	if got := b.config("app-config").Data["greeting"]; got != "hello, world" {
		t.Errorf("the greeting is %q", got)
	}
	if _, err := b.client.CoreV1().ConfigMaps(b.namespace).Get(t.Context(), "a-extra", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("what only the failed revision has: %v", err)
	}
	last, err := b.store().Last("app")
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, last.Info.Description, "revision 7 failed and was rolled back to revision 1")

	// What somebody changes of what is back is put back.
	drifting := b.config("app-config")
	drifting.Data["greeting"] = "edited"
	if _, err := b.client.CoreV1().ConfigMaps(b.namespace).Update(t.Context(), drifting, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until("seen to be mended", func(_ unit.State, diff unit.Diff) bool { return len(diff.Mends) == 1 })
	b.target.Mend = true
	if _, err := b.apply(unit.State{}); err != nil {
		t.Fatal(err)
	}
	b.target.Mend = false
	if got := b.config("app-config").Data["greeting"]; got != "hello, world" {
		t.Errorf("after its repair the greeting is %q", got)
	}

	b.greet("hello")
	b.settle()
	b.greet("fine")
	b.settle()
	if got := b.revisions(); !strings.HasSuffix(got, "8 superseded, 9 deployed") {
		t.Errorf("revisions: %s", got)
	}
}

// Who has rolled back stays so, until somebody asks: then it is tried as often as the first time, also across a restart.
func TestWhatWasRolledBackIsTriedForWhoAsks(t *testing.T) {
	b := newBed(t, refusedChart())
	b.settle()
	b.greet("refused", rollBack)
	b.untilBlocked()
	b.later(100 * time.Hour)
	if state, diff := b.observe(); diff.Action != unit.ActionBlocked || state.Release != unit.ReleaseRolledBack {
		t.Errorf("days later it is %s, %+v", state.Release, diff)
	}
	b.restart()
	b.target.Asked = "now"
	b.until("tried again", func(unit.State, unit.Diff) bool { return strings.HasSuffix(b.revisions(), ", 9 failed") })
	b.target.Asked = ""
	b.restart()
	state, why := b.untilBlocked()
	mustSay(t, why, "revision 14 failed and was rolled back to revision 8")
	if got := b.revisions(); state.Release != unit.ReleaseRolledBack || !strings.HasSuffix(got, ", 14 failed, 15 deployed") {
		t.Errorf("it is %s, revisions %s", state.Release, got)
	}
}

// Once what it failed of has passed, what was rolled back succeeds for who asks, and is in force like any other revision.
func TestWhatWasRolledBackSucceedsForWhoAsks(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/extra.yaml"] = file(`{{ if ne .Values.greeting "hello" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: extra, namespace: {{ .Release.Namespace }}-more}
{{ end }}`)
	b := newBed(t, tree)
	b.settle()
	b.greet("more", rollBack)
	_, why := b.untilBlocked()
	mustSay(t, why, "was rolled back to revision 1")
	more := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-more"}}
	if _, err := b.client.CoreV1().Namespaces().Create(t.Context(), more, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.client.CoreV1().Namespaces().Delete(context.WithoutCancel(t.Context()), more.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	b.target.Asked = "now"
	if state := b.settle(); state.Release != unit.ReleaseDeployed || b.config("app-config").Data["greeting"] != "more, world" {
		t.Errorf("it is %s: %s, revisions %s", state.Release, state.Message, b.revisions())
	}
	b.target.Asked = ""
	b.restart()
	if state, diff := b.observe(); diff.Action != unit.ActionNone || state.Release != unit.ReleaseDeployed {
		t.Errorf("afterwards it is %s, %+v", state.Release, diff)
	}
}

// What to go back to is known after a fix that came too early and failed, too.
func TestAFixThatFailsIsRolledBackToTheGoodRevision(t *testing.T) {
	b := newBed(t, refusedChart())
	b.settle()
	b.greet("refused", rollBack)
	b.until("failed", func(state unit.State, _ unit.Diff) bool { return state.Release == unit.ReleaseFailed })
	b.greet("refused", rollBack, func(spec *unit.Release) { spec.Values["big"] = int64(2) })
	_, why := b.untilBlocked()
	mustSay(t, why, "rolled back to revision 1")
}

// Wherever a process is killed on the way back, the next one goes on to the same end.
func TestARollbackThatIsKilledGoesOn(t *testing.T) {
	tree := refusedChart()
	tree["charts/app/templates/before.yaml"] = hookJob("before", "pre-rollback", "0", "", "")
	tree["charts/app/templates/after.yaml"] = hookJob("after", "post-rollback", "0", "", "")
	b := newBed(t, tree)
	b.settle()
	b.greet("refused", rollBack)
	b.until("about to go back", func(_ unit.State, diff unit.Diff) bool {
		return strings.Contains(diff.Reason, "goes back to revision 1")
	})
	for cut := 1; ; cut++ {
		broken := &cutOff{Cluster: wired{b.cluster}, left: cut%4 + 1}
		b.driver.Close()
		b.driver = b.newDriver(broken)
		if _, diff := b.observe(); diff.Action == unit.ActionBlocked {
			break
		}
		for !broken.gone() {
			state, diff := b.observe()
			if !diff.Action.Changes() {
				break
			}
			if !diff.Waits {
				_, _ = b.driver.Apply(t.Context(), b.target, cty.NilVal, state)
				continue
			}
			<-b.woken
		}
		if cut > 50 {
			t.Fatal("it does not come to an end")
		}
	}
	state, why := b.untilBlocked()
	mustSay(t, why, "rolled back to revision 1")
	if state.Release != unit.ReleaseRolledBack {
		t.Errorf("it is %s", state.Release)
	}
	if got := b.created("jobs"); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("hooks ran as %q", got)
	}

	b.leave(release.StatusPendingRollback)
	b.restart()
	if state, diff := b.observe(); state.Release != unit.ReleasePending || !strings.Contains(diff.Reason, "goes back to revision 1") {
		t.Errorf("a rollback that was cut off: %s, %+v", state.Release, diff)
	}
	state, _ = b.untilBlocked()
	if got := b.revisions(); state.Release != unit.ReleaseRolledBack || !strings.HasSuffix(got, "8 failed, 9 deployed") {
		t.Errorf("it is %s, revisions %s", state.Release, got)
	}
}

// Keys as those of Keystone are the same after all that can become of a release.
func TestKeysSurviveEverything(t *testing.T) {
	tree := refusedChart()
	tree["charts/app/templates/keys.yaml"] = hookChart()["charts/app/templates/keys.yaml"]
	b := newBed(t, tree)
	b.settle()
	secrets := b.client.CoreV1().Secrets(b.namespace)
	keys, err := secrets.Get(t.Context(), "keys", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same := func(after string) {
		t.Helper()
		now, err := secrets.Get(t.Context(), "keys", metav1.GetOptions{})
		if err != nil || now.UID != keys.UID || string(now.Data["key"]) != string(keys.Data["key"]) {
			t.Errorf("after %s the keys are others, %v", after, err)
		}
	}
	b.greet("fine")
	b.settle()
	same("an upgrade")
	b.greet("refused")
	b.untilBlocked()
	same("an upgrade that failed")
	b.greet("hello")
	b.settle()
	b.greet("refused", rollBack)
	if state, _ := b.untilBlocked(); state.Release != unit.ReleaseRolledBack {
		t.Errorf("it is %s", state.Release)
	}
	same("a rollback")
	b.remove()
	same("the end of the release")
	b.greet("hello")
	b.settle()
	same("its return")
}

// Jobs that hang never fail by themselves. Those of an upgrade are given up all the same, and none of them is left.
func TestAHookThatHangsForGood(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/check.yaml"] = hookJob("check", "post-upgrade", "0", "", ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: image-pull{{ end }} `)
	b := newBed(t, tree)
	b.options = func(options *helm.Options) { options.HookTimeout = 2 * time.Second }
	b.settle()
	b.restart()
	b.greet("bad", rollBack)
	state, why := b.untilBlocked()
	mustSay(t, why, "rolled back to revision 1: hook Job", "not done after 2s")
	if state.Release != unit.ReleaseRolledBack {
		t.Errorf("it is %s", state.Release)
	}
	if got, want := b.created("jobs"), slices.Repeat([]string{"check"}, 6); !slices.Equal(got, want) {
		t.Errorf("hooks ran as %q, want %q", got, want)
	}
	if jobs, err := b.client.BatchV1().Jobs(b.namespace).List(t.Context(), metav1.ListOptions{}); err != nil || len(jobs.Items) > 0 && jobs.Items[0].DeletionTimestamp == nil {
		t.Errorf("%d Jobs are left, %v", len(jobs.Items), err)
	}
}
