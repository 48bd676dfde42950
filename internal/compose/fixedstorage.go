package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What is fixed of services that keep data in Ceph once they are deployed: pools, by where the language has them.
const (
	FixedImages    = "ceph.images.pool"
	FixedBackups   = "ceph.backups.pool"
	FixedInstances = "ceph.instances.pool"
)

// FixedInstancesIn is [FixedInstances] on the nodes with a slot, which may have pools of their own.
func FixedInstancesIn(slot int) string { return fmt.Sprintf("%s in slot %d", FixedInstances, slot) }

// FixedClusterIn is the cluster of Ceph that this pool is in.
func FixedClusterIn(slot int) string { return fmt.Sprintf("%s in slot %d", clusterOfDisks, slot) }

// FixedBackend is what is fixed of a backend: what its volumes are in.
func FixedBackend(name string) string { return unit.FixedKept + name }

// Where the chart of Cinder has what decides which backends there are.
const (
	optionsOfCinder = "conf.cinder.DEFAULT."
	enabledBackends = optionsOfCinder + "enabled_backends"
	driverOfPools   = "cinder.volume.drivers.rbd.RBDDriver"
	driverOfGroups  = "cinder.volume.drivers.lvm.LVMVolumeDriver"
	driverOfShares  = "cinder.volume.drivers.nfs.NfsDriver"
	driverOfBackups = "cinder.backup.drivers.ceph.CephBackupDriver"
	otherBackups    = "cinder.backup.drivers.swift.SwiftBackupDriver" // the chart's, and Cinder's own where that is taken away
)

// fixedStorage is where data lies that OpenStack would lose with another place, as the chart of a service gets it, with
// what the chart has where it gets nothing.
func fixedStorage(service string, values map[string]any) map[string]string {
	text := func(path string) string { return plainText(get(values, path)) }
	switch {
	case service == imageService && storageOf(text(imageStorage)) == schema.ImagesCeph:
		return map[string]string{FixedImages: placeOfImages(values)}
	case service == computeService:
		options, _ := get(values, optionsOfDisks).(map[string]any)
		fixed := map[string]string{FixedInstances: placeOfInstances(options)}
		if cluster := clusterOfInstances(options); cluster != "" {
			fixed[clusterOfDisks] = cluster
		}
		return fixed
	case service != volumesService:
		return nil
	}
	fixed := map[string]string{}
	switch driver := cmp.Or(text(optionsOfCinder+"backup_driver"), otherBackups); {
	case driver == driverOfBackups:
		fixed[FixedBackups] = cmp.Or(text(optionsOfCinder+"backup_ceph_pool"), "cinder.backups")
		fixed[clusterOfBackups] = cmp.Or(text(optionsOfCinder+clusterOfBackups), cephConfPath)
	case deploys(values, "deployment", "backup", true): // Cinder restores with the driver that made the backup alone
		fixed[FixedBackups] = strings.TrimSpace(driver + " " + text(optionsOfCinder+"backup_share"))
	}
	for _, name := range enabled(values) {
		fixed[FixedBackend(name)] = placeOfVolumes(values, name)
	}
	return fixed
}

// optionsOfDisks decide where Nova has the disks of instances.
const optionsOfDisks = "conf.nova.libvirt"

// placeOfInstances says what the disks of instances are in. Nova looks for those that are there where it puts new ones.
func placeOfInstances(options map[string]any) string {
	kind, known := comparedText(options["images_type"])
	switch {
	case !known:
		return unit.TextSensitive
	case kind == "rbd":
		return cmp.Or(plainText(options["images_rbd_pool"]), "vms")
	case kind == "lvm":
		return "the volume group " + plainText(options["images_volume_group"])
	default:
		return "files of the nodes"
	}
}

// Where Nova and Cinder take which cluster of Ceph a pool is in, by its file. What is fixed has the same names: pools on record
// from before say nothing of it.
const (
	clusterOfDisks   = "images_rbd_ceph_conf"
	clusterOfBackups = "backup_ceph_conf"
)

// clusterOfInstances is the cluster that the disks of instances are in, "" where they are in none.
func clusterOfInstances(options map[string]any) string {
	if kind, _ := comparedText(options["images_type"]); kind != "rbd" {
		return ""
	}
	return cmp.Or(plainText(options[clusterOfDisks]), cephConfPath)
}

