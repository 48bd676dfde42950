//go:build beds

package helm_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNullIsNotDeployed has a layer take away a policy that another one had: it is in no object then.
func TestNullIsNotDeployed(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/policy.yaml"] = file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-policy}\ndata:\n  policy: {{ .Values.policy | toJson | quote }}\n")
	b := newBed(t, tree)
	policies := func(when, want string) {
		t.Helper()
		b.settle()
		if got := b.config("app-policy").Data["policy"]; got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	b.change(func(spec *unit.Release) {
		spec.NullLeavesAway, spec.Values["policy"] = true, map[string]any{"add": nil, "get": "role:a"}
	})
	policies("installed", `{"get":"role:a"}`)
	b.change(func(spec *unit.Release) { spec.Values["policy"] = map[string]any{"add": nil, "get": nil} })
	policies("upgraded", `{}`)
}
