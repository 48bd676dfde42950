package plan_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhoseReleaseItIs: a chart under another address is not the release of the former one, unless a moved block says so.
func TestWhoseReleaseItIs(t *testing.T) {
	release := func(address, namespace, name string) unit.Unit {
		return unit.Unit{Address: at(address), Class: unit.ClassWorkload, Spec: &unit.Release{Namespace: namespace, Name: name}}
	}
	wanted := release("chart.second", "o", "app")
	for _, tt := range []struct{ first, namespace, name, want string }{
		{"chart.first", "o", "app", "chart.first"},
		{"service.app", "o", "app", "service.app"},
		{"chart.first", "other", "app", ""},
		{"chart.first", "o", "other", ""},
		{"chart.second", "o", "app", ""},
	} {
		entry := entryOf(release(tt.first, tt.namespace, tt.name))
		holder := plan.ReleaseHolder(&wanted, []inventory.Entry{entry})
		if got := holder.String(); holder.IsZero() != (tt.want == "") || tt.want != "" && got != tt.want {
			t.Errorf("%s with %s/%s: got %q", tt.first, tt.namespace, tt.name, got)
		}
	}
	if why := plan.HeldRelease(&wanted, at("chart.first")); !strings.Contains(why, "release o/app is that of chart.first") {
		t.Error(why)
	}
}
