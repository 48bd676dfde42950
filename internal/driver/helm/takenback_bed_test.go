//go:build beds

package helm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// An upgrade that is taken back before it has made a revision leaves the release as it was: the hooks that came after that
// one have run, and what they have made is in use.
func TestAnUpgradeThatIsTakenBackRunsNoHook(t *testing.T) {
	fails := ` {{ if eq .Values.greeting "bad" }}testbed.kupenstack.io/behave: fail{{ end }} `
	tree := appChart()
	tree["charts/app/templates/fill.yaml"] = hookJob("fill", "post-install", "0", "before-hook-creation,hook-succeeded", "")
	tree["charts/app/templates/check.yaml"] = hookJob("check", "pre-upgrade", "0", "", fails)
	b := newBed(t, tree)
	b.settle()
	b.greet("bad")
	b.until("failed", func(_ unit.State, diff unit.Diff) bool { return strings.Contains(diff.Reason, "failed") })
	b.greet("hello")
	b.settle()
	if got := b.created("jobs"); !slices.Equal(got, []string{"fill", "check"}) {
		t.Errorf("hooks ran as %q", got)
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions: %s", got)
	}
	if text := b.config("kupenstack-hooks.app").Data["progress.json"]; strings.Contains(text, "failures") {
		t.Errorf("what failed still counts: %s", text)
	}
	b.greet("good")
	b.settle()
	if got := b.created("jobs"); !slices.Equal(got, []string{"fill", "check", "check"}) || b.revisions() != "1 superseded, 2 deployed" {
		t.Errorf("after the next upgrade hooks ran as %q, revisions %s", got, b.revisions())
	}
}

// The same while the deletion of a release waits for its first hook.
func TestADeletionThatIsTakenBackRunsNoHook(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/fill.yaml"] = hookJob("fill", "post-install", "0", "before-hook-creation,hook-succeeded", "")
	tree["charts/app/templates/bye.yaml"] = hookJob("bye", "pre-delete", "0", "", "testbed.kupenstack.io/behave: image-pull")
	b := newBed(t, tree)
	b.settle()
	target := b.target
	target.Spec = nil
	for range 2 {
		if _, err := b.driver.Delete(t.Context(), target, unit.State{}); err != nil {
			t.Fatal(err)
		}
	}
	b.settle()
	if got := b.created("jobs"); !slices.Equal(got, []string{"fill", "bye"}) {
		t.Errorf("hooks ran as %q", got)
	}
}
