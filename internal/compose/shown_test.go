package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestConfigurationOfNodesIsBounded has some that is too large to be shown for each node beside some that
// is not.
func TestConfigurationOfNodesIsBounded(t *testing.T) {
	const config = `cloud "c" {
  release = "2026.1"
  charts {
    repository = "oci://charts.example.org/openstack-helm"
  }
  service "mariadb" {
    conf = { my = { text = [for i in range(900) : format("%COUNTd", i)] } }
  }
  service "rabbitmq" {
    conf = { small = { n = 1 } }
  }
}
profile "p" {}
node "n" {
  for_each = toset([for i in range(NODES) : tostring(i)])
  name     = "n-${each.key}"
  profile  = profile.p
}
`
	for name, c := range map[string]struct {
		count, nodes string
		large        bool
	}{
		"one node":         {"200", "1", false},
		"one large node":   {"900", "1", true},
		"some nodes":       {"200", "20", false},
		"many small nodes": {"10", "600", false},
		"many nodes":       {"200", "600", true},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, strings.NewReplacer("COUNT", c.count, "NODES", c.nodes).Replace(config))
			units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
			want := []string(nil)
			if c.large {
				want = []string{"main.hcl:1:1 compose.node-status"}
			}
			if got := codes(diags); !slices.Equal(got, want) || diags.HasErrors() {
				t.Fatalf("%v", diags)
			}
			for _, u := range units {
				objects, is := u.Spec.(*unit.Objects)
				if !is || u.Address.String() != "system.nodes" {
					continue
				}
				for _, o := range objects.Items {
					shown := o["status"].(map[string]any)["desiredNodeConfiguration"].(map[string]any)
					if _, cut := shown["mariadb"].(string); cut != c.large || shown["rabbitmq"].(map[string]any)["small"] == nil {
						t.Fatalf("%.300v", shown)
					}
				}
			}
		})
	}
}
