package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	volumesService = "cinder"
	computeService = "nova"
	imageService   = "glance"

	// chartBackend is the backend that the chart has where nothing else is said.
	chartBackend = "rbd1"
	// volumeHost is by what name the chart has cinder-volume work, whichever pod that is.
	volumeHost = "cinder-volume-worker"

	enableISCSI = "conf.enable_iscsi"
)

// settingsOf are the settings of a service, with those that it has attributes of its own for, such as where it keeps
// its data in the place of what storage_backend leads to.
func settingsOf(cloud *model.Cloud, s *model.Service) []setting {
	list := settings()[s.Name]
	if s.Storage != "" {
		list = append(list, setting{path: imageStorage, value: chartStorage()[s.Storage]})
	}
	if s.VirtType != "" {
		list = append(list, setting{path: "conf.nova.libvirt.virt_type", value: s.VirtType})
	}
	switch backends := backendsOf(cloud); {
	case len(backends) == 0:
	case s.Name == volumesService:
		return backendValues(cloud, s)
	case s.Name == computeService && slices.ContainsFunc(backends, func(b model.Backend) bool { return b.ReachedByISCSI() }):
		return append(list, setting{path: enableISCSI, value: true})
	}
	return list
}

// imageStorage is where Glance's chart takes what images are kept in.
const imageStorage = "storage"

// chartStorage are the names that the chart has for it, by ours.
func chartStorage() map[string]string {
	return map[string]string{schema.ImagesCeph: "rbd", schema.ImagesPVC: "pvc", schema.ImagesSwift: "swift"}
}

// storageOf is what we call what the chart has; a name that only the chart has stays.
func storageOf(chart string) string {
	for ours, theirs := range chartStorage() {
		if theirs == chart {
			return ours
		}
	}
	return chart
}

// backendsOf are the backends that a cloud keeps volumes in.
func backendsOf(cloud *model.Cloud) []model.Backend {
	i := slices.IndexFunc(cloud.Services, func(s model.Service) bool { return s.Name == volumesService && s.Enabled })
	if i < 0 {
		return nil
	}
	return cloud.Services[i].Backends
}

// ofType are the backends of one type, by name.
func ofType(backends []model.Backend, kind string) []model.Backend {
	return slices.DeleteFunc(slices.Clone(backends), func(b model.Backend) bool { return b.Type != kind })
}

// backendValues have Cinder keep volumes in the backends that are written, and in no other.
func backendValues(cloud *model.Cloud, s *model.Service) []setting {
	const options = "conf.cinder.DEFAULT."
	list := []setting{{path: "conf.backends." + chartBackend, value: nil}}
	pools, groups := ofType(s.Backends, schema.BackendRBD), ofType(s.Backends, schema.BackendLVM)
	var names []string
	iscsi := false
	for i := range s.Backends {
		b := &s.Backends[i]
		section := sectionOf(cloud, b)
		if len(groups) > 0 && b.Type != schema.BackendLVM {
			section["backend_host"] = volumeHost // any pod reaches it, and the name must not be that of the pod
		}
		names, iscsi = append(names, b.Name), iscsi || b.ReachedByISCSI()
		list = append(list, setting{path: "conf.backends." + b.Name, value: section})
	}
	list = append(list,
		setting{path: options + "enabled_backends", value: strings.Join(names, ",")},
		setting{path: options + "default_volume_type", value: s.DefaultBackend()})
	if iscsi {
		list = append(list, setting{path: enableISCSI, value: true})
	}
	if len(groups) > 0 { // a volume stays with the node whose disk it is on
		list = append(list, setting{path: options + "host", value: nil}, setting{path: "pod.useHostNetwork.volume", value: true})
		list = append(list, targetsKept(condition{})...)
	}
	list = append(list, prepared(cloud, pools)...)
	return append(list, backups(len(pools) > 0)...)
}

// tellBackends warns of names among the backends of Cinder that nothing is said of: what looks after their volumes does not start.
func (c *composer) tellBackends(s *model.Service, values map[string]any) {
	_, secret := get(values, enabledBackends).(hidden)
	if s.Name != volumesService || secret || !covers(c.written[s.Name], enabledBackends) {
		return
	}
	var missing []string
	for _, name := range enabled(values) {
		path := "conf.backends." + name
		if get(values, "conf.cinder."+name) != nil {
			continue // Cinder reads its sections in either file
		}
		if get(values, path) == nil && (name != chartBackend || covers(values, path)) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return
	}
	at, text := c.whereKey(s, s.Settings, steps(enabledBackends))
	c.failAt(codeUnsafe, at, "a backend that is not there",
		fmt.Sprintf("%s of %s has %s, and conf.backends says nothing of that: Cinder would have no driver for it", text, s.Name, strings.Join(missing, ", ")),
		fmt.Sprintf("write a block in the service, such as backend %q, in the place of the list", missing[0]))
	c.diags[len(c.diags)-1].Severity = diag.Warning
}

