package schema

import "strings"

// RookAdapter is the service that leads the charts to a Ceph of Rook's.
const RookAdapter = "ceph-adapter-rook"

// Service is what the language knows about a service that can be deployed.
type Service struct {
	Name string
	Doc  string
	// Parts are the pieces whose replicas can be set one by one; the first one is meant when
	// replicas is a plain number. None means that the service runs once on each of its nodes, or is Scheduled or Once.
	Parts []string
	// Others are the pieces besides Parts that can be given resources: what runs on each of its nodes, or on a schedule.
	Others []string
	// Budgets are the Parts that the chart has a PodDisruptionBudget for.
	Budgets []string
	// Members are the Parts that are clusters which decide by majority, and whose number cannot change once they run.
	Members []string
	// Grows are the Parts that are such clusters and can get more members once they run, and lose fewer than half at once.
	Grows []string
	// Votes are the Parts that decide by majority among those that are there, so that one of an even number is of no use.
	Votes []string
	// Scheduled tells that nothing of it runs all the time: its pods start at the times of a schedule.
	Scheduled bool
	// Once tells that nothing of it runs all the time: its jobs do their work when it is installed or upgraded.
	Once bool
	// Storage tells whether the service keeps data on volumes of its own.
	Storage bool
	// Versioned tells whether the service has a version of its own, apart from the release of
	// OpenStack.
	Versioned bool
	// ByNode tells whether settings with [ScopeNode] can differ by node: whether the service's chart
	// can configure some nodes otherwise than others.
	ByNode bool
	// Images tells that it keeps images, for which there are several kinds of places.
	Images bool
	// Hypervisor tells that it runs instances, for which there are several kinds of hypervisors.
	Hypervisor bool
	// Stores tells that it keeps data on the storage_backend of the cloud, and needs one.
	Stores bool
	// TLS tells whether its APIs can be made to speak TLS.
	TLS bool
	// Leaves is what it leaves behind in other services when it is uninstalled, and can be taken away with it.
	Leaves []string
}

// What a service leaves behind in other services when it is uninstalled.
const (
	LeftCatalogue = "catalogue" // its entries in the catalogue of Keystone
	LeftUsers     = "users"     // its own users in Keystone
	LeftMessaging = "messaging" // its user and its virtual host in RabbitMQ
	LeftDatabase  = "database"  // its databases, with their users
	LeftPools     = "pools"     // its pools in Ceph
)

// Leftovers lists what a service may leave behind, in the order in which it is taken away: data goes last.
func Leftovers() []string { return append(leftByAll(), LeftPools) }

// leftByAll is what services of OpenStack leave behind that keep no data in Ceph.
func leftByAll() []string { return []string{LeftCatalogue, LeftUsers, LeftMessaging, LeftDatabase} }

// Scalable tells whether replicas can be set.
func (s Service) Scalable() bool { return len(s.Parts) > 0 }

// Runs says of a service that is not scalable when and where it runs.
func (s Service) Runs() string {
	switch {
	case s.Scheduled:
		return "on a schedule"
	case s.Once:
		return "when it is installed or upgraded"
	default:
		return "once on each of its nodes"
	}
}

// Takes tells whether a setting means something to the service.
func (s Service) Takes(setting string) bool {
	switch setting {
	case "replicas":
		return s.Scalable()
	case "storage_size":
		return s.Storage
	case "storage":
		return s.Images
	case "version":
		return s.Versioned
	case "virt_type":
		return s.Hypervisor
	case CleanUp:
		return len(s.Leaves) > 0
	default:
		return s.takesPodSetting(setting)
	}
}

