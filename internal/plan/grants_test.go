package plan_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestRolesThatNothingNeeds(t *testing.T) {
	grants := []unit.Grant{{User: "u", Project: "p", Role: "r"}, {User: "u", Project: "q", Role: "r"}}
	needs := func(g unit.Grant, l unit.Locator, id string, goes bool) bool {
		return l.Kind == "instance" && (l.Project == "" || l.Project == g.Project) || l.Kind == "project" && goes && id == g.Project
	}
	at := func(driver unit.DriverName, kind, project string) unit.Locator {
		return unit.Locator{Driver: driver, Kind: kind, Project: project}
	}
	web, net, shop := addr.MustParseObject("instance.web"), addr.MustParseObject("network.web"), addr.MustParseObject("project.shop")
	wanted := func(lookup bool) []unit.Unit {
		return []unit.Unit{{Address: web, Spec: &unit.Resource{Kind: "instance", Lookup: lookup}}}
	}
	for _, test := range []struct {
		name    string
		units   []unit.Unit
		entries []inventory.Entry
		want    string
	}{
		{"nothing is there", nil, nil, "pq"},
		{"an instance", nil, []inventory.Entry{{Address: web, Locator: at(unit.OpenStack, "instance", "p")}}, "q"},
		{"an intent of nobody knows where", nil, []inventory.Entry{{Address: web, Locator: at(unit.OpenStack, "instance", "")}}, ""},
		{"something else", nil, []inventory.Entry{{Address: net, Locator: at(unit.OpenStack, "network", "p")}}, "pq"},
		{"something of another driver", nil, []inventory.Entry{{Address: web, Locator: at(unit.Helm, "instance", "p")}}, "pq"},
		{"one that was replaced", nil, []inventory.Entry{{
			Address: web, Locator: at(unit.OpenStack, "instance", "p"), Former: []inventory.Former{{Locator: at(unit.OpenStack, "instance", "q")}},
		}}, ""},
		{"a project", nil, []inventory.Entry{{Address: shop, Phase: inventory.Owned, ID: "p", Locator: at(unit.OpenStack, "project", "")}}, "pq"},
		{"a project that waits to go", nil, []inventory.Entry{{Address: shop, Phase: inventory.Deleting, ID: "p", Locator: at(unit.OpenStack, "project", "")}}, "q"},
		{"a project that was replaced", nil, []inventory.Entry{{
			Address: shop, Phase: inventory.Owned, ID: "p", Locator: at(unit.OpenStack, "project", ""),
			Former: []inventory.Former{{ID: "q", Locator: at(unit.OpenStack, "project", "")}},
		}}, "p"},
		{"a run", nil, []inventory.Entry{{Address: web, Locator: at(unit.OpenStack, "instance", ""), Run: &unit.Run{Step: "boot", Project: "q"}}}, "p"},
		{"a smoke test at rest", nil, []inventory.Entry{{Address: web, Locator: at(unit.OpenStack, unit.KindSmokeTest, ""), Run: &unit.Run{Passed: "d"}}}, "pq"},
		{"wanted, and on record", wanted(false), []inventory.Entry{{Address: web, Locator: at(unit.OpenStack, "instance", "p")}}, "q"},
		{"wanted", wanted(false), nil, ""},
		{"looked up", wanted(true), nil, "pq"},
	} {
		var got string
		for _, g := range plan.Unneeded(grants, test.units, test.entries, needs) {
			got += g.Project
		}
		if got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// TestRolesThatABlockHas: what is on record as a block's is not ours to take back.
func TestRolesThatABlockHas(t *testing.T) {
	grants := []unit.Grant{{User: "u", Project: "p", Role: "r"}, {User: "u", Project: "q", Role: "r"}}
	claims := func(g unit.Grant, l unit.Locator, id string) bool {
		return l.Kind == "role_assignment" && id == g.Project
	}
	entry := func(driver unit.DriverName, kind, id string) inventory.Entry {
		return inventory.Entry{Locator: unit.Locator{Driver: driver, Kind: kind}, ID: id}
	}
	for _, test := range []struct {
		name    string
		entries []inventory.Entry
		want    string
	}{
		{"nothing is there", nil, ""},
		{"the same", []inventory.Entry{entry(unit.OpenStack, "role_assignment", "q")}, "q"},
		{"another one", []inventory.Entry{entry(unit.OpenStack, "role_assignment", "other")}, ""},
		{"an intent of nobody knows which", []inventory.Entry{entry(unit.OpenStack, "role_assignment", "")}, ""},
		{"something else", []inventory.Entry{entry(unit.OpenStack, "project", "p")}, ""},
		{"something of another driver", []inventory.Entry{entry(unit.Helm, "role_assignment", "p")}, ""},
	} {
		var got string
		for _, g := range plan.Claimed(grants, test.entries, claims) {
			got += g.Project
		}
		if got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
