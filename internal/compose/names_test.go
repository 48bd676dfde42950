package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
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
		source := strings.NewReplacer("NETWORK", "ovn", "STORAGE", "", `service "ovn" {}`, "service \"ovn\" {\n"+test.values+"\n}").Replace(everything)
		m, ev := text(t, source)
		units := must(t, m, ev, compose.Facts{})
		if got := release(t, units, "ovn").OnDelete; got != test.want {
			t.Errorf("with %q: OnDelete %t", test.values, got)
		}
		if !release(t, units, "nova").OnDelete || release(t, units, "keystone").OnDelete {
			t.Error("OnDelete is wrong for other services")
		}
	}
}
