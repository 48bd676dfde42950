package compose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Where the charts read how Ceph is reached, and in which key of a Secret they have the key of a user.
const (
	cephConfigMap = "ceph-etc"
	cephConfFile  = "ceph.conf"
	cephConfPath  = "/etc/ceph/ceph.conf"
	cephSecretKey = "key"
)

// rookAdapter is the service that fetches from a Ceph of Rook's what the charts need.
const rookAdapter = schema.RookAdapter

// usersOfCeph are the services that read it.
func usersOfCeph() []string { return []string{"cinder", "glance", "libvirt", "nova"} }

// ceph adds the ConfigMap that the charts read.
func (c *composer) ceph() {
	ceph := c.m.Cloud.Ceph
	if ceph == nil || !c.m.Cloud.Deploys() {
		return
	}
	if ceph.Rook != "" {
		c.rookKeys(ceph)
		return
	}
	conf := ceph.Conf
	if conf == "" {
		conf = "[global]\nmon_host = " + strings.Join(ceph.Monitors, ",") + "\n"
	}
	c.add(unit.Unit{
		Address: systemAddress(cephUnit), Class: unit.ClassSystem, Range: ceph.Range,
		// Without it no pod that uses Ceph starts again, so it stays when the block goes.
		Spec: &unit.Objects{Keep: true, Items: []map[string]any{{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": cephConfigMap, "namespace": c.m.Cloud.Namespace},
			"data":     map[string]any{cephConfFile: conf},
		}}},
		Edges: []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}},
	})
}

// cephEdges have a service wait for what it reads of Ceph.
func (c *composer) cephEdges(service string) []unit.Edge {
	if ceph := c.m.Cloud.Ceph; ceph != nil && ceph.Rook != "" {
		return c.rookEdges(service, ceph)
	}
	if c.m.Cloud.Ceph == nil || !slices.Contains(usersOfCeph(), service) {
		return nil
	}
	return []unit.Edge{{To: systemAddress(cephUnit), Until: unit.Installed, Gate: unit.GateStart}}
}

// cephValues are the pools and users of a service, and where their keys are.
func cephValues(service string, cloud *model.Cloud) []setting {
	ceph := cloud.Ceph
	if service == rookAdapter {
		return adapterValues(ceph)
	}
	if ceph == nil || !slices.Contains(usersOfCeph(), service) || service == imageService && !cloud.ImagesInCeph() {
		return nil
	}
	var list []setting
	if ceph.Admin != "" {
		list = append(list, setting{path: "ceph_client.user_secret_name", value: ceph.Admin})
	}
	switch service {
	case imageService:
		// The store reads the first; what the chart has in the other from before there were several would tell people lies.
		for _, section := range []string{"conf.glance.rbd.", "conf.glance.glance_store."} {
			list = append(list, written(section+"rbd_store_pool", ceph.Images.Pool)...)
			list = append(list, written(section+"rbd_store_user", ceph.Images.User)...)
		}
	case volumesService:
		list = append(list, volumesInCeph(cloud)...)
	case computeService:
		list = append(list, written("conf.nova.libvirt.images_rbd_pool", ceph.Instances)...)
		list = append(list, written("conf.nova.libvirt.rbd_user", ceph.Volumes.User)...)
		list = append(list, written("conf.ceph.cinder.user", ceph.Volumes.User)...)
	case "libvirt":
		list = append(list, written("conf.ceph.cinder.user", ceph.Volumes.User)...)
	}
	if ceph.Admin == "" {
		list = append(list, keysOfCeph(service, ceph)...)
	}
	return list
}

// adapterValues say where Rook is. They leave the ConfigMap to the block where that says how Ceph is reached, and have the key where the block has the charts
// look for it. Without a block both are the adapter's, under the names that the charts have.
func adapterValues(ceph *model.Ceph) []setting {
	switch {
	case ceph == nil:
		return nil
	case ceph.Rook != "":
		return []setting{{path: "ceph_cluster_namespace", value: ceph.Rook}, {path: makesRookKey, value: false}}
	}
	return []setting{
		{path: makesCephConf, value: false},
		{path: "manifests.job_namespace_client_ceph_config", value: false},
		{path: "secret_name", value: ceph.Admin},
	}
}

