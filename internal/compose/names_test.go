package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOnDelete: what people write over the strategy is what counts.
func TestOnDelete(t *testing.T) {
	for _, test := range []struct {
		values string
		want   bool
	}{
		{"", true},
		{`values = { pod = { lifecycle = { upgrades = { daemonsets = { pod_replacement_strategy = "RollingUpdate" } } } } }`, false},
	} {
		source := strings.Replace(composed.Source("ovn", ""), `service "ovn" {}`, "service \"ovn\" {\n"+test.values+"\n}", 1)
		m, ev := composed.Text(t, source)
		units := composed.Compose(t, m, ev, compose.Facts{})
		if got := composed.Release(t, units, "ovn").OnDelete; got != test.want {
			t.Errorf("with %q: OnDelete %t", test.values, got)
		}
		if !composed.Release(t, units, "nova").OnDelete || composed.Release(t, units, "keystone").OnDelete {
			t.Error("OnDelete is wrong for other services")
		}
	}
}
