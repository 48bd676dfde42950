package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// endpoint is an API as others reach it inside the cluster: the Service that the chart makes.
type endpoint struct {
	name, port string // below endpoints
	host       string
	number     int64 // 0 where the chart's is right
}

// endpoints are the APIs of a chart whose public interface leads to a Service that only exists
// with an ingress in front. They are set to the Service that does exist; who publishes the APIs
// elsewhere writes host_fqdn_override in values.
func endpoints() map[string][]endpoint {
	return map[string][]endpoint{
		"glance":    {{"image", "api", "glance-api", 9292}},
		"placement": {{"placement", "api", "placement-api", 8778}},
		"neutron":   {{"network", "api", "neutron-server", 9696}},
		"nova": {
			{"compute", "api", "nova-api", 8774},
			{"compute_metadata", "metadata", "nova-metadata", 8775},
			{"compute_novnc_proxy", "novnc_proxy", "nova-novncproxy", 6080},
		},
		"cinder":    {{"volumev3", "api", "cinder-api", 8776}},
		"manila":    {{"sharev2", "api", "manila-api", 8786}},
		"designate": {{"dns", "api", "designate-api", 9001}},
		"heat": {
			{"orchestration", "api", "heat-api", 8004},
			{"cloudformation", "api", "heat-cfn", 8000},
		},
		"ironic":   {{"baremetal", "api", "ironic-api", 6385}},
		"barbican": {{"key_manager", "api", "barbican-api", 9311}},
		"magnum":   {{"container_infra", "api", "magnum-api", 9511}},
		"octavia":  {{"load_balancer", "api", "octavia-api", 9876}},
		"skyline":  {{"skyline", "api", "skyline-api", 9999}},
		"horizon":  {{"dashboard", "web", "horizon-int", 0}},
	}
}

// Where Keystone's API is: every chart has it among its endpoints, with the same flaw.
const (
	keystoneHost = "keystone-api"
	keystonePort = int64(5000)
)

// brokerStatefulSet is the name that the chart gives to the StatefulSet of the release "rabbitmq", and cacheStatefulSet
// that of the release "memcached". Clients list the members.
const (
	brokerStatefulSet = "rabbitmq-rabbitmq"
	cacheStatefulSet  = "memcached-memcached"
	cacheService      = "memcached"
	cacheEndpoint     = "endpoints.oslo_cache."
)

// members are how many there are of the servers that clients list one by one.
type members struct{ brokers, caches int64 }

const replicasOfServer = "pod.replicas.server"

// endpointValues are the endpoints of a chart. Hosts and namespaces of the database, the broker
// and the cache stay those of the chart: releases have the names of their services, and all are in
// one namespace.
func endpointValues(service string, cloud *model.Cloud, of members) []setting {
	var list []setting
	for _, e := range endpoints()[service] {
		list = append(list, setting{path: "endpoints." + e.name + ".hosts.public", value: e.host})
		if e.number != 0 {
			list = append(list, setting{path: "endpoints." + e.name + ".port." + e.port + ".public", value: e.number})
		}
	}
	a, logsIn := accounts()[service]
	if !logsIn {
		return list
	}
	list = append(list,
		setting{path: "endpoints.identity.hosts.default", value: keystoneHost},
		setting{path: "endpoints.identity.port.api.default", value: keystonePort},
		setting{path: "endpoints.identity.auth.admin.region_name", value: cloud.Region})
	for _, user := range slices.Concat(a.identity, a.borrowed) {
		list = append(list, setting{path: "endpoints.identity.auth." + user + ".region_name", value: cloud.Region})
	}
	if a.broker {
		list = append(list,
			setting{path: "endpoints.oslo_messaging.statefulset.name", value: brokerStatefulSet},
			setting{path: "endpoints.oslo_messaging.statefulset.replicas", value: of.brokers})
	}
	// Each pod of memcached is a cache of its own: clients choose among all of them by the key, and so find what
	// another one has put there, where the chart's one address would lead each of them to any. The names of one are
	// not written: that address is right then.
	if (a.cache || cachesItself(service)) && of.caches > 1 {
		list = append(list,
			setting{path: cacheEndpoint + "statefulset.name", value: cacheStatefulSet},
			setting{path: cacheEndpoint + "statefulset.replicas", value: of.caches})
	}
	return list
}

// cachesElsewhere tells whether somebody wrote for a service where its cache is.
func cachesElsewhere(written map[string]any) bool {
	return covers(written, cacheEndpoint+"hosts") || covers(written, cacheEndpoint+"host_fqdn_override")
}

// cachesItself tells of the services that use the cache for what they know themselves, be it sessions of people.
func cachesItself(service string) bool { return service == keystoneService || service == "horizon" }
