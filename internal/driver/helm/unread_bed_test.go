//go:build beds

package helm_test

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// tear breaks the Secret of a revision, and returns what puts it back.
func (b *bed) tear(name string) (mend func()) {
	b.t.Helper()
	secrets := b.client.CoreV1().Secrets(b.namespace)
	put := func(data []byte) (before []byte) {
		secret, err := secrets.Get(b.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		before, secret.Data["release"] = secret.Data["release"], data
		if _, err := secrets.Update(b.t.Context(), secret, metav1.UpdateOptions{}); err != nil {
			b.t.Fatal(err)
		}
		return before
	}
	before := put([]byte("torn"))
	return func() { put(before) }
}

// TestOlderRevisionsThatCannotBeRead: a torn Secret of an older revision keeps a release from nothing but its own deletion, which would
// pass over what only that revision had.
func TestOlderRevisionsThatCannotBeRead(t *testing.T) {
	b := newBed(t, typedChart())
	b.settle()
	b.greet("again")
	b.settle()
	mend := b.tear("sh.helm.release.v1.app.v1")
	b.restart()
	state, _ := b.observe()
	if !state.Ready() {
		t.Errorf("with a torn revision it is %+v", state)
	}
	mustSay(t, strings.Join(state.Details, "\n"), "revision 1 cannot be read from Secret "+b.namespace+"/sh.helm.release.v1.app.v1")

	b.greet("changed")
	b.settle()
	last, err := b.store().Get("app", 2)
	if err != nil {
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(b.commands())
	upgrade.Namespace, upgrade.ReuseValues = b.namespace, true
	if _, err := upgrade.Run("app", last.Chart, map[string]any{"greeting": "typed"}); err != nil {
		t.Fatal(err)
	}
	mendLast := b.tear("sh.helm.release.v1.app.v3") // the last one of ours
	b.restart()
	if state, diff := b.observe(); diff.Action != unit.ActionUpdate {
		t.Errorf("after somebody else it is %+v, %+v", state, diff)
	}
	b.settle()
	if got := b.config("app-config").Data["greeting"]; got != "changed" {
		t.Errorf("the greeting is %q", got)
	}

	mendTyped := b.tear("sh.helm.release.v1.app.v4")
	b.restart()
	target := b.target
	target.Spec = nil
	if _, err := b.driver.Delete(t.Context(), target, unit.State{}); !unit.IsBlocked(err) {
		t.Errorf("the deletion with a torn revision: %v", err)
	}
	mendTyped()
	mendLast()
	mend()
	b.remove()
}
