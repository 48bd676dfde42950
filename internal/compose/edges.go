package compose

import (
	"cmp"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// need is a service that another one cannot do without.
type need struct {
	service string
	until   unit.Condition
	gate    unit.Gate
	network string // only with this network_backend; "" for all
	spared  bool   // it is waited for where it is deployed, and may be missing
}

// needs are the dependencies between services. They are those of the charts' jobs and init
// containers (dependencies.static and dependencies.dynamic in OpenStack-Helm), seen from outside:
// a database must work before a job can create a schema in it. Where charts wait for each other
// (nova-compute for Neutron's API, Neutron's agents for Nova's, libvirt for the agent on its
// node), they are installed side by side and become ready together.
func needs() map[string][]need {
	ready := func(services ...string) []need {
		var list []need
		for _, s := range services {
			list = append(list, need{service: s, until: unit.Ready, gate: unit.GateStart})
		}
		return list
	}
	installed := func(service string) need {
		return need{service: service, until: unit.Installed, gate: unit.GateStart}
	}
	beside := func(services ...string) []need {
		var list []need
		for _, s := range services {
			list = append(list, need{service: s, until: unit.Installed, gate: unit.GateReady})
		}
		return list
	}
	readyAtLast := func(service string) need {
		return need{service: service, until: unit.Ready, gate: unit.GateReady}
	}
	ovn := installed("ovn")
	ovn.network = networkOVN
	ironic, rook := beside("ironic")[0], ready(rookAdapter)[0]
	ironic.spared, rook.spared = true, true
	return map[string][]need{
		"mariadb":                       nil,
		"rabbitmq":                      nil,
		"memcached":                     nil,
		"keystone":                      ready("mariadb", "rabbitmq", "memcached"),
		rookAdapter:                     nil,
		"glance":                        append(ready("mariadb", "rabbitmq", "memcached", "keystone"), rook),
		"placement":                     ready("mariadb", "memcached", "keystone"),
		"cinder":                        append(ready("mariadb", "rabbitmq", "memcached", "keystone"), rook),
		"manila":                        ready("mariadb", "rabbitmq", "memcached", "keystone"),
		"ironic":                        append(ready("mariadb", "rabbitmq", "memcached", "keystone"), readyAtLast("glance"), readyAtLast("neutron")),
		"designate":                     ready("mariadb", "rabbitmq", "memcached", "keystone"),
		"heat":                          ready("mariadb", "rabbitmq", "memcached", "keystone"),
		"barbican":                      ready("mariadb", "rabbitmq", "memcached", "keystone"),
		"magnum":                        ready("mariadb", "rabbitmq", "memcached", "keystone", "barbican", "heat"),
		"octavia":                       ready("mariadb", "rabbitmq", "memcached", "keystone", "neutron"),
		"horizon":                       ready("mariadb", "memcached", "keystone"),
		"skyline":                       ready("mariadb", "keystone"),
		"mariadb-backup":                ready("mariadb"),
		"prometheus-mysql-exporter":     ready("mariadb"),
		"prometheus-openstack-exporter": ready("keystone"),
		"prometheus-blackbox-exporter":  nil,
		"prometheus-kube-state-metrics": nil,
		"prometheus-node-exporter":      nil,
		"prometheus-process-exporter":   nil,
		"openvswitch":                   nil,
		"ovn":                           {installed("openvswitch")},
		"libvirt":                       append(beside("neutron"), installed("openvswitch"), ovn, rook),
		"neutron":                       append(append(ready("mariadb", "rabbitmq", "memcached", "keystone"), beside("nova")...), installed("openvswitch"), ovn),
		// Nothing of Nova's chart waits for Placement; what Nova runs keeps asking for it.
		"nova": append(append(ready("mariadb", "rabbitmq", "memcached", "keystone"), beside("neutron", "libvirt")...),
			installed("placement"), readyAtLast("placement"), readyAtLast("glance"), ironic, rook),
	}
}

// serviceEdges returns what a service waits for, as far as it is deployed.
func (c *composer) serviceEdges(s *model.Service) []unit.Edge {
	edges := []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}}
	if len(c.places) > 0 {
		edges = append(edges, unit.Edge{To: systemAddress(credentialsUnit), Until: unit.Installed, Gate: unit.GateStart})
	}
	edges = append(append(edges, c.tlsEdges(s.Name)...), c.cephEdges(s.Name)...)
	edges = append(edges, c.controlPlaneEdges()...)
	for _, n := range c.needsOf(s.Name) {
		if c.deployed(n.service) {
			edges = append(edges, unit.Edge{To: serviceAddress(n.service), Until: n.until, Gate: n.gate})
		}
	}
	return append(edges, c.dependencies(s.Address, s.Edges, func(*model.Resource, string) string { return "" })...)
}

// needsOf returns the needs of a service in this cloud.
func (c *composer) needsOf(name string) []need {
	return slices.DeleteFunc(needs()[name], func(n need) bool { return n.network != "" && n.network != c.m.Cloud.NetworkBackend })
}

// controlPlaneEdges keep the nodes of the control plane until a service is gone: the hooks that run
// before its charts are uninstalled are pods, and without the label of such a node they stay pending.
func (c *composer) controlPlaneEdges() []unit.Edge {
	var edges []unit.Edge
	for _, u := range c.units {
		if n, ok := u.Spec.(*unit.Node); ok && slices.Contains(n.Roles, schema.RoleControlPlane) {
			edges = append(edges, unit.Edge{To: u.Address, Until: unit.Installed, Gate: unit.GateKeep})
		}
	}
	return edges
}

// sortedEdges returns each edge once, in order.
func sortedEdges(edges []unit.Edge) []unit.Edge {
	sorted := slices.Clone(edges)
	slices.SortFunc(sorted, func(a, b unit.Edge) int {
		return cmp.Or(a.To.Compare(b.To), cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Until, b.Until), cmp.Compare(a.Part, b.Part))
	})
	return slices.Compact(sorted)
}
