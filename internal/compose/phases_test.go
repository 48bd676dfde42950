package compose_test

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// Every service is in one phase, and starts without any of a later one.
func TestPhases(t *testing.T) {
	var order []string
	in := map[string]int{}
	for _, p := range compose.Phases() {
		order = append(order, p.Name)
		for _, s := range p.Services {
			in[s]++
			if got := compose.PhaseOf(s); got != p.Name {
				t.Errorf("%s is in %s, and in %s", s, got, p.Name)
			}
		}
	}
	for _, s := range schema.New().Services() {
		if in[s.Name] != 1 {
			t.Errorf("%s is in %d phases", s.Name, in[s.Name])
		}
		delete(in, s.Name)
	}
	if len(in) > 0 {
		t.Errorf("there are no services %v", in)
	}
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		for _, u := range units {
			for _, e := range u.Edges {
				if u.Address.Kind() != "service" || e.To.Kind() != "service" || e.Gate != unit.GateStart || e.Until != unit.Ready {
					continue
				}
				if before, own := compose.PhaseOf(e.To.Name()), compose.PhaseOf(u.Address.Name()); slices.Index(order, before) > slices.Index(order, own) {
					t.Errorf("%s is in %s and needs %s, which is in %s", u.Address, own, e.To, before)
				}
			}
		}
	})
}
