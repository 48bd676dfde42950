package openstack

import (
	"net/url"
	"slices"
)

// The services, by their type in the catalogue.
const (
	serviceIdentity  = "identity"
	serviceNetwork   = "network"
	serviceCompute   = "compute"
	serviceImage     = "image"
	servicePlacement = "placement"
	serviceVolume    = "block-storage"
)

// service is what there is to know of a service, whatever its kinds.
type service struct {
	// types are those that it may have in the catalogue; a cloud has one of them.
	types []string
	// version is what its endpoint ends with where the catalogue does not say.
	version string
	// question asks it whether it works, given which of its parts have to be up; nil where nobody does.
	question func(parts []string) question
}

// served is a kind that brings its service along, as [services] has it not.
type served interface{ service() service }

// services are those that are known whatever kinds there are.
func services() []service {
	return []service{
		{types: []string{serviceIdentity}, version: "v3/", question: always(question{path: pathOf("auth", "projects"), key: "projects"})},
		{types: []string{serviceImage}, version: "v2/", question: always(few("images", "images"))},
		{types: []string{servicePlacement}, question: always(question{ // which has no version
			path: "resource_providers", key: "resource_providers", query: url.Values{"name": {"kupenstack"}},
		})},
		{types: []string{serviceCompute}, version: "v2.1/", question: always(question{
			path: "os-services", key: "services", microversion: agentsVersion, agents: computeAgent, lacks: computeLacks,
		})},
		{types: []string{serviceNetwork}, version: "v2.0/", question: always(question{
			path: "agents", key: "agents", query: agentFields(), agents: networkAgent, lacks: networkLacks,
		})},
		{types: volumeServices(), version: "v3/", question: func(parts []string) question {
			return question{path: "os-services", key: "services", agents: computeAgent, lacks: func(agents []Agent, _ []string) string { return volumesLack(agents, parts) }}
		}},
		{types: []string{"sharev2", "shared-file-system"}, version: "v2/", question: programs(few("shares", "shares"), question{path: "services", key: "services", microversion: sharesVersion, agents: computeAgent})},
		{types: []string{"orchestration"}, version: "v1/", question: programs(few("stacks", "stacks"), question{path: "services", key: "services", agents: engine})},
		{types: []string{"baremetal"}, version: "v1/", question: programs(few("nodes", "nodes"), question{path: "conductors", key: "conductors", microversion: conductorsVersion, agents: conductor})},
		{types: []string{"container-infra"}, version: "v1/", question: programs(few("clusters", "clusters"), question{path: "mservices", key: "mservices", agents: magnumService})},
		{types: []string{"dns"}, version: "v2/", question: func(parts []string) question {
			names := reporting(few("zones", "zones"), question{path: "service_statuses", key: "service_statuses", agents: designateStatus}, parts)
			if names.agents != nil {
				names.lacks = func(agents []Agent, _ []string) string { return designateLacks(agents, parts) }
			}
			return names
		}},
		{types: []string{"key-manager"}, version: "v1/", question: always(few("secrets", "secrets"))}, // these two tell of no program
		{types: []string{"load-balancer"}, version: "v2/", question: always(few("lbaas/loadbalancers", "loadbalancers"))},
	}
}

// few is the question for a list of one object.
func few(path, key string) question {
	return question{path: path, key: key, query: url.Values{"limit": {"1"}}}
}

// always asks the same, whatever has to be up.
func always(q question) func([]string) question { return func([]string) question { return q } }

// programs is [reporting] for a service.
func programs(plain, all question) func([]string) question {
	return func(wanted []string) question { return reporting(plain, all, wanted) }
}

// service is what is known of a service by one of its types.
func (c *connector) service(called string) service {
	i := slices.IndexFunc(c.services, func(known service) bool { return slices.Contains(known.types, called) })
	if i < 0 {
		return service{types: []string{called}, version: "v3/"}
	}
	return c.services[i]
}

// version is what the endpoint of a service ends with where the catalogue does not say.
func (c *connector) version(called string) string { return c.service(called).version }

// called is the type that a service has in this catalogue, given one that it may have; that one where it has none.
func (s *session) called(service string) string {
	if s.listed(service) != "" {
		return service
	}
	for _, other := range s.connector.service(service).types {
		if s.listed(other) != "" {
			return other
		}
	}
	return service
}

// volumeServices are the names that the service for volumes has had.
func volumeServices() []string { return []string{"block-storage", "volumev3"} }

// volumes is the name of the service for volumes in this catalogue.
func (s *session) volumes() string { return s.called(volumeServices()[0]) }
