package compose

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	podResources    = "pod.resources."
	disruptionParts = "pod.lifecycle.disruption_budget."
)

// pieces are where charts have the resources of a piece, below pod.resources, where it has not the name that the piece
// has in the language.
func pieces() map[string]map[string]string {
	return map[string]map[string]string{
		"nova": {"osapi": "api"},
		"neutron": {
			"dhcp_agent": "agent.dhcp", "l3_agent": "agent.l3", "metadata_agent": "agent.metadata", "ovs_agent": "agent.ovs",
			"ovn_metadata_agent": "agent.ovn_metadata",
		},
		"openvswitch":    {"db": "ovs.db", "vswitchd": "ovs.vswitchd"},
		"mariadb-backup": {"backup": "jobs.mariadb_backup"},
		rookAdapter:      {"key": "jobs.namespace_client_key", "configuration": "jobs.namespace_client_ceph_config"},
	}
}

// bare are the pieces that charts read resources of and have none for.
func bare() map[string][]string {
	return map[string][]string{
		"memcached": {"server"}, "neutron": {"rpc_server"}, "cinder": {"backup"},
		"designate": {"central", "mdns", "producer", "worker"},
	}
}

// cleared are the resources that charts have for what is no piece in the language, and that come alive together with
// those of the pieces: they are taken away, as nobody wrote them. A test compares them with the charts.
func cleared() map[string][]string {
	jobs := func(names ...string) []string {
		for i := range names {
			names[i] = "jobs." + names[i]
		}
		return names
	}
	api := []string{"bootstrap", "db_init", "db_sync", "db_drop", "ks_endpoints", "ks_service", "ks_user", "rabbit_init", "tests"}
	of := func(more ...string) []string { return jobs(slices.Concat(api, []string{"image_repo_sync"}, more)...) }
	return map[string][]string{
		"mariadb":   append(jobs("tests", "prometheus_create_mysql_user", "image_repo_sync", "mariadb_backup", "ks_user"), "db_controller"),
		"rabbitmq":  jobs("tests", "image_repo_sync"),
		"memcached": append(jobs("image_repo_sync"), "memcached"),
		"keystone": jobs(
			"bootstrap", "domain_manage", "db_init", "db_sync", "db_drop", "rabbit_init", "tests", "fernet_setup", "fernet_rotate",
			"credential_setup", "credential_rotate", "credential_cleanup", "image_repo_sync",
		),
		"glance":    of("storage_init", "metadefs_load"),
		"placement": jobs("db_init", "db_sync", "db_drop", "ks_endpoints", "ks_service", "ks_user"),
		"neutron": append(
			of("ovn_db_sync"), "ironic_agent", "agent.ovn", "agent.ovn_vpn", "agent.sriov", "agent.l2gw",
			"agent.bagpipe_bgp", "agent.bgp_dragent",
		),
		"nova":                          append(of("storage_init", "archive_deleted_rows", "cell_setup", "service_cleaner"), "ssh", "serialproxy", "spiceproxy"),
		"libvirt":                       jobs("image_repo_sync"),
		"openvswitch":                   jobs("image_repo_sync"),
		"ovn":                           append(jobs("image_repo_sync"), "ovn_logging_parser", "vector", "ovn_bgp_agent", "frr"),
		"cinder":                        of("volume_usage_audit", "db_purge", "clean", "backup_storage_init", "storage_init"),
		"manila":                        of("db_purge"),
		"designate":                     jobs("bootstrap", "db_init", "db_sync", "ks_endpoints", "ks_service", "ks_user", "rabbit_init", "service_cleaner", "tests"),
		"ironic":                        append(of(), "novncproxy"),
		"heat":                          of("trusts", "engine_cleaner", "purge_deleted"),
		"barbican":                      of(),
		"magnum":                        of(),
		"octavia":                       of(),
		"horizon":                       jobs("db_init", "db_sync", "db_drop", "image_repo_sync", "tests"),
		"mariadb-backup":                append(jobs("tests", "image_repo_sync", "ks_user"), "server"),
		"prometheus-mysql-exporter":     jobs("prometheus_create_mysql_user", "image_repo_sync"),
		"prometheus-openstack-exporter": append(jobs("image_repo_sync", "ks_user"), "clouds_yaml_gen"),
		"prometheus-kube-state-metrics": jobs("image_repo_sync"),
		"prometheus-node-exporter":      jobs("image_repo_sync"),
		"prometheus-process-exporter":   jobs("image_repo_sync"),
	}
}

