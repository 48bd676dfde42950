//go:build beds

package helm_test

import (
	"testing"
	"testing/fstest"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// commands are what somebody types with Helm.
func (b *bed) commands() *action.Configuration {
	b.t.Helper()
	api, err := wired{b.cluster}.API(time.Minute)
	if err != nil {
		b.t.Fatal(err)
	}
	getter, err := api.Getter(b.t.Context(), b.namespace)
	if err != nil {
		b.t.Fatal(err)
	}
	configuration := new(action.Configuration)
	if err := configuration.Init(getter, b.namespace, "secret", b.t.Logf); err != nil {
		b.t.Fatal(err)
	}
	if client, ok := configuration.KubeClient.(*kube.Client); ok {
		client.Namespace = b.namespace
	}
	return configuration
}

// typedChart is one that people can go on with from what Helm has stored.
func typedChart() fstest.MapFS {
	return fstest.MapFS{
		"charts/app/Chart.yaml":            file("apiVersion: v2\nname: app\nversion: 1.2.3\n"),
		"charts/app/values.yaml":           file("replicas: 2\ngreeting: hi\nbig: 1\nauth: {password: password}\n"),
		"charts/app/templates/config.yaml": file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-config}\ndata: {greeting: {{ .Values.greeting }}}\n"),
	}
}

// What somebody makes of a release with helm upgrade or helm rollback is taken back, though Helm hands on the labels of the revision before.
func TestARevisionOfSomebodyElseIsTakenBack(t *testing.T) {
	b := newBed(t, typedChart())
	b.settle()
	takenBack := func(revision, now string) {
		t.Helper()
		state, diff := b.observe()
		if diff.Action != unit.ActionUpdate || state.Release != unit.ReleaseOutdated {
			t.Errorf("it is %s, %+v", state.Release, diff)
		}
		mustSay(t, diff.Reason, "somebody else has made revision "+revision)
		if state = b.settle(); state.Release != unit.ReleaseDeployed || b.config("app-config").Data["greeting"] != "hello" || b.revisions() != now {
			t.Errorf("then it is %s, revisions %s: %v", state.Release, b.revisions(), b.config("app-config").Data)
		}
	}

	last, err := b.store().Last("app")
	if err != nil {
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(b.commands())
	upgrade.Namespace, upgrade.ReuseValues = b.namespace, true
	if _, err := upgrade.Run("app", last.Chart, map[string]any{"greeting": "typed"}); err != nil {
		t.Fatal(err)
	}
	if got := b.config("app-config").Data["greeting"]; got != "typed" {
		t.Fatalf("the greeting is %q", got)
	}
	takenBack("2", "1 superseded, 2 superseded, 3 deployed")

	rollback := action.NewRollback(b.commands())
	rollback.Version = 2
	if err := rollback.Run("app"); err != nil {
		t.Fatal(err)
	}
	b.restart()
	takenBack("4", "1 superseded, 2 superseded, 3 superseded, 4 superseded, 5 deployed")
}

// While somebody's helm upgrade runs the release waits, and so does its end; one that was cut off is taken over later.
func TestSomebodyElsesUpgradeIsWaitedFor(t *testing.T) {
	b := newBed(t, typedChart())
	b.settle()
	last, err := b.store().Last("app")
	if err != nil {
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(b.commands())
	upgrade.Namespace, upgrade.ReuseValues = b.namespace, true
	if _, err := upgrade.Run("app", last.Chart, map[string]any{"greeting": "typed"}); err != nil {
		t.Fatal(err)
	}
	b.leave(release.StatusPendingUpgrade)
	b.restart()
	state, diff := b.observe()
	if !diff.Waits || state.Release != unit.ReleasePending || state.After <= 0 {
		t.Errorf("it is %s, %+v, again after %s", state.Release, diff, state.After)
	}
	mustSay(t, diff.Reason, "helm upgrade is at work on revision 2")
	if _, err := b.apply(state); err != nil || b.revisions() != "1 superseded, 2 pending-upgrade" {
		t.Errorf("revisions %s, %v", b.revisions(), err)
	}
	gone := b.target
	gone.Spec = nil
	if _, err := b.driver.Delete(t.Context(), gone, state); err != nil || b.config("app-config").Data["greeting"] != "typed" {
		t.Errorf("its end does not wait: %v", err)
	}
	b.later(time.Hour)
	if b.settle(); b.config("app-config").Data["greeting"] != "hello" || b.revisions() != "1 superseded, 2 superseded, 3 deployed" {
		t.Errorf("an hour later: revisions %s, %v", b.revisions(), b.config("app-config").Data)
	}
}

// An upgrade that fails is not rolled back to what somebody else has made: that would be ours from then on, with the values that
// were typed for generated ones.
func TestARevisionOfSomebodyElseIsNotGoneBackTo(t *testing.T) {
	tree := typedChart()
	tree["charts/app/templates/service.yaml"] = refusedChart()["charts/app/templates/service.yaml"]
	b := newBed(t, tree)
	b.change(rollBack)
	b.settle()
	last, err := b.store().Last("app")
	if err != nil {
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(b.commands())
	upgrade.Namespace, upgrade.ReuseValues = b.namespace, true
	if _, err := upgrade.Run("app", last.Chart, map[string]any{"greeting": "hello", "auth": map[string]any{"password": "typed"}}); err != nil {
		t.Fatal(err)
	}
	b.greet("refused")
	_, why := b.untilBlocked()
	mustSay(t, why, "failed 6 times", "it is not rolled back, as somebody else has made revision 2")
	b.greet("hello")
	b.settle()
	if last, err = b.store().Last("app"); err != nil {
		t.Fatal(err)
	}
	if auth, _ := last.Config["auth"].(map[string]any); auth["password"] != canary {
		t.Errorf("revisions %s: the password is %v", b.revisions(), auth["password"])
	}
}
