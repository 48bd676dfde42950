//go:build beds

package charts_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// expectation is what the objects of a release have among them, and what not.
type expectation struct{ has, lacks []string }

// checkStorage renders charts of OpenStack-Helm with what a configuration leads to.
func checkStorage(t *testing.T, dir, hcl string, want map[string]expectation) {
	t.Helper()
	m, ev := composed.Text(t, hcl)
	units := composed.Compose(t, m, ev, compose.Facts{})
	for service, expected := range want {
		all := strings.Join(renderedBy(t, theirs(t, dir, service), composed.Release(t, units, service)), "\n---\n")
		for _, text := range expected.has {
			if !strings.Contains(all, text) {
				t.Errorf("no object of %s has %q", service, text)
			}
		}
		for _, text := range expected.lacks {
			if at := strings.Index(all, text); at >= 0 {
				t.Errorf("an object of %s has %q: %s", service, text, all[max(0, at-200):min(len(all), at+200)])
			}
		}
	}
}

const pools = `
    backend "fast" {
      type = "rbd"
      pool = "volumes-ssd"
    }
    backend "slow" {
      type    = "rbd"
      default = true
      options = { image_volume_cache_enabled = null }
    }
`

const disks = `
    backend "local" {
      type         = "lvm"
      volume_group = "vg0"
    }
`

// TestBackendsOfOpenStackHelm wants Cinder to get the sections that are written, the key of Ceph only where volumes are
// there, and a job that is waited for to be one that there is.
func TestBackendsOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	const slow = "[slow]\nimage_volume_cache_max_size_gb = 200\nrados_connect_timeout = -1\nrbd_ceph_conf = /etc/ceph/ceph.conf\n"
	const sizes = "name: RBD_POOL_REPLICATION\n              value: \"3\""
	for name, c := range map[string]struct {
		storage, backends string
		want              map[string]expectation
	}{
		"pools": {"ceph", pools, map[string]expectation{
			"cinder": {
				has: []string{
					"enabled_backends = fast,slow\n", "default_volume_type = slow\n", "[fast]\n", slow, "rbd_pool = volumes-ssd\n", "rbd_pool = cinder.volumes\n",
					"rbd_secret_uuid = secret-ceph-secret-uuid\n", "name: ceph-keyring-placement-fast\n", "name: cinder-storage-init-fast\n", sizes,
					"--property volume_backend_name=fast", "--property volume_backend_name=slow", "host = cinder-volume-worker\n",
				},
				lacks: []string{"[rbd1]", "placement-slow", "hostIPC: true", "457eb676", "<nil>"},
			},
			"nova": {lacks: []string{"mountPath: /etc/iscsi"}},
		}},
		"a pool and disks": {"ceph", pools + disks, map[string]expectation{
			"cinder": {
				has: []string{
					"enabled_backends = fast,local,slow\n", "[local]\ntarget_helper = lioadm\nvolume_backend_name = local\nvolume_driver = cinder.volume.drivers.lvm.LVMVolumeDriver\nvolume_group = vg0\n",
					"backend_host = cinder-volume-worker\n", "--config-file /tmp/cinder-volume-host.conf", "hostNetwork: true", "hostIPC: true",
				},
				lacks: []string{"\nhost = cinder-volume-worker\n"},
			},
			"nova": {has: []string{"mountPath: /etc/iscsi"}},
		}},
		"disks": {"lvm", disks, map[string]expectation{
			"cinder": {
				has: []string{
					"enabled_backends = local\n", "--property volume_backend_name=local",
					"mountPath: /etc/target\n", "path: /etc/target\n            type: DirectoryOrCreate\n",
				},
				lacks: []string{"storage-init\n", "keyring-placement-", "lvm1", "rbd1", "cinder-storage-init,", "name: cinder-backup\n"},
			},
		}},
		"a share and an array": {"lvm", `
    backend "files" {
      type    = "nfs"
      share   = "nfs.example.org:/volumes"
      default = true
    }
    backend "san" {
      driver  = "cinder.volume.drivers.san.san.SanISCSIDriver"
      options = { san_password = secret("san", "password"), replication = ["a", "b"] }
    }
`, map[string]expectation{
			"cinder": {
				has: []string{
					"[files]\nnas_host = nfs.example.org\nnas_share_path = /volumes\nvolume_backend_name = files\nvolume_driver = cinder.volume.drivers.nfs.NfsDriver\n",
					"san_password = secret-password\n", "replication = a,b\n", "host = cinder-volume-worker\n",
				},
				lacks: []string{"hostIPC: true", "hostNetwork: true", "storage-init\n"},
			},
		}},
	} {
		t.Run(name, func(t *testing.T) { checkStorage(t, dir, composed.WithBackends(c.storage, 1, c.backends), c.want) })
	}
}

