package engine

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Whoever changes fields back is named where it is known of all of them.
func TestWriters(t *testing.T) {
	for want, fields := range map[string][]unit.Field{
		"somebody else":                                    {{Path: "a", By: "kubectl-edit"}, {Path: "b"}},
		`the field manager "kubectl-edit"`:                 {{Path: "a", By: "kubectl-edit"}, {Path: "b", By: "kubectl-edit"}},
		`the field manager "a \"controller\"" or "argocd"`: {{Path: "a", By: `a "controller"`}, {Path: "b", By: "argocd"}},
	} {
		if got := writers(fields); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
