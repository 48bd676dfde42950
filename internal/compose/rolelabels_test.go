package compose

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Rules for nodes with instances depend on the labels of roles being known as such.
func TestLabelsOfRolesAreKnown(t *testing.T) {
	given := map[string]bool{}
	for role, labels := range roleLabels() {
		for _, label := range labels {
			given[label] = true
			if !slices.Contains(unit.RoleLabels(), label) {
				t.Errorf("%s gives %s, which is no label of a role", role, label)
			}
		}
	}
	if len(given) != len(unit.RoleLabels()) {
		t.Errorf("roles give %d of %q", len(given), unit.RoleLabels())
	}
}
