//go:build beds

package helm_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNullThatOnlySeemsToBeNeeded: without anything of a cluster a chart cannot be rendered with null somewhere, and it can with
// the values of Secrets, the kinds that the cluster has, and what an upgrade is: then nothing is in the way. What is needed
// in fact is told.
func TestNullThatOnlySeemsToBeNeeded(t *testing.T) {
	tree := appChart()
	tree["charts/app/values.yaml"].Data = append(tree["charts/app/values.yaml"].Data, "\ngenerate: true\nkinds: true\ninitial: x\nneeded: {a: 1}\n"...)
	tree["charts/app/templates/needs.yaml"] = file(`{{ if not (or .Values.generate (hasPrefix "c4n4ry" .Values.auth.password)) }}{{ fail "neither" }}{{ end }}
{{- if not (or .Values.kinds (.Capabilities.APIVersions.Has "v1/ConfigMap")) }}{{ fail "no such kind" }}{{ end }}
{{- if .Release.IsInstall }}{{ $_ := required "initial" .Values.initial }}{{ end }}
{{- $_ := .Values.needed.a }}`)
	b := newBed(t, tree)
	null := func(key string) {
		b.change(func(r *unit.Release) {
			r.NullLeavesAway = true
			r.Values[key] = nil
			r.Written = append(r.Written, unit.WrittenKey{Path: []string{key}, Text: "values." + key})
		})
	}
	null("generate")
	null("kinds")
	b.settle()
	null("initial")
	b.settle()
	if got := b.revisions(); got != "1 superseded, 2 deployed" {
		t.Errorf("the revisions are %s", got)
	}
	null("needed")
	if _, diff := b.observe(); diff.Action != unit.ActionBlocked || !strings.HasPrefix(diff.Reason, "chart app cannot be rendered without what is null: ") || !strings.Contains(diff.Reason, "values.needed, take it out") {
		t.Errorf("what is needed is told as %s, %q", diff.Action, diff.Reason)
	}
}
