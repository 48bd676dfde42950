package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What is to become of an upgrade that fails is no part of what is deployed: to change one's mind upgrades nothing.
func TestWhatBecomesOfAFailedUpgrade(t *testing.T) {
	of := func(written string) []*unit.Release {
		t.Helper()
		source := strings.Replace(composed.Source("ovs", ""), `service "barbican" { replicas = 2 }`, "service \"barbican\" {\nreplicas = 2\n"+written+"}", 1)
		m, ev := composed.Text(t, source+"chart \"extra\" {\n  repository = \"./charts\"\n"+written+"}\n")
		units := composed.Compose(t, m, ev, compose.Facts{})
		extra, ok := units["chart.extra"].Spec.(*unit.Release)
		if !ok {
			t.Fatal("there is no release of the chart")
		}
		return []*unit.Release{composed.Release(t, units, "barbican"), extra}
	}
	without, with := of(""), of("on_failure = \"rollback\"\nretry = \"again\"\n")
	for i := range without {
		if r := without[i]; r.RollBack || r.Retry != "" {
			t.Errorf("%s without anything written: %t, %q", r.Name, r.RollBack, r.Retry)
		}
		if r := with[i]; !r.RollBack || r.Retry != "again" {
			t.Errorf("%s as written: %t, %q", r.Name, r.RollBack, r.Retry)
		}
		if without[i].Digest() != with[i].Digest() {
			t.Errorf("%s is another one", without[i].Name)
		}
	}
}