func serviceList() []Service {
	return []Service{
		{Name: "mariadb", Doc: "The SQL database of every service, a Galera cluster.", Parts: []string{"server"}, Others: []string{"controller"}, Budgets: []string{"server"}, Votes: []string{"server"}, Storage: true, Versioned: true},
		{
			Name: "rabbitmq", Parts: []string{"server"}, Grows: []string{"server"}, Storage: true, Versioned: true,
			Doc: "The message broker between the parts of a service. The number of its servers is odd, as they decide by majority, and goes down only as long as a majority of them stays.",
		},
		{Name: "memcached", Doc: "The cache of tokens and sessions.", Parts: []string{"server"}, Versioned: true},
		{Name: "keystone", Doc: "Identity: users, projects, tokens and the catalogue of APIs.", Parts: []string{"api"}, Budgets: []string{"api"}, TLS: true, Leaves: []string{LeftMessaging, LeftDatabase}},
		{Name: "glance", Doc: "Images that instances start from.", Parts: []string{"api"}, Budgets: []string{"api"}, Storage: true, Images: true, TLS: true, Leaves: Leftovers()},
		{Name: "placement", Doc: "The inventory of what hosts can offer.", Parts: []string{"api"}, Budgets: []string{"api"}, TLS: true, Leaves: []string{LeftCatalogue, LeftUsers, LeftDatabase}},
		{
			Name: "neutron", Doc: "Networks, subnets, routers and security groups.", Parts: []string{"server", "rpc_server"},
			Others: []string{"dhcp_agent", "l3_agent", "metadata_agent", "ovs_agent", "ovn_metadata_agent", "netns_cleanup_cron"}, Budgets: []string{"server"}, ByNode: true, TLS: true,
			Leaves: leftByAll(),
		},
		{
			Name: "nova", Doc: "Instances.", Parts: []string{"osapi", "api_metadata", "conductor", "scheduler", "novncproxy"},
			Others: []string{"compute", "compute_ironic"}, Budgets: []string{"osapi", "api_metadata"}, ByNode: true, Hypervisor: true, TLS: true,
			Leaves: Leftovers(),
		},
		{Name: "libvirt", Others: []string{"libvirt"}, Doc: "The hypervisor on every compute node.", ByNode: true},
		{Name: "openvswitch", Others: []string{"db", "vswitchd"}, Doc: "The virtual switch on every node."},
		{
			Name: "ovn", Parts: []string{"ovn_ovsdb_nb", "ovn_ovsdb_sb", "ovn_northd"}, Others: []string{"ovn_controller"},
			Members: []string{"ovn_ovsdb_nb", "ovn_ovsdb_sb"},
			Doc:     "The distributed network control plane, for network_backend ovn. The number of its databases is odd, and stays what it was at first: one by itself, or several that decide by majority. anti_affinity keeps the databases apart, and not the copies of ovn_northd: its chart has no place for that.",
		},
		{Name: "cinder", Doc: "Block storage: volumes for instances, and their snapshots and backups.", Parts: []string{"api", "scheduler", "volume", "backup"}, Budgets: []string{"api"}, Stores: true, TLS: true, Leaves: Leftovers()},
		{
			Name: "manila", Parts: []string{"api", "data", "scheduler", "share"}, Budgets: []string{"api"},
			Doc: "Shared file systems. Without another driver in conf, instances serve them: that takes Cinder, Neutron and Nova, a flavor whose ID " +
				"is service_instance_flavor_id in the section generic, and an image manila-service-image, whose user manila has the password " +
				"manila-service-instance of the Secret kupenstack-credentials. share runs on nodes with the role network, which have the switch that this driver " +
				"plugs into, unless labels.share in values says others.",
			Leaves: leftByAll(),
		},
		{
			Name: "designate", Parts: []string{"api", "central", "mdns", "producer", "worker"},
			Doc: "Names: zones and records of DNS. A PowerDNS of yours answers with them: a Service named powerdns in the namespace of the cloud, there before " +
				"Designate, whose API takes the token designate-powerdns-token of the Secret kupenstack-credentials. Another server is written in conf.",
			Leaves: leftByAll(),
		},
		{
			Name: "ironic", Parts: []string{"api", "conductor"}, Budgets: []string{"api"}, Leaves: leftByAll(),
			Doc: "Bare metal: machines that Nova starts instances on. The nodes of the control plane that conductors run on need an interface with an " +
				"address in the network of the machines: ironic-pxe, unless network.pxe.device in values names another. Machines are cleaned in the network baremetal of yours, " +
				"unless cleaning_network says another in the section neutron of conf, and get their instances over a ramdisk whose kernel and image are images of yours. " +
				"Pods of Ironic, and nova-compute-ironic beside them, stand no taint of the nodes of the control plane.",
		},
		{Name: "heat", Doc: "Orchestration: stacks of resources from templates.", Parts: []string{"api", "cfn", "engine"}, Budgets: []string{"api", "cfn"}, TLS: true, Leaves: leftByAll()},
		{Name: "barbican", Doc: "Secrets, keys and certificates. They are encrypted with barbican-kek of the Secret kupenstack-credentials: keep a copy of that. One that somebody else deployed without a key of its own needs the key that it was written with in conf, at simple_crypto_kek_rewrap.old_kek, when it is taken over.", Parts: []string{"api"}, Budgets: []string{"api"}, Leaves: leftByAll()},
		{Name: "magnum", Doc: "Clusters of containers on instances.", Parts: []string{"api", "conductor"}, Budgets: []string{"api"}, Leaves: leftByAll()},
		{
			Name: "octavia", Parts: []string{"api", "driver_agent", "housekeeping"}, Others: []string{"worker", "health_manager"}, Budgets: []string{"api"},
			Doc: "Load balancers, each of them an instance. It comes up once Neutron has the ports octavia-health-manager-port-NODE and octavia-worker-port-NODE, " +
				"in a network of yours, for each node with the role network. The instances take what conf says in the sections controller_worker and health_manager, " +
				"and certificates below /etc/octavia/certs, which pod.mounts in values puts there; octavia-ca-passphrase of the Secret kupenstack-credentials opens the key of their CA. What load balancers are given in certificates is encrypted with octavia-certificates-key there: keep a copy of both.",
			Leaves: leftByAll(),
		},
		{Name: "horizon", Doc: "The dashboard.", Parts: []string{"server"}, Budgets: []string{"server"}, TLS: true, Leaves: []string{LeftDatabase}},
		{
			Name: "mariadb-backup", Others: []string{"backup"}, Storage: true, Scheduled: true,
			Doc: "Dumps of the databases, every night, on a volume in the cluster. Where the class of that volume waits for a first pod, the service is ready after the first dump.",
		},
		{
			Name: "prometheus-mysql-exporter", Parts: []string{"prometheus_mysql_exporter"}, Versioned: true,
			Doc: "Metrics of the database, for a Prometheus of yours: the Service mysql-exporter. It is in the place of the exporters that MariaDB's chart has where its values switch them on.",
		},
		{
			Name: "prometheus-openstack-exporter", Doc: "Metrics of what the cloud has and uses, from its APIs, for a Prometheus of yours: the Service openstack-metrics.",
			Parts: []string{"prometheus_openstack_exporter"}, Versioned: true, Leaves: []string{LeftUsers},
		},
		{
			Name: "prometheus-blackbox-exporter", Parts: []string{"prometheus_blackbox_exporter"}, Versioned: true,
			Doc: "Tries addresses that a Prometheus of yours asks it for, by the modules of config.blackbox in values: the Service prometheus-blackbox-exporter. Its chart has no " +
				"ServiceAccount, so pull_secret does not reach its pods, and replaces no pod for changed modules: they count for pods that start later.",
		},
		{
			Name: "prometheus-kube-state-metrics", Parts: []string{"kube_state_metrics"}, Versioned: true,
			Doc: "Metrics of the objects in the cluster, for a Prometheus of yours: the Service kube-state-metrics. Its chart lets its pods list and watch everything in the cluster, Secrets among it.",
		},
		{
			Name: "prometheus-node-exporter", Others: []string{"node_exporter"}, Versioned: true,
			Doc: "Metrics of nodes, for a Prometheus of yours: the Service node-exporter, whose pods answer at port 9100 of the nodes of the control plane; labels.node_exporter in values " +
				"chooses others. Its chart makes its pods administrators of the cluster: deploy it where you would trust its image with that.",
		},
		{
			Name: "prometheus-process-exporter", Others: []string{"process_exporter"}, Versioned: true,
			Doc: "Metrics of processes on nodes, those of conf.processes, for a Prometheus of yours: the Service process-exporter, whose pods answer at port 9256 of the nodes of the control " +
				"plane; labels.process_exporter in values chooses others. Its chart makes its pods administrators of the cluster: deploy it where you would trust its image with that.",
		},
		{
			Name: RookAdapter, Others: []string{"key", "configuration"}, Once: true,
			Doc: "Leads the other services to a Ceph that Rook runs in the cluster, for storage_backend ceph; they wait for it. It fetches the key of client.admin through Rook's toolbox, the " +
				"pod rook-ceph-tools, into the Secret pvc-ceph-client-key, and makes the ConfigMap ceph-etc of the monitors that Rook has, as soon as there are three, or mon_count of " +
				"the section global in conf.ceph. Rook's namespace is ceph, unless ceph_cluster_namespace in values names another. Beside a block ceph, which has an admin_secret " +
				"then, it makes that Secret alone. Monitors that change later reach the ConfigMap with the next upgrade of the service, or once it is deleted: what of both is missing is " +
				"made anew. The log of its Job has the key of client.admin, so who may read logs of pods in the namespace has it. With the service goes the ConfigMap, and the Secret stays.",
		},
		{Name: "skyline", Doc: "A dashboard beside Horizon, or in its place.", Parts: []string{"skyline"}, Leaves: []string{LeftUsers, LeftDatabase}},
	}
}

// Services returns what is known about each service, in the order of the reference.
func (d *Definition) Services() []Service { return serviceList() }

// servicesByNode names the services with settings that can differ by node.
func servicesByNode() string {
	var names []string
	for _, s := range serviceList() {
		if s.ByNode {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

func serviceNames() []string {
	var names []string
	for _, s := range serviceList() {
		names = append(names, s.Name)
	}
	return names
}