// What the adapter makes: the ConfigMap, and the Secret with the key of client.admin.
const (
	makesCephConf = "manifests.configmap_etc_client"
	makesRookKey  = "manifests.job_namespace_client_key"
)

// rewritten are the fields that a service's own jobs write after Helm: the addresses of the monitors, which the chart
// does not know. An upgrade puts the chart's text back, and then the job runs again.
func rewritten(service string, values map[string]any) []unit.DriftRule {
	if service != rookAdapter || get(values, makesCephConf) == false {
		return nil
	}
	name, _ := get(values, "configmap_name").(string)
	return []unit.DriftRule{{Kind: "ConfigMap", Name: cmp.Or(name, cephConfigMap), Path: "data"}}
}

// made are the objects that a service's own jobs make or fill in, by the names that its values have.
func made(service, namespace string, values map[string]any) []unit.ObjectRef {
	if service != rookAdapter {
		return nil
	}
	var list []unit.ObjectRef
	for _, one := range []struct{ kind, name, otherwise, job string }{
		{"ConfigMap", "configmap_name", cephConfigMap, "manifests.job_namespace_client_ceph_config"},
		{"Secret", "secret_name", "pvc-ceph-client-key", makesRookKey},
	} {
		if get(values, one.job) != false {
			list = append(list, unit.ObjectRef{APIVersion: "v1", Kind: one.kind, Namespace: namespace, Name: cmp.Or(plainText(get(values, one.name)), one.otherwise)})
		}
	}
	return list
}

// written is a setting for what was written, and none otherwise.
func written(path, value string) []setting {
	if value == "" {
		return nil
	}
	return []setting{{path: path, value: value}}
}

// volumesInCeph are the pools and users of Cinder. Backends that are written have theirs already.
func volumesInCeph(cloud *model.Cloud) []setting {
	ceph, backups := cloud.Ceph, cloud.Ceph.BackupUser()
	list := append(written("conf.cinder.DEFAULT.backup_ceph_pool", backups.Pool), written("conf.cinder.DEFAULT.backup_ceph_user", backups.User)...)
	if len(backendsOf(cloud)) > 0 {
		return list
	}
	list = append(list, written("conf.backends."+chartBackend+".rbd_user", ceph.Volumes.User)...)
	if pool := ceph.Volumes.Pool; pool != "" {
		list = append(list, setting{path: "conf.backends." + chartBackend + ".rbd_pool", value: pool}, sizesOfPool(pool))
	}
	return list
}

// keysOfCeph lead a service to the keys of users that are there. Nothing is made in Ceph, and nothing of it is taken
// away with the service, which jobs of the charts would do with the Secrets.
func keysOfCeph(service string, ceph *model.Ceph) []setting {
	const prepares, cleans = "manifests.job_storage_init", "manifests.job_clean"
	list := []setting{{path: prepares, value: false}}
	key := setting{path: "conf.ceph.cinder.keyring", value: hidden{ref: model.SecretRef{Name: ceph.VolumeUser().Secret, Key: cephSecretKey}}}
	switch service {
	case imageService:
		return append(list, setting{path: cleans, value: false}, setting{path: "secrets.rbd", value: ceph.ImageUser().Secret},
			setting{path: "dependencies.static.api.jobs", value: []any{"glance-db-sync", "glance-rabbit-init", "glance-ks-user", "glance-ks-endpoints"}})
	case volumesService:
		list = append(list, nothingPrepared(condition{})...)
		return append(list, setting{path: cleans, value: false}, setting{path: "manifests.job_backup_storage_init", value: false},
			setting{path: "dependencies.static.backup.jobs", value: jobsOfCinder()},
			setting{path: "secrets.rbd.volume", value: ceph.VolumeUser().Secret}, setting{path: "secrets.rbd.backup", value: ceph.BackupUser().Secret})
	case computeService:
		return append(list, key)
	default:
		return []setting{key}
	}
}