// sectionOf are the options that the attributes of a backend lead to.
func sectionOf(cloud *model.Cloud, b *model.Backend) map[string]any {
	section := map[string]any{"volume_backend_name": b.Name, "volume_driver": b.Driver}
	switch b.Type {
	case schema.BackendRBD: // the options that the chart has for its own
		section["volume_driver"] = driverOfPools
		section["rbd_pool"], section["rbd_user"], section["rbd_ceph_conf"] = cloud.PoolOf(b), cloud.UserOfVolumes(), cephConfPath
		section["rbd_flatten_volume_from_snapshot"], section["report_discard_supported"] = false, true
		section["rbd_max_clone_depth"], section["rbd_store_chunk_size"], section["rados_connect_timeout"] = int64(5), int64(4), int64(-1)
		section["image_volume_cache_enabled"], section["image_volume_cache_max_size_gb"] = true, int64(200)
	case schema.BackendLVM:
		section["volume_driver"], section["volume_group"] = driverOfGroups, b.GroupOf()
		section[targetHelper] = kernelsTarget
	case schema.BackendNFS:
		host, path, _ := strings.Cut(b.Share, ":/")
		section["volume_driver"], section["nas_host"], section["nas_share_path"] = driverOfShares, host, "/"+path
	}
	return section
}

// prepared tells the chart for which of the pools it places the key and makes the pool: it does so for one only. Where
// there is none, nothing waits for that.
func prepared(cloud *model.Cloud, pools []model.Backend) []setting {
	if len(pools) == 0 {
		return append(nothingPrepared(condition{}), setting{path: "manifests.job_storage_init", value: false})
	}
	first := &pools[0]
	return []setting{
		{path: "ceph_client.internal_ceph_backend", value: first.Name},
		sizesOfPool(cloud.PoolOf(first)),
	}
}

// sizesOfPool are what the chart makes a pool with, which it has for its own only.
func sizesOfPool(pool string) setting {
	return setting{path: "conf.ceph.pools", value: map[string]any{pool: map[string]any{
		"replication": int64(3), "crush_rule": "replicated_rule", "chunk_size": int64(8), "app_name": "cinder-volume",
	}}}
}

// backups are kept in Ceph, and nowhere without it. pools tells that volumes are there as well.
func backups(pools bool) []setting {
	withCeph, withoutCeph := condition{storage: storageCeph}, condition{storage: storageLocal}
	list := []setting{
		{path: "conf.cinder.DEFAULT.backup_driver", value: driverOfBackups, when: withCeph},
		{path: "manifests.job_backup_storage_init", value: false, when: withoutCeph},
		{path: "manifests.deployment_backup", value: false, when: withoutCeph},
	}
	if !pools {
		list = append(list, setting{path: "dependencies.static.backup.jobs", value: append(jobsOfCinder(), "cinder-backup-storage-init"), when: withCeph})
	}
	return list
}

// secretOfBackend is where a backend takes the secret of the hypervisors that has the key of Ceph.
func secretOfBackend(name string) string { return "conf.backends." + name + ".rbd_secret_uuid" }

// placesInBackends are the places of a credential with those in each pool of the cloud for that in the chart's own
// backend.
func placesInBackends(m *model.Model, places []place) []place {
	backends := backendsOf(&m.Cloud)
	own := place{volumesService, secretOfBackend(chartBackend)}
	if len(backends) == 0 || !slices.Contains(places, own) {
		return places
	}
	places = slices.DeleteFunc(places, func(p place) bool { return p == own })
	for _, b := range ofType(backends, schema.BackendRBD) {
		places = append(places, place{volumesService, secretOfBackend(b.Name)})
	}
	return places
}

// optionsOfBackends are the options that people wrote for the backends of a service, as values of its chart.
func (c *composer) optionsOfBackends(s *model.Service) map[string]any {
	written := map[string]any{}
	for i := range s.Backends {
		b := &s.Backends[i]
		plain, err := withHidden(b.Options, false, nil)
		if err != nil {
			path, detail, hint := refused(err)
			where := b.Origin.At(keys(path)...)
			c.failAt(codeValue, origin{where: where, block: b.Range, about: s.Address}, "invalid options",
				fmt.Sprintf("%s of the backend %s cannot be given to the chart: %s", pathText("options", path), b.Name, detail), hint)
			c.unclear = true
			continue
		}
		if options, _ := plain.(map[string]any); len(options) > 0 {
			put(written, "conf.backends."+b.Name, options)
		}
	}
	return written
}

// leaveAway takes the options out of the values that are null. Helm does so only for those that the chart has, and null
// would be the text that Cinder reads.
func leaveAway(values map[string]any, backends []model.Backend) {
	for _, b := range backends {
		if section, _ := get(values, "conf.backends."+b.Name).(map[string]any); b.Name != chartBackend {
			maps.DeleteFunc(section, func(_ string, v any) bool { return v == nil })
		}
	}
}

// sharesHost tells whether a backend of some values works by the one name that all pods would have.
func sharesHost(values map[string]any) bool {
	backends, _ := get(values, "conf.backends").(map[string]any)
	for _, section := range backends {
		options, _ := section.(map[string]any)
		if options["backend_host"] == volumeHost {
			return true
		}
	}
	return false
}

// partsOfCinder are what has to be up of Cinder by some values: each backend is a service of its own, and one that is up
// says nothing of another. What the chart does not deploy may be somewhere else, and have other names.
func partsOfCinder(values map[string]any) []string {
	var parts []string
	if deploys(values, "deployment", "volume", true) || deploys(values, "statefulset", "volume", false) {
		for _, name := range enabled(values) {
			if name != unit.TextSensitive { // which ones these are is not known here
				parts = append(parts, "cinder-volume@"+name)
			}
		}
	}
	if deploys(values, "deployment", "backup", true) {
		parts = append(parts, "cinder-backup")
	}
	return parts
}