// priorities are the names that charts have for pods, below pod.priorityClassName, where it is not that of the service
// with the piece behind it.
func priorities() map[string]map[string]string {
	return map[string]map[string]string{
		"nova":        {"osapi": "nova_api_osapi"},
		"placement":   {"api": "placement"},
		"horizon":     {"server": "horizon"},
		"openvswitch": {"db": "openvswitch", "vswitchd": "openvswitch"}, // both are in one pod
	}
}

// budgets are the names that charts have for parts among their budgets, where it is not that of the part.
func budgets() map[string]map[string]string {
	return map[string]map[string]string{
		"mariadb": {"server": "mariadb"}, "nova": {"api_metadata": "metadata"}, "horizon": {"server": "horizon"},
	}
}

// logLevels are where charts take the level of what they log, and how they write the levels where it is not as Python does.
func logLevels() map[string]leveled {
	logger := func(names ...string) leveled {
		var of leveled
		for _, name := range names {
			of.paths = append(of.paths, "conf.logging.logger_"+name+".level")
		}
		return of
	}
	all := map[string]leveled{
		"neutron": logger("neutron", "neutron_taas"),
		"octavia": logger("root", "octavia"), // its root logs as well
		"horizon": {paths: []string{"conf.horizon.local_settings.config.log_level", loggedByHorizon}},
		"libvirt": {paths: []string{"conf.libvirt.log_level"}, words: map[string]string{"debug": "1", "info": "2", "warning": "3", "error": "4"}},
	}
	for _, name := range []string{"keystone", "glance", "placement", "nova", "cinder", "manila", "designate", "ironic", "heat", "barbican", "magnum"} {
		all[name] = logger(name)
	}
	return all
}

// loggedByHorizon is the level of what all of Horizon's loggers hand on to, as its chart takes more lines of Python. That is
// fixed in the chart, and lets no messages for debugging through.
const loggedByHorizon = `conf.horizon.local_settings.config.raw.LOGGING["handlers"]["console"]["level"]`

// leveled is where and how a chart takes a level.
type leveled struct {
	paths []string
	words map[string]string // nil for the names that Python has
}

func (l leveled) word(level string) string {
	if l.words != nil {
		return l.words[level]
	}
	return map[string]string{"debug": "DEBUG", "info": "INFO", "warning": "WARNING", "error": "ERROR"}[level]
}

// named is what a chart calls a piece.
func named(table map[string]map[string]string, service, piece, otherwise string) string {
	if name, ok := table[service][piece]; ok {
		return name
	}
	return otherwise
}

// podValues are the values of a chart that the settings of pods lead to.
func podValues(known schema.Service, s *model.Service) []setting {
	list := resourceValues(known, s)
	if s.Pods.Tolerations != nil {
		at := "pod.tolerations." + tolerated(s.Name)
		list = append(list,
			setting{path: at + ".enabled", value: len(s.Pods.Tolerations) > 0},
			setting{path: at + ".tolerations", value: tolerationValues(s.Pods.Tolerations)})
	}
	if class := s.Pods.PriorityClass; class != "" {
		for _, piece := range known.Pieces() {
			list = append(list, setting{path: "pod.priorityClassName." + named(priorities(), s.Name, piece, s.Name+"_"+piece), value: class})
		}
	}
	if kind := s.Pods.AntiAffinity; kind != "" {
		list = append(list, setting{path: "pod.affinity.anti.type.default", value: kind + "DuringSchedulingIgnoredDuringExecution"})
	}
	if key := s.Pods.TopologyKey; key != "" {
		list = append(list, setting{path: "pod.affinity.anti.topologyKey.default", value: key})
	}
	for part, n := range s.Pods.Budgets {
		list = append(list, setting{path: budgetPath(s.Name, part), value: int64(n)})
	}
	if of := logLevels()[s.Name]; s.Pods.LogLevel != "" {
		for _, path := range of.paths {
			list = append(list, setting{path: path, value: of.word(s.Pods.LogLevel)})
		}
	}
	return list
}

