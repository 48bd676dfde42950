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
			units := unitsOf(t, composed.Without(composed.Source("ovs", "ceph", c.block), "ceph-adapter-rook"))
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
	values := composed.Release(t, unitsOf(t, composed.Without(composed.WithBackends("ceph", 1, poolBackends, cephWithUsers), "ceph-adapter-rook")), "cinder").Values
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

// TestAdapterOfRook has the adapter make what the charts read, or the key alone where the block makes the rest, and who
// uses Ceph wait for it.
func TestAdapterOfRook(t *testing.T) {
	const configMap, job, secret = "manifests.configmap_etc_client", "manifests.job_namespace_client_ceph_config", "secret_name"
	for name, c := range map[string]struct {
		block string
		want  map[string]string
		drift []unit.DriftRule
		made  string
	}{
		"by itself":      {"", map[string]string{configMap: "null", job: "null", secret: "null"}, []unit.DriftRule{{Kind: "ConfigMap", Name: "ceph-etc", Path: "data"}}, "ConfigMap openstack/ceph-etc Secret openstack/pvc-ceph-client-key"},
		"beside a block": {cephWithAdmin, map[string]string{configMap: "false", job: "false", secret: `"ceph-admin"`}, nil, "Secret openstack/ceph-admin"},
	} {
		t.Run(name, func(t *testing.T) {
			units := composed.Everything(t, "ovs", "ceph", "", c.block)
			adapter := composed.Release(t, units, "ceph-adapter-rook")
			for path, want := range c.want {
				if got := compact(at(adapter.Values, strings.Split(path, "."))); got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
			if !slices.Equal(adapter.IgnoreDrift, c.drift) {
				t.Errorf("left to the jobs: %v", adapter.IgnoreDrift)
			}
			if made := refsText(adapter.Made); made != c.made {
				t.Errorf("made by its jobs: %s", made)
			}
			var waiting []string
			for address, u := range units {
				if slices.ContainsFunc(u.Edges, func(e unit.Edge) bool {
					return e.To.String() == "service.ceph-adapter-rook" && e.Until == unit.Ready && e.Gate == unit.GateStart
				}) {
					waiting = append(waiting, address)
				}
			}
			slices.Sort(waiting)
			if want := []string{"service.cinder", "service.glance", "service.libvirt", "service.nova"}; !slices.Equal(waiting, want) {
				t.Errorf("%q wait for it", waiting)
			}
		})
	}
	named := strings.Replace(composed.Source("ovs", "ceph"), `service "ceph-adapter-rook" {}`, `service "ceph-adapter-rook" { values = { configmap_name = "mine" } }`, 1)
	if drift := composed.Release(t, unitsOf(t, named), "ceph-adapter-rook").IgnoreDrift; len(drift) != 1 || drift[0].Name != "mine" {
		t.Errorf("left to the jobs: %v", drift)
	}
}

func refsText(refs []unit.ObjectRef) string {
	var all []string
	for _, ref := range refs {
		all = append(all, ref.String())
	}
	return strings.Join(all, " ")
}