// TestCephOfOpenStackHelm wants the charts to reach Ceph with the users that are there, and with nothing that only the
// administrator of Ceph can do.
func TestCephOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	const backups = "cinder-backup-rbd-keyring"
	ofAdmin := []string{"pvc-ceph-client-key", "secretName: ceph-admin", "storage-init\n", "storage-init\",", "storage-init,"}
	for name, c := range map[string]struct {
		hcl  string
		want map[string]expectation
	}{
		"users that are there": {composed.WithBackends("ceph", 1, "", `
  ceph {
    mon_hosts = ["192.0.2.11"]
    images    = { pool = "images", user = "pictures", secret = "ceph-images" }
    volumes   = { pool = "volumes", user = "blocks", secret = "ceph-volumes" }
    backups   = { pool = "copies", user = "keeper", secret = "ceph-backups" }
    instances = { pool = "disks" }
  }`), map[string]expectation{
			"glance": {
				has: []string{
					"rbd_store_pool = images\n", "rbd_store_user = pictures\n", "name: RBD_STORE_USER\n              value: \"pictures\"", "secretName: \"ceph-images\"", "name: ceph-etc\n",
				},
				lacks: append([]string{"images-rbd-keyring", "rbd_store_user = glance\n", "rbd_store_pool = glance.images"}, ofAdmin...),
			},
			"cinder": {
				has: []string{
					"[rbd1]\n", "rbd_pool = volumes\n", "rbd_user = blocks\n", "backup_ceph_pool = copies\n", "backup_ceph_user = keeper\n",
					"secretName: \"ceph-volumes\"", "secretName: \"ceph-backups\"", "name: RBD_USER\n              value: \"blocks\"", "name: RBD_USER\n              value: \"keeper\"",
				},
				lacks: append([]string{backups, "cinder-volume-rbd-keyring", "rbd_user = cinder\n", "name: cinder-clean"}, ofAdmin...),
			},
			"nova": {
				has: []string{
					"images_rbd_pool = disks\n", "rbd_user = blocks\n", "rbd_secret_uuid = secret-ceph-secret-uuid\n", "name: CEPH_CINDER_USER\n          value: blocks\n",
					"key = secret-key\n",
				},
				lacks: []string{"ceph-admin-keyring-placement", "nova-storage-init", "pvc-ceph-client-key", "ceph auth get-or-create client.${CEPH_CINDER_USER}"},
			},
			"libvirt": {
				has:   []string{"name: CEPH_CINDER_USER\n          value: blocks\n", "name: CEPH_CINDER_KEYRING\n          value: secret-key\n", "[client.blocks]\n        key = secret-key\n"},
				lacks: []string{"ceph-admin-keyring-placement", "pvc-ceph-client-key", "ceph auth get-or-create"},
			},
		}},
		"pools and users of the charts": {composed.WithBackends("ceph", 1, "", `
  ceph {
    mon_hosts    = ["192.0.2.11"]
    admin_secret = "ceph-admin"
    volumes      = { pool = "volumes" }
    backups      = { user = "keeper" }
  }`), map[string]expectation{
			"glance": {has: []string{"secretName: ceph-admin\n", "name: glance-storage-init\n", "images-rbd-keyring"}, lacks: ofAdmin[:1]},
			"cinder": {
				has:   []string{"secretName: ceph-admin\n", "name: cinder-storage-init-rbd1\n", "name: RBD_POOL_NAME\n              value: \"volumes\"", "name: RBD_POOL_USER\n              value: \"keeper\""},
				lacks: ofAdmin[:1],
			},
			"nova":    {has: []string{"secretName: ceph-admin\n", "name: nova-storage-init\n", "ceph-admin-keyring-placement"}, lacks: ofAdmin[:1]},
			"libvirt": {has: []string{"secretName: ceph-admin\n", "ceph-admin-keyring-placement"}, lacks: ofAdmin[:1]},
		}},
	} {
		t.Run(name, func(t *testing.T) { checkStorage(t, dir, composed.Without(c.hcl, "ceph-adapter-rook"), c.want) })
	}
}

// TestImagesOfOpenStackHelm wants Glance to keep images in an object store, with nothing of Ceph or of volumes.
func TestImagesOfOpenStackHelm(t *testing.T) {
	hcl := composed.Storing(composed.Source("ovs", "ceph"), "swift")
	checkStorage(t, checkoutOfCharts(t), hcl, map[string]expectation{"glance": {
		has:   []string{"enabled_backends = file:file,http:http,swift:swift\n", "default_backend = swift\n", "name: STORAGE_BACKEND\n              value: \"swift\""},
		lacks: []string{"name: ceph-etc", "kind: PersistentVolumeClaim"},
	}})
}
