package openstack

import "testing"

// TestKindsToCome leads kinds through their lives that the program does not have. Each is a block of the schema, and one
// file; the generic part is the one that all kinds have. The services are played over HTTP.
func TestKindsToCome(t *testing.T) {
	for name, l := range map[string]nextLife{
		"load balancer": loadBalancerLife(), "zone": zoneLife(), "secret": secretLife(), "stack": stackLife(), "container": containerLife(), "share": shareLife(),
	} {
		t.Run(name, l.walk)
	}
}
