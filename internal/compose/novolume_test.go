package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestNoVolume: data that goes with a pod, or is on whichever node that starts on, is told where it is written.
func TestNoVolume(t *testing.T) {
	const pods, disks = "loses them with these", "finds none of them on another one"
	nodes := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "node \"n%d\" {\n  roles  = [\"control-plane\"]\n}\n", i)
		}
		return text.String()
	}
	const local = `volume = { enabled = false, use_local_path_for_single_pod_cluster = { enabled = true } }`
	for _, test := range []struct {
		service, values string
		nodes           int
		want            string
	}{
		{"mariadb", `volume = { enabled = false }`, 1, pods},
		{"mariadb", `volume = { enabled = null }`, 1, "volume.enabled is null: mariadb keeps the databases of all services in its pods then"},
		{"mariadb", `volume = {}`, 1, ""},
		{"mariadb", local, 3, disks},
		{"mariadb", local, 1, ""},
		{"mariadb", local + `, labels = { server = { node_selector_key = "kubernetes.io/hostname", node_selector_value = "n1" } }`, 3, ""},
		{"mariadb", `volume = { use_local_path_for_single_pod_cluster = { enabled = true } }`, 3, ""}, // the chart passes over it
		{"mariadb", `volume = { enabled = true }`, 3, ""},
		{"rabbitmq", `volume = { enabled = false }`, 3, pods},
		{"rabbitmq", `volume = { enabled = false, use_local_path = { enabled = true } }`, 3, disks},
		{"ovn", `volume = { ovn_ovsdb_nb = { enabled = false } }`, 3, pods},
		{"ovn", `volume = { ovn_ovsdb_sb = { enabled = false } }`, 3, ""},
	} {
		source := withOneConductor(composed.Source("ovn", "", "  profile = profile.written")) +
			fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { %s }\n  }\n}\n", test.service, test.values) + nodes(test.nodes)
		m, ev := composed.Text(t, source)
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want == "" {
			if len(told) > 0 {
				t.Errorf("%s: %s: %v", test.service, test.values, told)
			}
			continue
		}
		if len(told) != 1 || told[0].Severity != diag.Warning || !strings.Contains(told[0].Detail, test.want) ||
			!strings.Contains(strings.Split(source, "\n")[told[0].Subject.Start.Line-1], "values = {") {
			t.Errorf("%s: %s: %v, want a warning: %s", test.service, test.values, told, test.want)
		}
	}
}
