package openstack

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestTargetsByKind(t *testing.T) {
	var targets []unit.Target
	for _, text := range []string{"subnet.a", "network.b", "subnet.c", "network.a", "router.a"} {
		a := addr.MustParseObject(text)
		targets = append(targets, unit.Target{Address: a, Locator: unit.Locator{Kind: a.Kind()}})
	}
	byKind := divided(targets)
	for kind, want := range map[string][]string{"network": {"network.b", "network.a"}, "subnet": {"subnet.a", "subnet.c"}, "router": {"router.a"}} {
		var got []string
		for _, t := range byKind[kind] {
			got = append(got, t.Address.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
	if len(byKind) != 3 || len(divided(nil)) != 0 {
		t.Errorf("%d kinds, and %d of nothing", len(byKind), len(divided(nil)))
	}
}
