package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const cephOfRook = `
  ceph {
    rook_namespace = "rook"
    images         = { pool = "images" }
    volumes        = { pool = "volumes", user = "blocks" }
    instances      = { pool = "disks" }
  }`

// objectsOfRook has objects of Rook's in its namespace, in another one, and none of them.
const objectsOfRook = `
manifest "pools" {
  namespace = "rook"
  objects   = { apiVersion = "ceph.rook.io/v1", kind = "CephBlockPool", metadata = { name = "images", namespace = "rook" } }
}
manifest "others" {
  namespace = "elsewhere"
  objects   = { apiVersion = "ceph.rook.io/v1", kind = "CephBlockPool", metadata = { name = "images", namespace = "elsewhere" } }
}
manifest "none" {
  objects = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "note" } }
}
`

// TestCephOfRook has the users of a Ceph of Rook's come with copies of the keys that Rook has, and everybody wait for
// them and for what Rook is to make.
func TestCephOfRook(t *testing.T) {
	units := unitsOf(t, composed.Source("ovs", "ceph", cephOfRook)+objectsOfRook)
	for user, source := range map[string]unit.CopySource{
		"glance": {Namespace: "rook", Name: "rook-ceph-client-glance", Key: "glance", Type: "kubernetes.io/rook"},
		"blocks": {Namespace: "rook", Name: "rook-ceph-client-blocks", Key: "blocks", Type: "kubernetes.io/rook"},
	} {
		u := units[`system.ceph["`+user+`"]`]
		spec, ok := u.Spec.(*unit.Copied)
		if !ok {
			t.Fatalf("%s has no key: %+v", user, u)
		}
		if spec.Source != source || spec.Namespace != "openstack" || spec.Name != "kupenstack-ceph-"+user || spec.Key != "key" {
			t.Errorf("the key of %s is %+v", user, spec)
		}
		if readable := spec.Labels[unit.LabelReadable] == "true"; readable != (user == "blocks") {
			t.Errorf("the key of %s may be read: %v", user, readable)
		}
		if got := edgesOf(u); !strings.Contains(got, "manifest.pools ready") || strings.Contains(got, "manifest.others") || strings.Contains(got, "manifest.none") {
			t.Errorf("the key of %s waits for %s", user, got)
		}
	}
	if _, more := units["system.ceph"]; more {
		t.Error("there is a ConfigMap beside that of the adapter")
	}
	for service, want := range map[string]map[string]string{
		"ceph-adapter-rook": {"ceph_cluster_namespace": `"rook"`, "manifests.job_namespace_client_key": "false", "manifests.configmap_etc_client": "null"},
		"glance":            {"conf.glance.rbd.rbd_store_pool": `"images"`, "secrets.rbd": `"kupenstack-ceph-glance"`, "manifests.job_storage_init": "false"},
		"cinder": {
			"conf.backends.rbd1.rbd_user": `"blocks"`, "secrets.rbd.volume": `"kupenstack-ceph-blocks"`, "secrets.rbd.backup": `"kupenstack-ceph-blocks"`,
			"conf.cinder.DEFAULT.backup_ceph_user": `"blocks"`, "manifests.job_storage_init": "false",
		},
		"nova":    {"conf.nova.libvirt.images_rbd_pool": `"disks"`, "conf.nova.libvirt.rbd_user": `"blocks"`},
		"libvirt": {"conf.ceph.cinder.user": `"blocks"`},
	} {
		release := composed.Release(t, units, service)
		for path, value := range want {
			if got := compact(at(release.Values, strings.Split(path, "."))); got != value {
				t.Errorf("%s: %s is %s, want %s", service, path, got, value)
			}
		}
		fromCopy := slices.ContainsFunc(release.Secrets, func(s unit.ValueSecret) bool {
			return strings.Join(s.Path, ".") == "conf.ceph.cinder.keyring" && s.Opted && s.Namespace == "openstack" && s.Name == "kupenstack-ceph-blocks" && s.Key == "key"
		})
		if hypervisor := service == "nova" || service == "libvirt"; fromCopy != hypervisor {
			t.Errorf("%s has the key of volumes: %v", service, fromCopy)
		}
	}
	for service, want := range map[string][]string{
		"ceph-adapter-rook": {"manifest.pools ready"},
		"glance":            {`system.ceph["glance"] ready`, "service.ceph-adapter-rook ready"},
		"cinder":            {`system.ceph["blocks"] ready`, "service.ceph-adapter-rook ready"},
		"nova":              {`system.ceph["blocks"] ready`, "service.ceph-adapter-rook ready"},
		"libvirt":           {`system.ceph["blocks"] ready`, "service.ceph-adapter-rook ready"},
		"keystone":          nil,
	} {
		got := edgesOf(units["service."+service])
		for _, edge := range want {
			if !strings.Contains(got, edge) {
				t.Errorf("%s waits for %s, not for %s", service, got, edge)
			}
		}
		if want == nil && strings.Contains(got, "system.ceph") {
			t.Errorf("%s waits for %s", service, got)
		}
	}
	if made := refsText(composed.Release(t, units, "ceph-adapter-rook").Made); made != "ConfigMap openstack/ceph-etc" {
		t.Errorf("made by the adapter's jobs: %s", made)
	}
}

// TestBackupsOfRook has a user of backups who is written come with a key of its own.
func TestBackupsOfRook(t *testing.T) {
	units := unitsOf(t, composed.Source("ovs", "ceph", strings.Replace(cephOfRook, "instances ", "backups = { user = \"keeper\" }\n    instances ", 1)))
	spec, ok := units[`system.ceph["keeper"]`].Spec.(*unit.Copied)
	if !ok || spec.Source.Key != "keeper" || len(spec.Labels) > 0 {
		t.Errorf("the key of backups is %+v", spec)
	}
	if got := compact(at(composed.Release(t, units, "cinder").Values, []string{"secrets", "rbd", "backup"})); got != `"kupenstack-ceph-keeper"` {
		t.Errorf("backups are reached with %s", got)
	}
}
