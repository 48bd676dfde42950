//go:build beds

package helm_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestChartsMove: the same chart from another place makes no other revision and runs no hooks; another chart from there does, and
// so do other values, after which the release is known by the new place.
func TestChartsMove(t *testing.T) {
	tree := fstest.MapFS{}
	for _, place := range []string{"charts", "mirror", "changed"} {
		tree[place+"/app/Chart.yaml"] = file("apiVersion: v2\nname: app\nversion: 1.0.0\n")
		tree[place+"/app/values.yaml"] = file("auth: {}\n")
		tree[place+"/app/templates/map.yaml"] = file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {greeting: {{ .Values.greeting | quote }}}\n")
	}
	tree["changed/app/templates/map.yaml"] = file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {greeting: changed}\n")
	b := newBed(t, tree)
	b.settle()
	move := func(place string) {
		b.change(func(spec *unit.Release) { spec.Chart.Repository = place })
		b.restart()
	}
	stays := func(when string, revision string) {
		t.Helper()
		state, diff := b.observe()
		if diff.Action != unit.ActionNone || !state.Ready() || state.Applied != b.target.Spec.Digest() || !strings.HasSuffix(b.revisions(), revision+" deployed") {
			t.Errorf("%s: %+v, applied is what is wanted: %t, revisions %s", when, diff, state.Applied == b.target.Spec.Digest(), b.revisions())
		}
	}
	move("mirror")
	stays("moved", "1")
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "good day" })
	b.settle()
	stays("with other values", "2")
	move("charts")
	stays("moved back", "2")
	move("changed")
	if _, diff := b.observe(); diff.Action != unit.ActionUpdate {
		t.Errorf("another chart: %+v", diff)
	}
	b.settle()
	stays("with another chart", "3")
}
