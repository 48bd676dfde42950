package openstack

import (
	"context"
	"net/url"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// networkKind looks after subnets when it deletes: Neutron would delete those along, whoever
// made them. A network with ports other than Neutron's own is refused by Neutron itself.
type networkKind struct{ neutron }

func (k networkKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	subnets := content{
		call: call{service: serviceNetwork, path: "subnets", query: url.Values{"network_id": {o.id}}}, key: "subnets", mark: markInDescription,
	}
	if err := subnets.mustBeEmpty(ctx, s, "the network"); err != nil {
		return false, err
	}
	lasting, err = k.neutron.remove(ctx, s, o)
	return lasting, s.held(ctx, err, "the network", url.Values{"network_id": {o.id}}, func(map[string]any) bool { return true })
}

func neutronNetworks(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "network"), one: "network", many: "networks",
		fields: []field{
			{"admin_state_up", "admin_state_up"},
			{"mtu", "mtu"},
			{"shared", "shared"},
			{externalAttribute, "router:external"},
			{"port_security", "port_security_enabled"},
			{qosAttribute, keyQoS},
			{"provider_network_type", "provider:network_type"},
			{"provider_physical_network", "provider:physical_network"},
			{"provider_segmentation_id", "provider:segmentation_id"},
		},
		replacing: "everything that is connected to the network is cut off",
	}
}
