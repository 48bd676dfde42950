//go:build beds

package helm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatAnUpgradeTakesAwayIsTold: a review has to see that a limit, a taint that pods stood, or a key of a Secret goes, be
// it the only change.
func TestWhatAnUpgradeTakesAwayIsTold(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/deployment.yaml"] = file(strings.Replace(deploymentTemplate, "    spec:\n",
		"    spec:\n{{- if .Values.high }}\n      priorityClassName: system-cluster-critical\n{{- end }}\n", 1))
	tree["charts/app/templates/further.yaml"] = file(`apiVersion: v1
kind: Secret
metadata: {name: app-further}
stringData:
  one: canary
{{- if .Values.high }}
  two: canary
{{- end }}
`)
	b := newBed(t, tree)
	b.change(func(r *unit.Release) { r.Values["high"] = true })
	b.settle()
	b.change(func(r *unit.Release) { r.Values["high"] = false })
	_, diff := b.observe()
	want := []unit.Field{
		{Path: "Deployment " + b.namespace + "/app: spec.template.spec.priorityClassName", Before: "system-cluster-critical"},
		{Path: "Secret " + b.namespace + "/app-further: data.two", Before: "(sensitive)"},
	}
	if !slices.Equal(diff.Fields, want) {
		t.Errorf("got %+v, want %+v", diff.Fields, want)
	}
	b.settle()
	if class := b.deployment().Spec.Template.Spec.PriorityClassName; class != "" {
		t.Errorf("afterwards it has %q", class)
	}
}
