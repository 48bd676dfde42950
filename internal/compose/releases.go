package compose

import "slices"

// releases are the releases of OpenStack that there are images of.
func releases() []string { return []string{"2025.1", "2025.2", "2026.1"} }

// Where OpenStack-Helm's images of a release are: the newest charts serve every
// release, and the tags of the images select it.
const (
	imageRegistry = "quay.io/airshipit/"
	clientImage   = "openstack-client"
)

// releaseTags are the entries of images.tags that hold software of OpenStack itself, by service and image: those
// that have a release in OpenStack-Helm's charts and values_overrides.
func releaseTags() map[string]map[string][]string {
	return map[string]map[string][]string{
		"keystone": {
			clientImage: {"bootstrap", "db_drop", "db_init", "keystone_credential_cleanup", "ks_user"},
			"keystone": {
				"keystone_api", "keystone_credential_rotate", "keystone_credential_setup", "keystone_db_sync",
				"keystone_domain_manage", "keystone_fernet_rotate", "keystone_fernet_setup",
			},
		},
		"glance": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"glance":    {"glance_api", "glance_db_sync", "glance_metadefs_load"},
		},
		"placement": {
			clientImage: {"db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"placement": {"placement", "placement_db_sync"},
		},
		"neutron": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"neutron": {
				"neutron_bagpipe_bgp", "neutron_bgp_dragent", "neutron_db_sync", "neutron_dhcp", "neutron_ironic_agent", "neutron_ironic_agent_init",
				"neutron_l2gw", "neutron_l3", "neutron_metadata", "neutron_netns_cleanup_cron", "neutron_openvswitch_agent", "neutron_ovn_agent",
				"neutron_ovn_db_sync", "neutron_ovn_metadata", "neutron_ovn_vpn", "neutron_rpc_server", "neutron_server",
			},
		},
		"nova": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user", "nova_cell_setup_init"},
			"nova": {
				"nova_api", "nova_archive_deleted_rows", "nova_cell_setup", "nova_compute", "nova_compute_ironic", "nova_compute_ssh", "nova_conductor",
				"nova_db_sync", "nova_novncproxy", "nova_novncproxy_assets", "nova_scheduler", "nova_serialproxy", "nova_spiceproxy", "nova_spiceproxy_assets",
			},
		},
		"libvirt": {"libvirt": {"libvirt"}},
		"cinder": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"cinder": {
				"cinder_api", "cinder_backup", "cinder_db_purge", "cinder_db_sync", "cinder_scheduler", "cinder_volume",
				"cinder_volume_usage_audit",
			},
		},
		"manila": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"manila":    {"manila_api", "manila_data", "manila_db_purge", "manila_db_sync", "manila_scheduler", "manila_share"},
		},
		"designate": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"designate": {
				"designate_api", "designate_central", "designate_db_sync", "designate_mdns", "designate_producer", "designate_service_cleaner",
				"designate_sink", "designate_worker",
			},
		},
		"ironic": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ironic_manage_cleaning_network", "ironic_retrive_swift_config", "ks_endpoints", "ks_service", "ks_user"}, //nolint:misspell // as the chart has it
			"ironic":    {"ironic_api", "ironic_conductor", "ironic_db_sync", "ironic_novncproxy", "ironic_pxe", "ironic_pxe_init"},
		},
		"heat": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"heat":      {"heat_api", "heat_cfn", "heat_db_sync", "heat_engine", "heat_engine_cleaner", "heat_purge_deleted"},
		},
		"barbican": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user", "scripted_test"},
			"barbican":  {"barbican_api", "barbican_db_sync"},
		},
		"magnum": {
			clientImage: {"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user"},
			"magnum":    {"magnum_api", "magnum_conductor", "magnum_db_sync"},
		},
		"octavia": {
			clientImage: {
				"bootstrap", "db_drop", "db_init", "ks_endpoints", "ks_service", "ks_user", "octavia_health_manager_init", "octavia_worker_init",
			},
			"octavia": {
				"octavia_api", "octavia_db_sync", "octavia_driver_agent", "octavia_health_manager", "octavia_housekeeping", "octavia_worker",
			},
		},
		"skyline": {
			clientImage: {"db_init", "ks_user"},
			"skyline":   {"skyline", "skyline_db_sync", "skyline_nginx"},
		},
		"horizon": {
			clientImage: {"db_drop", "db_init"},
			"horizon":   {"horizon", "horizon_db_sync"},
		},
	}
}

// besideTags are such entries of services that are no software of OpenStack's, and have no release for that.
func besideTags() map[string]map[string][]string {
	return map[string]map[string][]string{
		"mariadb":                       {clientImage: {"ks_user", "prometheus_mysql_exporter_helm_tests"}},
		"mariadb-backup":                {clientImage: {"ks_user"}},
		"ovn":                           {"neutron": {"ovn_logging_parser"}},
		"prometheus-mysql-exporter":     {clientImage: {"prometheus_mysql_exporter_helm_tests"}},
		"prometheus-openstack-exporter": {clientImage: {"ks_user"}},
		"rabbitmq":                      {clientImage: {"rabbitmq_init", "rabbitmq_test"}},
	}
}

// imagesByTag are the images of the cloud's release that a service has, by entry of images.tags.
func imagesByTag(service string) map[string]string {
	images := map[string]string{}
	for _, all := range []map[string]map[string][]string{releaseTags(), besideTags()} {
		for image, tags := range all[service] {
			for _, tag := range tags {
				images[tag] = image
			}
		}
	}
	return images
}

// versionImages are the images of services with a version of their own, by entry of images.tags:
// what comes before the version, and after it. MariaDB's is of no image: see [composer.checkVersion].
func versionImages() map[string]map[string][2]string {
	return map[string]map[string][2]string{
		"rabbitmq": {
			"rabbitmq":      {"docker.io/rabbitmq:", ""},
			"scripted_test": {"docker.io/rabbitmq:", "-management"},
		},
		"prometheus-mysql-exporter": {
			"prometheus_mysql_exporter": {"docker.io/prom/mysqld-exporter:v", ""},
		},
		"prometheus-openstack-exporter": {
			"prometheus_openstack_exporter": {"ghcr.io/openstack-exporter/openstack-exporter:", ""},
		},
		"prometheus-blackbox-exporter":  {"blackbox_exporter": {"docker.io/prom/blackbox-exporter:v", ""}},
		"prometheus-kube-state-metrics": {"kube_state_metrics": {"registry.k8s.io/kube-state-metrics/kube-state-metrics:v", ""}},
		"prometheus-node-exporter":      {"node_exporter": {"docker.io/prom/node-exporter:v", ""}},
		"prometheus-process-exporter":   {"process_exporter": {"docker.io/ncabatoff/process-exporter:", ""}},
		"memcached":                     {"memcached": {imageRegistry + "memcached:", ""}},
	}
}

// versionValues returns the images of a version.
func versionValues(service, version string) []setting {
	var list []setting
	for tag, around := range versionImages()[service] {
		list = append(list, setting{path: "images.tags." + tag, value: around[0] + version + around[1]})
	}
	return list
}

func knownRelease(release string) bool { return slices.Contains(releases(), release) }
