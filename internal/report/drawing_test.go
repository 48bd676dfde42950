package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// drawn are units with every kind of edge, and names that mean something to what draws them.
func drawn() []unit.Unit {
	to := func(address string, until unit.Condition, gate unit.Gate) unit.Edge {
		return unit.Edge{To: addr.MustParseObject(address), Until: until, Gate: gate}
	}
	one := func(address string, class unit.Class, edges ...unit.Edge) unit.Unit {
		return unit.Unit{Address: addr.MustParseObject(address), Class: class, Edges: edges}
	}
	return []unit.Unit{
		one("service.keystone", unit.ClassService, to("service.mariadb", unit.Ready, unit.GateStart), to("node.one", unit.Installed, unit.GateKeep)),
		one("service.mariadb", unit.ClassInfrastructure, to("system.namespace", unit.Installed, unit.GateStart)),
		one("service.neutron", unit.ClassService, to("service.nova", unit.Installed, unit.GateReady), to("service.keystone", unit.Ready, unit.GateStart)),
		one("service.nova", unit.ClassService, to("service.neutron", unit.Installed, unit.GateReady), to("service.keystone", unit.Ready, unit.GateStart)),
		one("node.one", unit.ClassNode),
		one("system.namespace", unit.ClassSystem),
		one("network.web", unit.ClassResource, to("service.neutron", unit.Ready, unit.GateStart), to("network.absent", unit.Ready, unit.GateStart)),
		one(`instance.web["a\"]-->b;\\N|\u202e"]`, unit.ClassResource, to("network.web", unit.Ready, unit.GateStart)),
	}
}

func TestGraph(t *testing.T) {
	for _, format := range report.GraphFormats() {
		t.Run(string(format), func(t *testing.T) {
			got, err := report.Graph(drawn(), format)
			if err != nil {
				t.Fatal(err)
			}
			reversed := drawn()
			slices.Reverse(reversed)
			if again, err := report.Graph(reversed, format); err != nil || again != got {
				t.Errorf("in another order of the units it is\n%s", again)
			}
			golden := filepath.Join("testdata", "graph", string(format))
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
	if _, err := report.Graph(nil, "png"); err == nil || !strings.Contains(err.Error(), "png") {
		t.Errorf("an unknown format: %v", err)
	}
}
