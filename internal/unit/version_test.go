package unit_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestVersionSteps(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    unit.VersionStep
	}{
		{"4.1", "4.1", unit.VersionStays},
		{"4.1", "4.3", unit.VersionStays},
		{"3.13", "4.2", unit.VersionStays},
		{"4.9", "4.10", unit.VersionStays},
		{"4.2.5", "4.2.1", unit.VersionStays},
		{"4", "4.1", unit.VersionStays},
		{"4.1", "4", unit.VersionStays},
		{"4.2-alpine", "4.2", unit.VersionStays},
		{"", "4.1", unit.VersionStays},
		{"4.1", "", unit.VersionStays},
		{"4.2", "4.1", unit.VersionDown},
		{"4.10", "4.9", unit.VersionDown},
		{"4.0", "3.13", unit.VersionDown},
		{"12.0", "10.11", unit.VersionDown},
		{"5", "4.9", unit.VersionDown},
		{"10.11", "12.0", unit.VersionSkips},
		{"3.13-management", "5", unit.VersionSkips},
	} {
		if got := unit.VersionStepOf(c.was, c.is); got != c.want {
			t.Errorf("from %q to %q: %s, want %s", c.was, c.is, got, c.want)
		}
	}
	for version, want := range map[string]string{"4.2.1-alpine": "4.2", "4": "4", "4-alpine": "4", "4.x": "4", "11.4.8": "11.4", "latest": ""} {
		if got := unit.Series(version); got != want {
			t.Errorf("%s is of the series %q, want %q", version, got, want)
		}
	}
}
