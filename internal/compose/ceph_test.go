package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const (
	cephWithUsers = `
  ceph {
    mon_hosts = ["192.0.2.11", "[2001:db8::12]:6789"]
    images    = { pool = "images", user = "pictures", secret = "ceph-images" }
    volumes   = { pool = "volumes", user = "blocks", secret = "ceph-volumes" }
    instances = { pool = "disks" }
  }`
	cephWithAdmin = `
  ceph {
    conf         = "[global]\nmon host = 192.0.2.11\n"
    admin_secret = "ceph-admin"
    volumes      = { pool = "volumes" }
    backups      = { pool = "backups", user = "keeper" }
  }`
)

func TestCeph(t *testing.T) {
	const pool, user, prepares, cleans, admin = "conf.backends.rbd1.rbd_pool", "conf.backends.rbd1.rbd_user", "manifests.job_storage_init", "manifests.job_clean", "ceph_client.user_secret_name"
	for name, c := range map[string]struct {
		block, conf string
		keyring     string                       // from where hypervisors have the key
		want        map[string]map[string]string // by service and path
	}{
		"users that are there": {cephWithUsers, "[global]\nmon_host = 192.0.2.11,[2001:db8::12]:6789\n", "openstack/ceph-volumes key", map[string]map[string]string{
			"glance": {
				"conf.glance.rbd.rbd_store_pool": `"images"`, "conf.glance.rbd.rbd_store_user": `"pictures"`, "secrets.rbd": `"ceph-images"`,
				prepares: "false", cleans: "false", admin: "null",
				"dependencies.static.api.jobs": `["glance-db-sync","glance-rabbit-init","glance-ks-user","glance-ks-endpoints"]`,
			},
			"cinder": {
				pool: `"volumes"`, user: `"blocks"`, "secrets.rbd.volume": `"ceph-volumes"`, "secrets.rbd.backup": `"ceph-volumes"`, prepares: "false", cleans: "false",
				"conf.cinder.DEFAULT.backup_ceph_user": `"blocks"`, "conf.cinder.DEFAULT.backup_ceph_pool": "null", "manifests.job_backup_storage_init": "false",
				"dependencies.static.backup.jobs": `["cinder-db-sync","cinder-ks-user","cinder-ks-endpoints","cinder-rabbit-init"]`,
			},
			"nova": {
				"conf.nova.libvirt.images_rbd_pool": `"disks"`, "conf.nova.libvirt.rbd_user": `"blocks"`, "conf.ceph.cinder.user": `"blocks"`,
				prepares: "false", "conf.ceph.cinder.keyring": "null",
			},
			"libvirt": {"conf.ceph.cinder.user": `"blocks"`, "conf.ceph.cinder.keyring": "null", prepares: "null"},
		}},
		"pools and users of the charts": {cephWithAdmin, "[global]\nmon host = 192.0.2.11\n", "", map[string]map[string]string{
			"glance": {admin: `"ceph-admin"`, prepares: "null", "secrets.rbd": "null", "conf.glance.rbd": "null"},
			"cinder": {
				admin: `"ceph-admin"`, pool: `"volumes"`, user: "null", prepares: "null", "secrets.rbd": "null",
				"conf.ceph.pools":                      `{"volumes":{"app_name":"cinder-volume","chunk_size":8,"crush_rule":"replicated_rule","replication":3}}`,
				"conf.cinder.DEFAULT.backup_ceph_pool": `"backups"`, "conf.cinder.DEFAULT.backup_ceph_user": `"keeper"`,
			},
			"nova":    {admin: `"ceph-admin"`, prepares: "null", "conf.ceph.cinder.user": "null"},
			"libvirt": {admin: `"ceph-admin"`},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			units := composed.Everything(t, "ovs", "ceph", "", c.block)
			for service, paths := range c.want {
				release := composed.Release(t, units, service)
				for path, want := range paths {
					if got := compact(at(release.Values, strings.Split(path, "."))); got != want {
						t.Errorf("%s: %s is %s, want %s", service, path, got, want)
					}
				}
				keyring := ""
				for _, s := range release.Secrets {
					if strings.Join(s.Path, ".") == "conf.ceph.cinder.keyring" && s.Opted {
						keyring = s.Namespace + "/" + s.Name + " " + s.Key
					}
				}
				if want := c.keyring; (service == "nova" || service == "libvirt") && keyring != want || service != "nova" && service != "libvirt" && keyring != "" {
					t.Errorf("%s has the key of %q", service, keyring)
				}
				waits := slices.ContainsFunc(units["service."+service].Edges, func(e unit.Edge) bool {
					return e.To.String() == "system.ceph" && e.Until == unit.Installed && e.Gate == unit.GateStart
				})
				if !waits {
					t.Errorf("%s does not wait for what it reads of Ceph", service)
				}
			}
			objects := units["system.ceph"].Spec.(*unit.Objects)
			if got := at(objects.Items[0], []string{"data", "ceph.conf"}); got != c.conf || !objects.Keep {
				t.Errorf("the ConfigMap has %q, and stays: %v", got, objects.Keep)
			}
		})
	}
}

// TestBackendsInCeph has backends in the pool and with the user of the block, where they say nothing else.
func TestBackendsInCeph(t *testing.T) {
	values := composed.Release(t, unitsOf(t, composed.WithBackends("ceph", 1, poolBackends, cephWithUsers)), "cinder").Values
	for path, want := range map[string]string{
		"conf.backends.fast.rbd_pool": `"volumes-ssd"`, "conf.backends.slow.rbd_pool": `"volumes"`,
		"conf.backends.fast.rbd_user": `"blocks"`, "conf.backends.slow.rbd_user": `"blocks"`, "conf.backends.rbd1": "null",
		"manifests.job_storage_init": "false",
	} {
		if got := compact(at(values, strings.Split(path, "."))); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestWithoutCeph makes nothing where the block is not written.
func TestWithoutCeph(t *testing.T) {
	for address, u := range composed.Everything(t, "ovs", "ceph", "") {
		if address == "system.ceph" || slices.ContainsFunc(u.Edges, func(e unit.Edge) bool { return e.To.String() == "system.ceph" }) {
			t.Errorf("%s is or waits for what nobody wrote", address)
		}
	}
}
