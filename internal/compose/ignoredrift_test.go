package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What is left to others is no part of what is deployed: to write it upgrades nothing.
func TestFieldsLeftToOthers(t *testing.T) {
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
	without := of("")
	with := of("ignore_drift = [{ kind = \"Deployment\", name = \"api\", path = \"spec.replicas\" }, { kind = \"ConfigMap\", path = \"data[a.conf]\" }]\n")
	want := []unit.DriftRule{{Kind: "Deployment", Name: "api", Path: "spec.replicas"}, {Kind: "ConfigMap", Path: "data[a.conf]"}}
	for i := range without {
		if got := without[i].IgnoreDrift; got != nil {
			t.Errorf("%s without anything written: %v", without[i].Name, got)
		}
		if got := with[i].IgnoreDrift; !slices.Equal(got, want) {
			t.Errorf("%s as written: %v", with[i].Name, got)
		}
		if without[i].Digest() != with[i].Digest() {
			t.Errorf("%s is another one", without[i].Name)
		}
	}
}

func TestRulesWithoutAField(t *testing.T) {
	for _, rule := range []string{"null", `{ kind = null, path = "spec.replicas" }`, `{ kind = "Deployment", path = null }`} {
		line := "ignore_drift = [{ kind = \"Deployment\", path = \"spec.a\" }, " + rule + "]\n"
		source := strings.Replace(composed.Source("ovs", ""), `service "barbican" { replicas = 2 }`, "service \"barbican\" {\n"+line+"}", 1)
		m, ev := composed.Text(t, source+"chart \"extra\" {\n  repository = \"./charts\"\n"+line+"}\n")
		_, diags := compose.Compose(m, ev, compose.Facts{})
		told := 0
		for _, d := range diags {
			if d.Detail == "ignore_drift[1] needs the kind of the objects and the path of the field, and one of them is null" && d.Subject != nil && d.Subject.Start.Line > 1 {
				told++
			}
		}
		if told != 2 {
			t.Errorf("%s: %v", rule, diags)
		}
	}
}