func budgetPath(service, part string) string {
	return disruptionParts + named(budgets(), service, part, part) + ".min_available"
}

// amount is one of the resources of a piece: where it is below them, and "" where it is not written.
type amount struct{ path, text string }

func amountsOf(r model.Resources) []amount {
	return []amount{
		{"requests.cpu", r.Requests.CPU}, {"requests.memory", r.Requests.Memory}, {"limits.cpu", r.Limits.CPU}, {"limits.memory", r.Limits.Memory},
	}
}

// resourceValues give pieces what is written for them, and nothing to anything else: a chart switches all on at once.
func resourceValues(known schema.Service, s *model.Service) []setting {
	if !slices.ContainsFunc(known.Pieces(), func(piece string) bool { _, written := s.Pods.Resources[piece]; return written }) {
		return nil // not even where there are some of what is no piece of the chart
	}
	list := []setting{{path: podResources + "enabled", value: true}}
	for _, piece := range known.Pieces() {
		for _, amount := range amountsOf(s.Pods.Resources[piece]) {
			path := podResources + named(pieces(), s.Name, piece, piece) + "." + amount.path
			switch {
			case amount.text != "":
				list = append(list, setting{path: path, value: amount.text})
			case !slices.Contains(bare()[s.Name], piece): // what the chart has
				list = append(list, setting{path: path, value: nil})
			}
		}
	}
	for _, of := range cleared()[s.Name] {
		list = append(list, setting{path: podResources + of, value: nil})
	}
	return list
}

// tolerated is the name that the chart of a service has for its pods among tolerations.
func tolerated(service string) string {
	if service == "mariadb-backup" {
		return "mariadb"
	}
	return service
}

func tolerationValues(tolerations []model.Toleration) []any {
	list := make([]any, 0, len(tolerations))
	for _, t := range tolerations {
		of := map[string]any{}
		for key, text := range map[string]string{"key": t.Key, "operator": t.Operator, "value": t.Value, "effect": t.Effect} {
			if text != "" {
				of[key] = text
			}
		}
		list = append(list, of)
	}
	return list
}

// checkPods refuses what Kubernetes would take, and what would then do something else than people mean.
func (c *composer) checkPods(s *model.Service, values map[string]any) {
	for _, part := range slices.Sorted(maps.Keys(s.Pods.Budgets)) {
		least := s.Pods.Budgets[part]
		if least == 0 || get(values, budgetPath(s.Name, part)) != int64(least) { // values say something else
			continue
		}
		n, written := get(values, "pod.replicas."+part).(int64)
		switch {
		case !written:
			c.failAt(codeValue, c.lastOrigin(s, schema.DisruptionBudget), "a budget without a number of copies",
				fmt.Sprintf("%d of %s of %s are to go on, and how many there are is not written", least, part, s.Name), fmt.Sprintf("write, for example: replicas = { %s = %d }", part, least+1))
		case int64(least) >= n:
			told := len(c.diags)
			c.failAt(codeValue, c.lastOrigin(s, schema.DisruptionBudget), "no pod could be evicted",
				fmt.Sprintf("%s of %s runs %d times, and %d are to go on: no node with one of them could ever be drained", part, s.Name, n, least),
				fmt.Sprintf("write a lower number than replicas has, or more replicas, such as %d", least+1))
			c.countsByValues(s, told, "pod.replicas."+part)
		}
	}
	if _, written := s.Pods.Resources[schema.PieceTLS]; written && !speaksTLS(c.m, s.Name) {
		at, _ := c.decides(s, s.Settings, schema.Resources, []string{schema.PieceTLS}, nil)
		c.failAt(codeValue, at, "resources for nothing", fmt.Sprintf("resources has tls, and there is no nginx before the APIs of %s", s.Name),
			"take it away; tls in the cloud has APIs speak TLS")
	}
	if r := s.Pods.Resources["server"]; s.Name == broker && len(s.Pods.Resources) > 0 && r.Limits.CPU == "" && get(values, podResources+"server.limits.cpu") == nil {
		c.failAt(codeValue, c.lastOrigin(s, schema.Resources), "no limit of processors",
			"RabbitMQ runs as many schedulers as its limit has processors, and with none that is written it would be one", `write, for example: limits = { cpu = "2" }`)
	}
}
