package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

func unitsOf(t *testing.T, hcl string) map[string]unit.Unit {
	t.Helper()
	m, ev := composed.Text(t, hcl)
	return composed.Compose(t, m, ev, compose.Facts{})
}

const (
	poolBackends = `
    backend "fast" {
      type = "rbd"
      pool = "volumes-ssd"
    }
    backend "slow" {
      type    = "rbd"
      default = true
    }`
	localBackend = `
    backend "local" {
      type         = "lvm"
      volume_group = "vg0"
    }`
	shareBackend = `
    backend "files" {
      type    = "nfs"
      share   = "[2001:db8::1]:/volumes"
      options = { nfs_mount_options = "vers=4.1", image_volume_cache_enabled = null }
    }`
	sanBackend = `
    backend "san" {
      driver  = "cinder.volume.drivers.san.san.SanISCSIDriver"
      iscsi   = true
      options = { san_ip = "192.0.2.10", san_password = secret("san", "password") }
    }`
)

func TestBackends(t *testing.T) {
	const enabled, fallback, host = "conf.cinder.DEFAULT.enabled_backends", "conf.cinder.DEFAULT.default_volume_type", "conf.cinder.DEFAULT.host"
	const iscsi, onHost, prepares = "conf.enable_iscsi", "pod.useHostNetwork.volume", "manifests.job_storage_init"
	const backups, keeps = "manifests.deployment_backup", "conf.cinder.DEFAULT.backup_driver"
	const ceph = `"cinder.backup.drivers.ceph.CephBackupDriver"`
	for name, c := range map[string]struct {
		storage, backends string
		want              map[string]string // of Cinder, by path
		iscsi             string            // of Nova
	}{
		"pools": {"ceph", poolBackends, map[string]string{
			enabled: `"fast,slow"`, fallback: `"slow"`, iscsi: "null", onHost: "null", prepares: "null", backups: "null", keeps: ceph,
			"conf.backends.fast.rbd_pool": `"volumes-ssd"`, "conf.backends.slow.rbd_pool": `"cinder.volumes"`,
			"conf.backends.fast.backend_host": "null", "ceph_client.internal_ceph_backend": `"fast"`,
		}, "null"},
		"a pool and disks": {"ceph", poolBackends + localBackend, map[string]string{
			enabled: `"fast,local,slow"`, fallback: `"slow"`, iscsi: "true", onHost: "true", prepares: "null", keeps: ceph,
			"conf.backends.local.volume_group": `"vg0"`, "conf.backends.local.backend_host": "null", "conf.backends.local.target_helper": `"lioadm"`,
			"conf.backends.fast.backend_host": `"cinder-volume-worker"`, "conf.backends.slow.backend_host": `"cinder-volume-worker"`,
		}, "true"},
		"disks": {"", localBackend, map[string]string{
			enabled: `"local"`, fallback: `"local"`, iscsi: "true", onHost: "true", prepares: "false", backups: "false", keeps: "null",
		}, "true"},
		"disks beside Ceph": {"ceph", localBackend, map[string]string{
			enabled: `"local"`, prepares: "false", backups: "null", keeps: ceph,
			"dependencies.static.backup.jobs": `["cinder-db-sync","cinder-ks-user","cinder-ks-endpoints","cinder-rabbit-init","cinder-backup-storage-init"]`,
			"dependencies.static.volume.jobs": `["cinder-db-sync","cinder-ks-user","cinder-ks-endpoints","cinder-rabbit-init"]`,
		}, "true"},
		"a share": {"lvm", shareBackend, map[string]string{
			enabled: `"files"`, iscsi: "null", onHost: "null",
			"conf.backends.files": `{"nas_host":"[2001:db8::1]","nas_share_path":"/volumes","nfs_mount_options":"vers=4.1",` +
				`"volume_backend_name":"files","volume_driver":"cinder.volume.drivers.nfs.NfsDriver"}`,
		}, "true"}, // the storage_backend has it
		"a driver": {"", sanBackend, map[string]string{
			iscsi: "true", onHost: "null",
			"conf.backends.san": `{"san_ip":"192.0.2.10","volume_backend_name":"san","volume_driver":"cinder.volume.drivers.san.san.SanISCSIDriver"}`,
		}, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			source := composed.WithBackends(c.storage, 1, c.backends)
			if c.storage == "" {
				source = strings.Replace(composed.WithBackends("lvm", 1, c.backends), `storage_backend = "lvm"`, "", 1)
			}
			units := unitsOf(t, source)
			values := composed.Release(t, units, "cinder").Values
			for path, want := range c.want {
				if got := compact(at(values, strings.Split(path, "."))); got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
			if backends := at(values, []string{"conf", "backends"}).(map[string]any); backends["rbd1"] != nil {
				t.Errorf("the chart's own backend stays: %s", compact(backends))
			}
			if got := compact(at(composed.Release(t, units, "nova").Values, []string{"conf", "enable_iscsi"})); got != c.iscsi {
				t.Errorf("conf.enable_iscsi of Nova is %s", got)
			}
		})
	}
}

