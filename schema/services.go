package schema

// Service is what the language knows about a service that can be deployed.
type Service struct {
	Name string
	Doc  string
	// Parts are the pieces whose replicas can be set one by one; the first one is meant when
	// replicas is a plain number. None means that the service runs once on each of its nodes.
	Parts []string
	// Storage tells whether the service keeps data on volumes of its own.
	Storage bool
	// Versioned tells whether the service has a version of its own, apart from the release of
	// OpenStack.
	Versioned bool
}

// Scalable tells whether replicas can be set.
func (s Service) Scalable() bool { return len(s.Parts) > 0 }

func serviceList() []Service {
	return []Service{
		{Name: "mariadb", Doc: "The SQL database of every service, a Galera cluster.", Parts: []string{"server"}, Storage: true, Versioned: true},
		{Name: "rabbitmq", Doc: "The message broker between the parts of a service.", Parts: []string{"server"}, Storage: true, Versioned: true},
		{Name: "memcached", Doc: "The cache of tokens and sessions.", Parts: []string{"server"}, Versioned: true},
		{Name: "keystone", Doc: "Identity: users, projects, tokens and the catalogue of APIs.", Parts: []string{"api"}},
		{Name: "glance", Doc: "Images that instances start from.", Parts: []string{"api"}},
		{Name: "placement", Doc: "The inventory of what hosts can offer.", Parts: []string{"api"}},
		{Name: "neutron", Doc: "Networks, subnets, routers and security groups.", Parts: []string{"server", "rpc_server"}},
		{Name: "nova", Doc: "Instances.", Parts: []string{"osapi", "api_metadata", "conductor", "scheduler", "novncproxy"}},
		{Name: "libvirt", Doc: "The hypervisor on every compute node."},
		{Name: "openvswitch", Doc: "The virtual switch on every node."},
		{Name: "ovn", Doc: "The distributed network control plane, for network_backend ovn."},
		{Name: "horizon", Doc: "The dashboard.", Parts: []string{"server"}},
	}
}

func serviceNames() []string {
	var names []string
	for _, s := range serviceList() {
		names = append(names, s.Name)
	}
	return names
}
