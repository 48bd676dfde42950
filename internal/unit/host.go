package unit

import (
	"regexp"
	"strings"
)

// ironicHost is what a nova-compute for bare metal calls itself: by its pod of the StatefulSet nova-compute-ironic.
var ironicHost = regexp.MustCompile(`(?i)^nova-compute-ironic-\d+(\.|$)`)

// BareMetalHost tells whether a host of Nova is no machine, but what starts instances through Ironic.
func BareMetalHost(host string) bool { return ironicHost.MatchString(host) }

// NodesOfHost returns the nodes that a host of OpenStack can be. Its services name hosts as these call themselves,
// and Kubernetes its nodes in lower case, each with or without the domain. It is the node of the host's own name, or
// else all that are the same but for the domain, in their order. Two names with different domains are two machines.
func NodesOfHost(nodes []string, host string) []string {
	host = strings.ToLower(host)
	var found []string
	for _, node := range nodes {
		name := strings.ToLower(node)
		if name == host {
			return []string{node}
		}
		if strings.HasPrefix(host, name+".") || strings.HasPrefix(name, host+".") {
			found = append(found, node)
		}
	}
	return found
}
