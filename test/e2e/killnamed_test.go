package e2e_test

// setsHost is the request that takes a host out of use, or back into it.
const setsHost = "PUT os-services/"

// The requests of a lease that is there already.
const (
	takesLease     = "update {name} takes"
	renewsLease    = "update {name} renews"
	givesBackLease = "update {name} gives back"
)

// othersBeside is how many clouds share the named steps of the other kinds where there are not to be more runs.
const othersBeside = 2

// namedSteps are the named steps: requests that a daemon has to be killed at in a chapter, also where a daemon of an earlier
// chapter was killed at one like it. See [isKind] for what a name stands for. Each test kills a daemon at each of them once;
// in whole sweeps that is on both sides of them.
func namedSteps() map[string][]string {
	return map[string][]string{
		"lease": {"create leases", takesLease, renewsLease, givesBackLease},
		"install": {
			"create leases", renewsLease, givesBackLease, "create roles", "create rolebindings", "create secrets", "create jobs", "create configmaps", "patch nodes/", "POST git-receive-pack",
			"POST projects", "POST roles", "POST groups", "PUT groups/{id}/roles/", "PUT os-quota-sets/",
			"POST networks", "POST subnets", "POST routers", "PUT add_router_interface", "POST security-groups", "POST security-group-rules",
			"POST floatingips", "POST flavors", "POST os-keypairs", "POST images", "PUT file", "POST members", "POST volumes", "POST servers",
		},
		"change": {
			"create secrets", "create jobs", // a revision of Helm and its hooks
			"delete pods/",                    // of a DaemonSet that Kubernetes leaves to us
			"DELETE flavors/", "POST flavors", // one is replaced
			"PUT networks/", "DELETE security-group-rules/", "DELETE members/",
		},
		"heal": {
			"patch configmaps/", "patch deployments/", "patch nodes/",
			"POST flavors", "POST security-group-rules", "PUT floatingips/", "PUT os-quota-sets/", "POST members",
		},
		"removal": {
			"delete secrets/", "delete roles/", "delete persistentvolumeclaims/", "DELETE servers/", "DELETE floatingips/", "DELETE routers/", "DELETE networks/", "DELETE volumes/", "DELETE projects/", "POST git-receive-pack",
		},
		"install others": {
			"create secrets", "PUT add_extraroutes", "POST import", "POST domains", "POST regions", "POST services", "POST endpoints", "POST registered_limits", "POST limits", "POST users",
			"PUT users/", "PUT roles/", "POST dscp_marking_rules", "POST application_credentials", "POST address-scopes", "POST subnetpools", "POST policies", "POST bandwidth_limit_rules", "POST rbac-policies", "POST ports",
			"POST trunks", "POST os-aggregates", "POST action add_host", "POST action set_metadata", "POST os-server-groups", "POST qos-specs", "POST types", "POST snapshots", "POST os-volume_attachments",
		},
		"change others": {
			"PATCH domains/", "PATCH regions/", "PATCH services/", "PATCH endpoints/", "PATCH limits/", "PATCH users/",
			"POST application_credentials", "DELETE application_credentials/", // it is replaced
			"PUT subnetpools/", "PUT policies/", "PUT bandwidth_limit_rules/", "PUT ports/", "PUT trunks/{id}", "POST action set_metadata", "PUT qos-specs/", "POST extra_specs", "PUT snapshots/",
			"PATCH projects/{id}", "PUT volumes/{id}", "PUT routers/{id}", "PUT remove_extraroutes", "PUT add_extraroutes", "PUT remove_subports", "PUT add_subports",
			"POST os-interface", "POST action resize", "POST action confirmResize", "POST action os-stop",
			"PUT tags/", "DELETE tags/", "PUT os-quota-sets/", "PUT quotas/", "PATCH groups/", "PATCH roles/", "PUT security-groups/", "PUT address-scopes/", "PUT dscp_marking_rules/",
			"PUT os-aggregates/", "PUT flavors/", "POST os-extra_specs", "DELETE os-extra_specs/", "POST action addTenantAccess", "POST action addProjectAccess", "PATCH images/",
			"PUT types/", "DELETE extra_specs/", "PUT delete_keys", "POST metadata", "DELETE metadata/",
		},
		"heal others": {"POST action removeTenantAccess", "POST action removeProjectAccess", "DELETE users/", "DELETE os-interface/", "POST action os-start", "POST action reboot", "POST action rebuild"},
		"removal of others": {
			"DELETE domains/", "DELETE roles/", "DELETE regions/", "DELETE services/", "DELETE endpoints/", "DELETE registered_limits/", "DELETE limits/", "DELETE users/",
			"DELETE application_credentials/", "DELETE address-scopes/", "DELETE subnetpools/", "DELETE policies/", "DELETE rbac-policies/", "DELETE ports/",
			"DELETE trunks/", "DELETE os-aggregates/", "DELETE os-server-groups/", "DELETE qos-specs/", "DELETE types/", "DELETE snapshots/", "DELETE os-volume_attachments/",
		},
		"nodes leave":  {setsHost},
		"nodes return": {setsHost},
	}
}