// fixedInSlots are the places of disks on nodes that differ from others, as far as there are such nodes: one gets its slot
// only while no instances run there.
func (c *composer) fixedInSlots(values map[string]any) map[string]string {
	fixed := map[string]string{}
	groups, _ := get(values, "conf.overrides.nova_compute.labels").([]any)
	base, _ := get(values, optionsOfDisks).(map[string]any)
	for _, one := range groups {
		of, _ := one.(map[string]any)
		if get(of, "label.key") != unit.SlotLabel {
			continue // it is a group of people's own
		}
		chosen, _ := get(of, "label.values").([]any)
		own, _ := get(of, optionsOfDisks).(map[string]any)
		for i := range c.m.Profiles {
			p := &c.m.Profiles[i]
			if p.Slot != plainSlot && slices.Contains(chosen, any(strconv.Itoa(p.Slot))) && c.runs(p.Name, []string{schema.RoleCompute}) {
				options := overlay(base, own)
				fixed[FixedInstancesIn(p.Slot)] = placeOfInstances(options)
				if cluster := clusterOfInstances(options); cluster != "" {
					fixed[FixedClusterIn(p.Slot)] = cluster
				}
			}
		}
	}
	return fixed
}

// placeOfImages says what new images are in: the pool of the store that is the default, whose section of the configuration
// has its name. Where nothing is written about stores, the chart has one of that name.
func placeOfImages(values map[string]any) string {
	const chartStore, kindOfStore = "rbd", "rbd"
	store := cmp.Or(plainText(get(values, "conf.glance.glance_store.default_backend")), chartStore)
	for _, one := range namesIn(get(values, "conf.glance.DEFAULT.enabled_backends")) {
		if name, kind, _ := strings.Cut(one, ":"); strings.TrimSpace(name) == store && strings.TrimSpace(kind) != kindOfStore {
			return "the store " + one
		}
	}
	section, _ := get(values, "conf.glance."+store).(map[string]any)
	pool := "images" // Glance's own
	if store == chartStore {
		pool = "glance.images"
	}
	place := cmp.Or(plainText(section["rbd_store_pool"]), pool)
	if cluster := cmp.Or(plainText(section["rbd_store_ceph_conf"]), cephConfPath); cluster != cephConfPath {
		place += " by " + cluster
	}
	return place
}

// enabled are the names of the backends that Cinder has by some values.
func enabled(values map[string]any) []string {
	v := get(values, enabledBackends)
	if v == nil {
		return []string{chartBackend}
	}
	return namesIn(v)
}

// namesIn reads a list of names with commas between them.
func namesIn(v any) []string {
	if list, is := v.(map[string]any); is { // as charts take what has commas
		v = list["values"]
	}
	var names []string
	switch v := v.(type) {
	case nil:
	case []any:
		for _, name := range v {
			names = append(names, plainText(name))
		}
	default:
		names = strings.Split(plainText(v), ",")
	}
	var trimmed []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			trimmed = append(trimmed, name)
		}
	}
	return trimmed
}

// placeOfVolumes says what the volumes of a backend are in. Cinder looks for them by the names of the backend and of the
// host as well.
func placeOfVolumes(values map[string]any, name string) string {
	section, _ := get(values, "conf.backends."+name).(map[string]any)
	option := func(key, otherwise string) string { return cmp.Or(plainText(section[key]), otherwise) }
	driver := option("volume_driver", "")
	if driver == "" && name == chartBackend {
		driver = driverOfPools
	}
	place := driver
	switch driver {
	case driverOfPools:
		place = "the pool " + option("rbd_pool", model.DefaultPool)
		if cluster := option("rbd_ceph_conf", cephConfPath); cluster != cephConfPath {
			place += " by " + cluster
		}
	case driverOfGroups:
		place = "the volume group " + option("volume_group", model.DefaultGroup)
	case driverOfShares:
		place = "the share " + option("nas_host", "") + ":" + option("nas_share_path", "")
	}
	if called := option("volume_backend_name", name); called != name {
		place += ", called " + called
	}
	host := option("backend_host", plainText(get(values, optionsOfCinder+"host")))
	if host == volumeHost && driver != driverOfGroups {
		host = "" // what the chart has; volumes of a group have the name of their node
	}
	if host != "" {
		place += ", of the host " + host
	}
	return place
}
