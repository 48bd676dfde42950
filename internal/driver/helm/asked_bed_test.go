//go:build beds

package helm_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// rewrite changes what is on record of the steps of the release, as another program may have left it.
func (b *bed) rewrite(edit func(record map[string]any)) {
	b.t.Helper()
	configs := b.client.CoreV1().ConfigMaps(b.namespace)
	kept := b.config("kupenstack-hooks.app")
	record := map[string]any{}
	if err := json.Unmarshal([]byte(kept.Data["progress.json"]), &record); err != nil {
		b.t.Fatal(err)
	}
	edit(record)
	text, err := json.Marshal(record)
	if err != nil {
		b.t.Fatal(err)
	}
	kept.Data["progress.json"] = string(text)
	if _, err := configs.Update(b.t.Context(), kept, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
	b.restart()
}

// untilGoingBack takes steps until the next one goes back to the first revision.
func (b *bed) untilGoingBack() unit.State {
	b.t.Helper()
	return b.until("about to go back", func(_ unit.State, diff unit.Diff) bool {
		return strings.Contains(diff.Reason, "goes back to revision 1")
	})
}

// failingHook has a hook that fails after an upgrade when the greeting is "bad".
func failingHook() fstest.MapFS {
	tree := appChart()
	tree["charts/app/templates/one.yaml"] = hookJob("check", "post-upgrade", "0", "", ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: fail{{ end }} `)
	return tree
}

// However often somebody asks for a return that fails, the good revision stays, and is gone back to once that works.
func TestAReturnThatFailsKeepsTheGoodRevisionForWhoAsks(t *testing.T) {
	b := newBed(t, failingHook())
	b.settle()
	b.greet("bad", rollBack)
	b.untilGoingBack()
	immutable, yes := b.config("app-config"), true
	immutable.Immutable = &yes
	if _, err := b.client.CoreV1().ConfigMaps(b.namespace).Update(t.Context(), immutable, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.untilBlocked()
	for _, asked := range []string{"one", "two"} {
		b.target.Asked = asked
		_, why := b.untilBlocked()
		mustSay(t, why, "to go back to revision 1 failed as well, 3 times")
		if got := b.revisions(); !strings.HasPrefix(got, "1 superseded, 2 superseded, ") || strings.Count(got, ",") > 4 {
			t.Errorf("asked %s, revisions %s", asked, got)
		}
	}
	if err := b.client.CoreV1().ConfigMaps(b.namespace).Delete(t.Context(), "app-config", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.target.Asked = "three"
	state, why := b.untilBlocked()
	mustSay(t, why, "rolled back to revision 1")
	if got := b.revisions(); state.Release != unit.ReleaseRolledBack || !strings.HasPrefix(got, "1 superseded, 2 superseded, ") || !strings.HasSuffix(got, " deployed") {
		t.Errorf("mended, it is %s, revisions %s", state.Release, got)
	}
}

// Who asks after an upgrade that came through, if with a failure, does not keep it from going back for its pods.
func TestWhoAsksAfterAnUpgradeDoesNotKeepItFromGoingBack(t *testing.T) {
	tree := appChart()
	annotations := "labels: {app: app}\n      annotations: {" + ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: never-ready{{ end }} ` + "}"
	tree["charts/app/templates/deployment.yaml"] = file(strings.Replace(deploymentTemplate, "labels: {app: app}\n    spec", annotations+"\n    spec", 1))
	b := newBed(t, tree)
	b.settle()
	b.greet("bad", rollBack)
	b.until("upgraded", func(_ unit.State, diff unit.Diff) bool {
		return strings.HasSuffix(b.revisions(), "2 deployed") && diff.Action == unit.ActionNone
	})
	b.options = func(options *helm.Options) { options.ReadyTimeout = 1 }
	b.rewrite(func(record map[string]any) { record["failures"] = 1 })
	for _, asked := range []string{"", "now"} {
		b.target.Asked = asked
		_, diff := b.observe()
		mustSay(t, diff.Reason, "goes back to revision 1: not all is ready")
	}
}

// A return that an older program has begun, which called it otherwise, goes on.
func TestAReturnOfAnOlderProgramGoesOn(t *testing.T) {
	b := newBed(t, failingHook())
	b.settle()
	b.greet("bad", rollBack)
	if _, err := b.apply(b.untilGoingBack()); err != nil {
		t.Fatal(err)
	}
	former := helm.FormerReturn(t, b.driver, b.target)
	b.rewrite(func(record map[string]any) {
		if run, _ := record["run"].(string); !strings.HasPrefix(run, "return.") || run == former {
			t.Fatalf("it is called %q", run)
		}
		record["run"] = former
	})
	_, diff := b.observe()
	mustSay(t, diff.Reason, "goes back to revision 1")
	state, why := b.untilBlocked()
	mustSay(t, why, "revision 2 failed and was rolled back to revision 1")
	if got := b.revisions(); state.Release != unit.ReleaseRolledBack || got != "1 superseded, 2 superseded, 3 deployed" {
		t.Errorf("it is %s, revisions %s", state.Release, got)
	}
}
