package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestVolumeOfImages wants several pods of Glance only where all of them can have what the images are on.
func TestVolumeOfImages(t *testing.T) {
	const (
		many = `values = { volume = { accessModes = ["ReadWriteMany"] }, volume_staging = { accessModes = ["ReadWriteMany"] } }`
		own  = `values = { manifests = { pvc_images = false, pvc_tmp = false } }`
		one  = "\n" + `node "c" { roles = ["control-plane"] }`
		two  = one + "\n" + `node "d" { roles = ["control-plane"] }`
	)
	for name, c := range map[string]struct {
		storage, glance, nodes string
		refused                bool
	}{
		"one pod":                        {"", `replicas = 1`, two, false},
		"without Ceph":                   {"", `replicas = 3`, two, true},
		"on disks":                       {"lvm", `replicas = 2`, two, true},
		"a volume beside Ceph":           {"ceph", "replicas = 3\nstorage = \"pvc\"", two, true},
		"in Ceph":                        {"ceph", `replicas = 3`, two, false},
		"in Swift":                       {"lvm", "replicas = 3\nstorage = \"swift\"", two, false},
		"pods by values":                 {"", `values = { pod = { replicas = { api = 2 } } }`, two, true},
		"a volume that many write to":    {"", "replicas = 3\n" + many, two, false},
		"one that one node reads":        {"", "replicas = 3\n" + strings.Replace(many, "Many", "Once", 1), two, true},
		"a volume of somebody else":      {"", "replicas = 3\n" + own, two, false},
		"that is taken away":             {"", "replicas = 3\n" + strings.ReplaceAll(own, "false", "null"), two, false},
		"images alone":                   {"", "replicas = 3\n" + `values = { volume = { accessModes = ["ReadWriteMany"] } }`, two, true},
		"images alone, nothing staged":   {"", "replicas = 3\n" + `values = { volume = { accessModes = ["ReadWriteMany"] }, manifests = { pvc_tmp = false } }`, two, false},
		"on the only node":               {"", `replicas = 2`, one, false},
		"on nodes that nobody speaks of": {"", `replicas = 2`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			const written = `service "glance" {`
			source := composed.Source("ovs", c.storage)
			from := strings.Index(source, written)
			to := from + strings.Index(source[from:], "}")
			m, ev := composed.Text(t, source[:from]+written+"\n"+c.glance+"\n"+source[to:]+c.nodes)
			_, diags := compose.Compose(m, ev, compose.Facts{})
			// Nobody says beside that which node has volumes on disks.
			told := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Summary == "several pods on the volume of one" })
			if told != c.refused {
				t.Errorf("it says %v", diags)
			}
		})
	}
}

// TestEvenVotes: two databases are no better than one, half of the brokers decide nothing, and none is nobody to ask.
func TestEvenVotes(t *testing.T) {
	for written, want := range map[string]string{
		`service "mariadb" { replicas = 2 }`:                                      "server of mariadb decides by majority: with 2, no more can be lost than with 1, and if half of them are, the others stop",
		`service "mariadb" { replicas = 0 }`:                                      "server of mariadb runs 0 times: what needs it finds nothing there, and waits",
		`service "rabbitmq" { values = { pod = { replicas = { server = 2 } } } }`: "server of rabbitmq decides by majority: with 2, no more can be lost than with 1, and if half of them are, the others stop",
		`service "mariadb" { replicas = 3 }`:                                      "",
		`service "mariadb" { values = { pod = { replicas = { server = 4 } } } }`:  "server of mariadb decides by majority: with 4, no more can be lost than with 3, and if half of them are, the others stop",
	} {
		m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  `+written+`
}`)
		_, warnings := composed.Warned(t, m, ev, compose.Facts{})
		if (len(warnings) == 0) != (want == "") || want != "" && (len(warnings) > 1 || warnings[0].Detail != want) {
			t.Errorf("%s: it says %v", written, warnings)
		}
	}
}
