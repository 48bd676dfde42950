package openstack

import "github.com/kupenstack/kupenstack-sync/schema"

// kinds are those that the driver knows: one line for each, and nothing else about them outside of their own files.
func kinds(language *schema.Definition, uploads *uploads, keeper Keeper) []kind {
	auto := &autoSubnets{}
	return []kind{
		projectKind{attributes(language, "project")},
		domainKind{keystoneDomains(language)},
		roleKind{keystoneRoles(language)},
		groupKind{keystoneGroups(language)},
		userKind{keystoneUsers(language)},
		assignmentKind{attributes(language, "role_assignment")},
		applicationCredentialKind{keystoneApplicationCredentials(language), keeper},
		regionKind{keystoneRegions(language)},
		catalogueServiceKind{keystoneServices(language)},
		endpointKind{keystoneEndpoints(language)},
		registeredLimitKind{keystoneRegisteredLimits(language)},
		limitKind{keystoneLimits(language)},
		networkKind{neutronNetworks(language)},
		subnetKind{neutronSubnets(language)},
		routerKind{neutronRouters(language), auto},
		securityGroupKind{neutronSecurityGroups(language)},
		portKind{neutronPorts(language), auto},
		floatingIPKind{neutronFloatingIPs(language), &takers{}},
		trunkKind{neutronTrunks(language)},
		subnetPoolKind{neutronSubnetPools(language)},
		addressScopeKind{neutronAddressScopes(language)},
		qosPolicyKind{neutronQoSPolicies(language)},
		rbacPolicyKind{neutronRBACPolicies(language)},
		flavorKind{attributes(language, "flavor")},
		keypairKind{attributes(language, "keypair"), keeper},
		imageKind{attributes(language, "image"), uploads},
		instanceKind{attributes(language, "instance")},
		serverGroupKind{attributes(language, "server_group")},
		hostAggregateKind{attributes(language, "host_aggregate")},
		volumeTypeKind{attributes(language, "volume_type")},
		volumeQoSKind{attributes(language, "volume_qos")},
		volumeKind{cinderVolumes(language)},
		snapshotKind{cinderSnapshots(language)},
		attachmentKind{attributes(language, "volume_attachment")},
	}
}
