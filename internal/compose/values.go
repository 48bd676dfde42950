package compose

import (
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The backends, as the language names them, and the storage that is neither of its backends.
const (
	networkOVS   = "ovs"
	networkOVN   = "ovn"
	storageCeph  = "ceph"
	storageLVM   = "lvm"
	storageLocal = "local" // what is not Ceph
)

// condition says for which clouds an entry of a table holds; empty fields are for all.
type condition struct {
	network, storage string
	beside           string // a service that is deployed
	release          string // of OpenStack
}

func (c condition) holds(cloud *model.Cloud) bool {
	stored := c.storage == "" || c.storage == cloud.StorageBackend || c.storage == storageLocal && cloud.StorageBackend != storageCeph
	return stored && (c.release == "" || c.release == cloud.Release) && (c.network == "" || c.network == cloud.NetworkBackend) && (c.beside == "" || cloud.Runs(c.beside))
}

// setting is a value that a chart gets from us.
type setting struct {
	path  string
	value any
	when  condition
}

// How a chart is told to leave the pods of its DaemonSets alone.
const (
	replacementOfDaemons = "pod.lifecycle.upgrades.daemonsets.pod_replacement_strategy"
	onlyOnDelete         = "OnDelete"
)

// settings are the values of each chart that the cloud's own attributes lead to, besides
// endpoints, images, replicas and credentials.
func settings() map[string][]setting {
	// Pods under running instances are replaced one by one and not by Kubernetes, whose
	// RollingUpdate goes on without looking at them.
	onDelete := setting{path: replacementOfDaemons, value: onlyOnDelete}
	// The backend must be the same in all charts that read it: it selects what pods wait for.
	ovs := setting{path: "network.backend", value: []any{"openvswitch"}, when: condition{network: networkOVS}}
	ovn := setting{path: "network.backend", value: []any{"ovn"}, when: condition{network: networkOVN}}
	withCeph, withoutCeph, withLVM := condition{storage: storageCeph}, condition{storage: storageLocal}, condition{storage: storageLVM}
	// Images and flavors come from the configuration, not from a chart's bootstrap job.
	noBootstrap := setting{path: "bootstrap.enabled", value: false}
	withIronic := condition{beside: "ironic"}
	return map[string][]setting{
		"openvswitch": {onDelete},
		"ovn":         {onDelete},
		"libvirt": {
			onDelete, ovs, ovn,
			{path: "conf.ceph.enabled", value: true, when: withCeph},
			{path: "conf.ceph.enabled", value: false, when: withoutCeph},
		},
		"nova": {
			onDelete, ovs, ovn, noBootstrap,
			{path: "conf.ceph.enabled", value: true, when: withCeph},
			{path: "conf.ceph.enabled", value: false, when: withoutCeph},
			{path: "conf.nova.libvirt.images_type", value: "rbd", when: withCeph},
			{path: "conf.nova.libvirt.images_type", value: "qcow2", when: withoutCeph},
			{path: "conf.enable_iscsi", value: true, when: withLVM}, // volumes come from other nodes
			// A host that registers later than the chart's job ran is in no cell, and Nova takes it for good all the
			// same: what it puts there fails. The chart's own clock looks once an hour.
			{path: "conf.nova.scheduler.discover_hosts_in_cells_interval", value: int64(60)},
			// Nova reaches the switch by a port of the node unless told otherwise. Neutron's agent for Open vSwitch opens that,
			// and with OVN nobody does: no instance with a network would start. All that is on the node reaches the socket.
			{path: "conf.nova.os_vif_ovs.ovsdb_connection", value: "unix:" + switchFiles + "/db.sock", when: condition{network: networkOVN}},
			// What starts instances on bare metal talks to Ironic alone, so it needs no hypervisor beside it.
			{path: "manifests.statefulset_compute_ironic", value: true, when: withIronic},
			{path: "labels.agent.compute_ironic.node_selector_key", value: unit.ControlPlaneLabel, when: withIronic},
		},
		"glance": {
			noBootstrap,
			{path: "storage", value: "rbd", when: withCeph},
			{path: "storage", value: "pvc", when: withoutCeph},
		},
		// Uninstalled, it would empty the table of credentials, which are people's.
		"keystone": {{path: "manifests.job_credential_cleanup", value: false}},
		"cinder":   cinderSettings(),
		// Manila's own driver plugs a port of its node into the switch, which nodes of the control plane alone have not.
		"manila": append(scriptOf("manila"), noBootstrap, setting{path: "labels.share.node_selector_key", value: unit.NetworkLabel}),
		// The pods that clean up mount a volume that the chart gives another name, and would be refused.
		"designate": {{
			path:  "pod.mounts.designate_service_cleaner.designate_service_cleaner.volumes",
			value: []any{map[string]any{"name": "designate-etc-snippets", "emptyDir": map[string]any{}}},
		}},
		// The chart has the key that Barbican itself begins with, which everybody knows, as one to read old secrets by.
		"barbican":                  {{path: "conf.simple_crypto_kek_rewrap.old_kek", value: ""}},
		"ironic":                    ironicSettings(),
		"octavia":                   append(scriptOf("octavia"), setting{path: "conf.octavia.task_flow.jobboard_enabled", value: false}), // it is kept in Valkey, which is not deployed
		"skyline":                   {{path: "conf.skyline.openstack.default_region", value: nil}},                                       // the endpoints' is the cloud's
		"mariadb-backup":            besideMariaDB(),
		"prometheus-mysql-exporter": mysqlExporterSettings(),
		// It is the only chart that gives resources which nobody wrote.
		"prometheus-blackbox-exporter": {{path: podResources + "enabled", value: false}},
		// Services find pods of their own namespace alone, and those of Kubernetes itself are in another one.
		"prometheus-kube-state-metrics": {{path: "manifests.service_scheduler", value: false}, {path: "manifests.service_controller_manager", value: false}},
		"neutron":                       append([]setting{onDelete, ovs, ovn}, neutronSettings()...),
	}
}

// scriptOf has uWSGI start an API of 2025.1 by its script, as the charts' overrides of that release do: the module
// that the charts name came with 2025.2, and the script went.
func scriptOf(service string) []setting {
	at, first := "conf."+service+"_api_uwsgi.uwsgi.", condition{release: "2025.1"}
	return []setting{
		{path: at + "module", value: nil, when: first},
		{path: at + "wsgi-file", value: "/var/lib/openstack/bin/" + service + "-wsgi", when: first},
	}
}

// cinderSettings choose the backend of volumes and backups. The chart's own are Ceph for volumes and Swift, which
// nobody deploys here, for backups.
func cinderSettings() []setting {
	withCeph, withLVM := condition{storage: storageCeph}, condition{storage: storageLVM}
	const options = "conf.cinder.DEFAULT."
	list := []setting{{path: options + "backup_driver", value: driverOfBackups, when: withCeph}}
	for path, value := range map[string]any{
		"conf.backends.rbd1": nil,
		"conf.backends.lvm1": map[string]any{
			"volume_driver": driverOfGroups, "volume_backend_name": "lvm1", "volume_group": "cinder-volumes",
			targetHelper: kernelsTarget,
		},
		options + "enabled_backends":    "lvm1",
		options + "default_volume_type": "lvm1",
		options + "host":                nil, // a volume stays with the node whose disk it is on
		"conf.enable_iscsi":             true,
		"pod.useHostNetwork.volume":     true,
		// There is nothing to prepare for volumes, and nowhere to put backups.
		"manifests.job_storage_init":        false,
		"manifests.job_backup_storage_init": false,
		"manifests.deployment_backup":       false,
	} {
		list = append(list, setting{path: path, value: value, when: withLVM})
	}
	return append(append(list, nothingPrepared(withLVM)...), targetsKept(withLVM)...)
}

// Volume groups are served by the target of the node's kernel. Cinder's own choice is a daemon that no pod runs.
const (
	targetHelper  = "target_helper"
	kernelsTarget = "lioadm"
)

// targetsKept have what the kernel serves kept on the node, where it is read again after a restart of it. The kernel
// wants that directory to be there, and the pod's own file system cannot be written.
func targetsKept(when condition) []setting {
	const at, volume, path = "pod.mounts.cinder_volume.cinder_volume.", "etctarget", "/etc/target"
	return []setting{
		{path: at + "volumeMounts", when: when, value: []any{map[string]any{"name": volume, "mountPath": path}}},
		{path: at + "volumes", when: when, value: []any{map[string]any{
			"name": volume, "hostPath": map[string]any{"path": path, "type": "DirectoryOrCreate"},
		}}},
	}
}

// nothingPrepared has Cinder's pods wait for no job that would prepare something for volumes.
func nothingPrepared(when condition) []setting {
	var list []setting
	for _, waiting := range []string{"api", "scheduler", "volume", "volume_usage_audit"} {
		list = append(list, setting{path: "dependencies.static." + waiting + ".jobs", when: when, value: jobsOfCinder()})
	}
	return list
}

// jobsOfCinder are those that all of Cinder waits for.
func jobsOfCinder() []any {
	return []any{"cinder-db-sync", "cinder-ks-user", "cinder-ks-endpoints", "cinder-rabbit-init"}
}

// ironicSettings leave the images and the network of the machines to the configuration, as those of instances are, and do
// without Swift, which nobody deploys here: conductors serve images themselves.
func ironicSettings() []setting {
	return []setting{
		{path: "bootstrap.image.enabled", value: false},
		{path: "bootstrap.object_store.enabled", value: false},
		{path: "manifests.job_manage_cleaning_network", value: false},
		// Two on one node would go by one name, and take the same ports.
		{path: "pod.affinity.anti.type.conductor", value: "requiredDuringSchedulingIgnoredDuringExecution"},
		// It is the only chart that has tokens kept in memcached in the clear, where whoever reaches that could write others.
		{path: "conf.ironic.keystone_authtoken.memcache_security_strategy", value: "ENCRYPT"},
		// The machines call back, and know no names of the inside.
		{path: "conf.ironic.service_catalog.valid_interfaces", value: "public"},
	}
}

// besideMariaDB lead to the database of the chart mariadb: charts that come with it name that of mariadb-cluster.
func besideMariaDB() []setting {
	return []setting{
		{path: "endpoints.oslo_db.hosts.default", value: "mariadb"},
		{path: "endpoints.oslo_db.hosts.direct", value: "mariadb-server"},
	}
}

// mysqlExporterSettings switch on what is all off in the chart.
func mysqlExporterSettings() []setting {
	list := append(besideMariaDB(), setting{path: "monitoring.prometheus.enabled", value: true})
	for _, object := range []string{"configmap_bin", "deployment_exporter", "job_user_create", "secret_etc", "service_exporter"} {
		list = append(list, setting{path: "manifests.monitoring.prometheus." + object, value: true})
	}
	return list
}

// neutronSettings put Neutron's agents on network nodes, and replace them where OVN does their work. They turn on the
// plugins that kinds of resources need, trunk and qos_policy, which the chart leaves out.
func neutronSettings() []setting {
	withOVS, withOVN := condition{network: networkOVS}, condition{network: networkOVN}
	var list []setting
	for _, agent := range []string{"agent.dhcp", "agent.l3", "agent.metadata", "netns_cleanup_cron"} {
		list = append(list, setting{path: "labels." + agent + ".node_selector_key", value: unit.NetworkLabel, when: withOVS})
	}
	for _, daemon := range []string{"dhcp_agent", "l3_agent", "metadata_agent", "ovs_agent", "netns_cleanup_cron"} {
		list = append(list, setting{path: "manifests.daemonset_" + daemon, value: false, when: withOVN})
	}
	const plugins, ml2 = "conf.neutron.DEFAULT.service_plugins", "conf.plugins.ml2_conf.ml2."
	return append(list,
		setting{path: "manifests.daemonset_ovn_metadata_agent", value: true, when: withOVN},
		setting{path: plugins, value: "router,trunk,qos", when: withOVS},
		setting{path: plugins, value: "ovn-router,trunk,qos", when: withOVN},
		setting{path: ml2 + "extension_drivers", value: "port_security,qos"},
		setting{path: "conf.plugins.openvswitch_agent.agent.extensions", value: "qos", when: withOVS},
		setting{path: ml2 + "mechanism_drivers", value: "ovn", when: withOVN},
		setting{path: ml2 + "type_drivers", value: "flat,vlan,geneve", when: withOVN},
		setting{path: ml2 + "tenant_network_types", value: "geneve", when: withOVN},
	)
}

// volumes are where charts take the size of a volume that storage_size sets.
func volumes() map[string]string {
	return map[string]string{"mariadb": "volume.size", "rabbitmq": "volume.size", "glance": "volume.size", "mariadb-backup": "volume.backup.size"}
}