// TestPartsOfCinder wants every backend to be up before Cinder is ready, and what makes backups where it is deployed.
func TestPartsOfCinder(t *testing.T) {
	for name, c := range map[string]struct {
		storage, block string
		want           []string
	}{
		"a pool by the cloud":  {"ceph", "", []string{"cinder-volume@rbd1", "cinder-backup"}},
		"disks by the cloud":   {"lvm", "", []string{"cinder-volume@lvm1"}},
		"blocks":               {"ceph", poolBackends + localBackend, []string{"cinder-volume@fast", "cinder-volume@local", "cinder-volume@slow", "cinder-backup"}},
		"no backups":           {"ceph", `values = { manifests = { deployment_backup = false } }`, []string{"cinder-volume@rbd1"}},
		"backups taken away":   {"ceph", `values = { manifests = { deployment_backup = null } }`, []string{"cinder-volume@rbd1"}},
		"backups, 0 times":     {"ceph", `values = { pod = { replicas = { backup = 0 } } }`, []string{"cinder-volume@rbd1"}},
		"volumes elsewhere":    {"ceph", `values = { manifests = { deployment_volume = false } }`, []string{"cinder-backup"}},
		"of a StatefulSet":     {"lvm", `values = { manifests = { deployment_volume = false, statefulset_volume = true } }`, []string{"cinder-volume@lvm1"}},
		"backends by values":   {"lvm", `conf = { cinder = { DEFAULT = { enabled_backends = "lvm1, more" } }, backends = { more = { volume_driver = "a.B" } } }`, []string{"cinder-volume@lvm1", "cinder-volume@more"}},
		"nobody may know them": {"lvm", `conf = { cinder = { DEFAULT = { enabled_backends = sensitive("lvm1") } } }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			api := composed.Release(t, unitsOf(t, composed.WithBackends(c.storage, 1, c.block)), "cinder").API
			if api == nil || !slices.Equal(api.Parts, c.want) {
				t.Errorf("it is %+v, want %q", api, c.want)
			}
		})
	}
}

// TestPartsOfServices wants what a chart makes of programs that report to their service, by its own values where none
// are written.
func TestPartsOfServices(t *testing.T) {
	for _, c := range []struct {
		service, block string
		want           []string
	}{
		{"manila", ``, []string{"manila-scheduler", "manila-share"}},
		{"manila", `values = { manifests = { deployment_share = false } }`, []string{"manila-scheduler"}},
		{"manila", `values = { manifests = { deployment_share = false, statefulset_share = true } }`, []string{"manila-scheduler", "manila-share"}},
		{"ironic", ``, []string{"ironic-conductor"}},
		{"ironic", `values = { manifests = { statefulset_conductor = false } }`, nil},
		{"magnum", ``, []string{"magnum-conductor"}},
		{"heat", ``, []string{"heat-engine"}},
		{"heat", `replicas = { engine = 0 }`, nil},
		{"designate", ``, []string{"designate-central", "designate-mdns", "designate-producer", "designate-worker"}},
		{"designate", `values = { manifests = { deployment_mdns = false } }`, []string{"designate-central", "designate-producer", "designate-worker"}},
		{"barbican", ``, nil},
	} {
		t.Run(c.service+c.block, func(t *testing.T) {
			hcl := composed.Without(composed.Source("ovn", "ceph"), c.service)
			hcl = strings.Replace(hcl, "service \"mariadb\"", "service \""+c.service+"\" {\n"+c.block+"\n}\nservice \"mariadb\"", 1)
			api := composed.Release(t, unitsOf(t, hcl), c.service).API
			if api == nil || !slices.Equal(api.Parts, c.want) {
				t.Errorf("it is %+v, want %q", api, c.want)
			}
		})
	}
}

// TestSecretsOfBackends wants each pool to know the secret of the hypervisors, and what is sensitive to be nowhere in the
// values.
func TestSecretsOfBackends(t *testing.T) {
	secrets := func(hcl string) map[string]string {
		found := map[string]string{}
		for _, s := range composed.Release(t, unitsOf(t, hcl), "cinder").Secrets {
			if s.Path[0] == "conf" {
				found[strings.Join(s.Path, ".")] = s.Name + " " + s.Key
			}
		}
		return found
	}
	const uuid, san = "kupenstack-credentials ceph-secret-uuid", "conf.backends.san.san_password"
	got := secrets(composed.WithBackends("ceph", 1, poolBackends+sanBackend))
	for path, want := range map[string]string{
		"conf.backends.fast.rbd_secret_uuid": uuid, "conf.backends.slow.rbd_secret_uuid": uuid, "conf.backends.rbd1.rbd_secret_uuid": "", san: "san password",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
	if got := secrets(composed.WithBackends("lvm", 1, localBackend)); len(got) != 0 {
		t.Errorf("disks take %v", got)
	}
	if got := secrets(composed.WithBackends("ceph", 1, strings.ReplaceAll(poolBackends, `"fast"`, `"rbd1"`))); got["conf.backends.rbd1.rbd_secret_uuid"] != uuid {
		t.Errorf("a backend with the name of the chart's takes %v", got)
	}
}

// TestNodeOfLocalDisks wants it to be said which node has the disks that volumes are on, where there are several that
// cinder-volume may run on.
func TestNodeOfLocalDisks(t *testing.T) {
	const (
		pinned  = `values = { labels = { volume = { node_selector_key = "kubernetes.io/hostname", node_selector_value = "control-1" } } }`
		labels  = `values = { labels = { volume = { node_selector_key = "disks", node_selector_value = "nvme" } } }`
		workers = `values = { labels = { volume = { node_selector_key = "openstack-compute-node" } } }`
		disks   = "\n" + `node "d" {
  roles  = ["compute"]
  labels = { disks = "nvme" }
}`
		three = `
node "c" {
  for_each = toset(["1", "2", "3"])
  name     = "control-${each.key}"
  roles    = ["control-plane"]
}
node "w" {
  for_each = toset(["1", "2"])
  name     = "worker-${each.key}"
  roles    = ["compute"]
}`
	)
	for name, c := range map[string]struct {
		storage, block, nodes string
		pods                  int
		want                  string // a part of what is said, "" for nothing
	}{
		"one node":                   {"lvm", "", "\n" + `node "c" { roles = ["control-plane"] }`, 1, ""},
		"three":                      {"lvm", "", three, 1, "the backend lvm1 keeps volumes on disks of the node that cinder-volume runs on, which may be control-1, control-2 or control-3"},
		"two of three disabled":      {"lvm", "", strings.Replace(three, `roles    = ["control-plane"]`, `roles    = ["control-plane"]`+"\n  disabled = each.key != \"1\"", 1), 1, ""},
		"a block":                    {"ceph", poolBackends + localBackend, three, 1, "the backend local keeps volumes"},
		"no disks":                   {"ceph", poolBackends, three, 1, ""},
		"a backend that is not on":   {"ceph", localBackend + strings.Replace(sanBackend, "iscsi   = true", "iscsi   = true\n      default = true", 1) + "\n" + `conf = { cinder = { DEFAULT = { enabled_backends = "san" } } }`, three, 1, ""},
		"pinned":                     {"lvm", pinned, three, 1, ""},
		"a label of one node":        {"lvm", labels, three + disks, 1, ""},
		"a label that others set":    {"lvm", labels, three, 1, ""},
		"a label of several":         {"lvm", labels, three + disks + strings.Replace(disks, `"d"`, `"e"`, 1), 1, "which may be d or e"},
		"a role of several":          {"lvm", workers, three, 1, "which may be worker-1 or worker-2"},
		"the name of no node":        {"lvm", `conf = { cinder = { DEFAULT = { host = "disks" } } }`, three, 1, "which may be control-1"},
		"as many as nodes":           {"lvm", "", three, 3, "or have each of them serve its own disks"},
		"as many, apart":             {"lvm", `anti_affinity = "required"`, three, 3, ""},
		"too few, apart":             {"lvm", `anti_affinity = "required"`, three, 2, "which may be control-1"},
		"apart by something else":    {"lvm", `anti_affinity = "required"` + "\n" + `topology_key = "topology.kubernetes.io/zone"`, three, 3, "which may be control-1"},
		"a value for the pods alone": {"lvm", `values = { pod = { affinity = { anti = { type = { volume = "requiredDuringSchedulingIgnoredDuringExecution" } } } } }`, three, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, composed.WithBackends(c.storage, c.pods, c.block)+c.nodes)
			_, diags := compose.Compose(m, ev, compose.Facts{})
			var told strings.Builder
			for _, d := range diags {
				fmt.Fprintln(&told, d.Detail, d.Hint)
			}
			if diags.HasErrors() != (c.want != "") || !strings.Contains(told.String(), c.want) {
				t.Errorf("it says %q, want %q", told.String(), c.want)
			}
		})
	}
}

// TestPodsOfBackends has several pods of cinder-volume only where each works for disks of its own.
func TestPodsOfBackends(t *testing.T) {
	for name, c := range map[string]struct {
		storage, backends string
		refused           bool
	}{
		"disks":            {"ceph", localBackend, false},
		"a pool":           {"ceph", poolBackends, true},
		"a pool and disks": {"ceph", poolBackends + localBackend, true},
		"by names of their own": {"ceph", strings.ReplaceAll(poolBackends, `type `, `options = { backend_host = "elsewhere" }
      type `) + localBackend, false},
	} {
		m, ev := composed.Text(t, composed.WithBackends(c.storage, 2, c.backends))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if told := diags.HasErrors() && strings.Contains(diags.Error(), "more than one with the same name"); told != c.refused {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestPodsOfManilaData refuses several, by whatever names: one that starts gives up the copies of all.
func TestPodsOfManilaData(t *testing.T) {
	for conf, want := range map[string]bool{"": true, "conf = { manila = { DEFAULT = { host = null } } }": true, "values = { manifests = { deployment_data = false } }": false} {
		source := strings.Replace(composed.Source("ovs", "ceph"), "service \"manila\" { replicas = { api = 2, data = 1, scheduler = 2, share = 1 } }",
			"service \"manila\" {\n    replicas = { api = 2, data = 2, scheduler = 2, share = 1 }\n    "+conf+"\n  }", 1)
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		told := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return strings.HasPrefix(d.Detail, "data of manila cannot run 2 times")
		})
		if told != want || told != diags.HasErrors() {
			t.Errorf("%q: %v", conf, diags)
		}
	}
}

// TestPodsOfBackups has several pods of cinder-backup only where each goes by a name of its own: one that starts gives up
// the backups that are under way under its name.
func TestPodsOfBackups(t *testing.T) {
	for name, c := range map[string]struct {
		storage, block string
		refused        bool
	}{
		"Ceph":            {"ceph", "", true},
		"pools":           {"ceph", poolBackends, true},
		"by their pods":   {"ceph", "conf = { cinder = { DEFAULT = { host = null } } }", false},
		"disks and pools": {"ceph", poolBackends + localBackend, false},
		"no backups":      {"lvm", "", false},
		"not deployed":    {"ceph", "values = { manifests = { deployment_backup = false } }", false},
	} {
		source := strings.Replace(composed.WithBackends(c.storage, 1, c.block), "backup = 1", "backup = 2", 1)
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		told := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return strings.HasPrefix(d.Detail, "backup of cinder cannot run 2 times")
		})
		if told != c.refused || told != diags.HasErrors() {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestNamesOfBackends: of a list of backends that people write, each one is there, or that is told.
func TestNamesOfBackends(t *testing.T) {
	for _, test := range []struct{ storage, conf, want string }{
		{"lvm", `cinder = { DEFAULT = { enabled_backends = "lvm1,more" } }`, "conf.cinder.DEFAULT.enabled_backends of cinder has more, and conf.backends says nothing of that"},
		{"lvm", `cinder = { DEFAULT = { enabled_backends = ["lvm1", "more"] } }, backends = { more = { volume_driver = "a.B" } }`, ""},
		{"lvm", `cinder = { DEFAULT = { enabled_backends = "lvm1,more" }, more = { volume_driver = "a.B" } }`, ""},
		{"lvm", `cinder = { DEFAULT = { enabled_backends = "rbd1" } }`, "of cinder has rbd1, "},
		{"lvm", `cinder = { DEFAULT = { enabled_backends = sensitive("more") } }`, ""},
		{"ceph", `cinder = { DEFAULT = { enabled_backends = "rbd1" } }`, ""},
		{"ceph", `cinder = { DEFAULT = { enabled_backends = "rbd2" } }`, "of cinder has rbd2, "},
	} {
		m, ev := composed.Text(t, composed.Source("ovs", test.storage, "  profile = profile.written")+"profile \"written\" {\n  service \"cinder\" {\n    conf = { "+test.conf+" }\n  }\n}\n")
		_, warnings := composed.Warned(t, m, ev, compose.Facts{})
		if test.want == "" && len(warnings) > 0 || test.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].Detail, test.want)) {
			t.Errorf("%s, %s: %v, want %q", test.storage, test.conf, warnings, test.want)
		}
	}
}
