package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// adoptsAll exports objects, and expects of a plan of that that it adopts all of them and changes no attribute. It returns
// what was exported.
func adoptsAll(t *testing.T, d *openstack.Driver, live []unit.Live, by export.Selection) (exported export.Result, hcl string) {
	t.Helper()
	result, err := export.Export(language(), live, by)
	if err != nil {
		t.Fatal(err)
	}
	hcl = "cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n"
	for _, f := range result.Files {
		hcl += string(f.Content)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(hcl)
		}
	})
	m, ev := composed.Text(t, hcl)
	imports := plan.ImportsOf(m.Imports)
	var targets []unit.Target
	adopted := 0
	for _, u := range composed.Compose(t, m, ev, compose.Facts{}) {
		r, ok := u.Spec.(*unit.Resource)
		if !ok {
			continue
		}
		if !r.Lookup {
			adopted++
		}
		targets = append(targets, unit.Target{Address: u.Address, Spec: r, Locator: r.Locator(), UID: u.Address.String(), Mark: "kupenstack:of-" + u.Address.String(), Fresh: true, Import: imports[u.Address].ID})
	}
	states, err := d.Observe(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	known := map[addr.Object]cty.Value{}
	for _, target := range targets {
		known[target.Address] = states[target.Address].Outputs
	}
	for _, target := range targets {
		want, r := unit.ActionAdopt, target.Spec.(*unit.Resource)
		if r.Lookup {
			want = unit.ActionNone
		}
		desired := r.Desired
		if r.Resolve != nil {
			late, diags := r.Resolve(known)
			if desired = late; len(diags) > 0 || !late.IsWhollyKnown() {
				t.Errorf("%s: %v, %#v", target.Address, diags, late)
			}
		}
		if diff := d.Compare(target, desired, states[target.Address]); diff.Action != want || len(diff.Fields) > 0 {
			t.Errorf("%s: %+v", target.Address, diff)
		}
	}
	if adopted != result.Objects {
		t.Errorf("%d blocks of %d objects", adopted, result.Objects)
	}
	return result, hcl
}

// idOf makes an id as OpenStack has them.
func idOf(last string) string {
	return "00000000-0000-4000-8000-" + strings.Repeat("0", 12-len(last)) + last
}

// whole is a cloud with what somebody made, and with what comes and goes with that.
func whole() map[string]func(*http.Request) any {
	type object = map[string]any
	address := func(last string) []any { return []any{object{"subnet_id": idOf("a5"), "ip_address": last}} }
	answers := map[string]func(*http.Request) any{
		"/v3/p1":      listed("nothing"),
		"/v3/domains": listed("domains", object{"id": "default", "name": "Default"}, object{"id": idOf("d2"), "name": "customers", "enabled": true}),
		"/v3/projects": listed("projects", object{"id": idOf("a1"), "name": "shop", "domain_id": "default", "enabled": true},
			object{"id": idOf("a2"), "name": "service", "domain_id": "default", "enabled": true}),
		"/v3/roles": listed("roles", object{"id": idOf("b1"), "name": "member"}, object{"id": idOf("b2"), "name": "auditor"}),
		"/v3/users": listed("users", object{"id": idOf("c1"), "name": "nova", "domain_id": "default", "enabled": true},
			object{"id": "u1", "name": "ours", "domain_id": "default", "enabled": true},
			object{"id": idOf("c2"), "name": "alice", "domain_id": idOf("d2"), "enabled": true, "default_project_id": idOf("a1")}),
		"/v3/groups": listed("groups"),
		"/v3/role_assignments": listed("role_assignments",
			object{"user": object{"id": idOf("c1")}, "role": object{"id": idOf("b1")}, "scope": object{"project": object{"id": idOf("a2")}}},
			object{"user": object{"id": "u1"}, "role": object{"id": idOf("b1")}, "scope": object{"project": object{"id": idOf("a1")}}},
			object{"user": object{"id": idOf("c2")}, "role": object{"id": idOf("b1")}, "scope": object{"project": object{"id": idOf("a1")}}},
			object{"user": object{"id": idOf("c2")}, "role": object{"id": idOf("b2")}, "scope": object{"domain": object{"id": idOf("d2")}, "OS-INHERIT:inherited_to": "projects"}}),
		"/v3/users/u1/application_credentials": listed("application_credentials", object{"id": idOf("c3"), "name": "theirs", "project_id": "p1", "roles": []any{}}),
		"/v3/regions":                          listed("regions", object{"id": "RegionOne"}, object{"id": "there"}),
		"/v3/services":                         listed("services", object{"id": idOf("e1"), "type": "compute", "name": "nova", "enabled": true}, object{"id": idOf("e2"), "type": "backup", "name": "backup", "enabled": true}),
		"/v3/endpoints":                        listed("endpoints", object{"id": idOf("e3"), "service_id": idOf("e1"), "region_id": "RegionOne", "interface": "public", "url": "http://nova", "enabled": true}, object{"id": idOf("e4"), "service_id": idOf("e2"), "region_id": "there", "interface": "public", "url": "http://backup", "enabled": true}),
		"/v3/registered_limits": listed("registered_limits", object{
			"id": idOf("e5"), "service_id": idOf("e2"), "region_id": nil, "resource_name": "backups", "default_limit": 10, "description": nil,
		}),

		"/v3/limits": listed("limits", object{
			"id": idOf("e6"), "service_id": idOf("e2"), "region_id": nil, "resource_name": "backups", "resource_limit": 20, "project_id": idOf("a1"), "domain_id": nil, "description": nil,
		}),

		"/v2.0/networks": listed("networks", object{"id": idOf("a4"), "name": "web", "project_id": idOf("a1"), "shared": true, "admin_state_up": true},
			object{"id": idOf("a6"), "name": "HA network tenant x", "project_id": "", "shared": false, "admin_state_up": true}),
		"/v2.0/subnets": listed("subnets", object{"id": idOf("a5"), "name": "", "project_id": idOf("a1"), "network_id": idOf("a4"), "cidr": "10.1.0.0/24", "ip_version": 4, "gateway_ip": "10.1.0.1", "enable_dhcp": true, "subnetpool_id": idOf("a7")}),
		"/v2.0/subnetpools": listed("subnetpools", object{
			"id": idOf("a7"), "name": "inner", "project_id": idOf("a1"), "prefixes": []any{"10.0.0.0/8"}, "address_scope_id": idOf("a8"),
			"default_prefixlen": "24", "min_prefixlen": "8", "max_prefixlen": "32", "default_quota": nil, "shared": false, "is_default": false, "ip_version": 4,
		}),
		"/v2.0/address-scopes": listed("address_scopes", object{"id": idOf("a8"), "name": "inner", "project_id": idOf("a1"), "ip_version": 4, "shared": false}),
		"/v2.0/qos/policies": listed("policies", object{"id": idOf("a9"), "name": "gold", "project_id": idOf("a1"), "shared": false, "is_default": false, "rules": []any{
			object{"type": "bandwidth_limit", "direction": "egress", "max_kbps": 1000, "max_burst_kbps": 0}, object{"type": "dscp_marking", "dscp_mark": 26},
		}}),
		"/v2.0/rbac-policies": listed("rbac_policies",
			object{"id": idOf("f1"), "project_id": idOf("a1"), "object_type": "network", "object_id": idOf("a4"), "action": "access_as_shared", "target_tenant": "*"},
			object{"id": idOf("f2"), "project_id": idOf("a1"), "object_type": "qos_policy", "object_id": idOf("a9"), "action": "access_as_shared", "target_tenant": idOf("a2")}),
		"/v2.0/routers":         listed("routers"),
		"/v2.0/security-groups": listed("security_groups", object{"id": idOf("f3"), "name": "default", "project_id": idOf("a1"), "stateful": true}),
		"/v2.0/ports": listed("ports",
			object{"id": idOf("1"), "name": "kept", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": address("10.1.0.5"), "mac_address": "fa:16:3e:00:00:01", "admin_state_up": true, "security_groups": []any{idOf("f3")}, "device_id": "", "device_owner": "", "port_security_enabled": true, "qos_policy_id": idOf("a9"), "binding:host_id": "", "binding:profile": object{}, "binding:vnic_type": "normal"},
			object{"id": idOf("2"), "name": "", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": address("10.1.0.6"), "mac_address": "fa:16:3e:00:00:02", "admin_state_up": true, "security_groups": []any{idOf("f3")}, "device_id": idOf("5"), "device_owner": "compute:nova", "port_security_enabled": true, "binding:host_id": "node-1"},
			object{"id": idOf("3"), "name": "named", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": address("10.1.0.7"), "mac_address": "fa:16:3e:00:00:03", "admin_state_up": true, "security_groups": []any{idOf("f3")}, "device_id": idOf("5"), "device_owner": "compute:nova", "port_security_enabled": true, "binding:host_id": "node-1", "binding:profile": object{"os_vif_delegation": true}},
			object{"id": idOf("4"), "name": "", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": address("10.1.0.2"), "mac_address": "fa:16:3e:00:00:04", "admin_state_up": true, "device_id": "dhcp", "device_owner": "network:dhcp"},
			object{"id": idOf("6"), "name": "", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": address("10.1.0.8"), "mac_address": "fa:16:3e:00:00:05", "admin_state_up": true, "device_id": idOf("7"), "device_owner": "trunk:subport"}),
		"/v2.0/trunks":      listed("trunks", object{"id": idOf("7"), "name": "", "project_id": idOf("a1"), "port_id": idOf("3"), "admin_state_up": true, "sub_ports": []any{object{"port_id": idOf("6"), "segmentation_type": "vlan", "segmentation_id": 101}}}),
		"/v2.0/floatingips": listed("floatingips", object{"id": idOf("8"), "project_id": idOf("a1"), "floating_network_id": idOf("a4"), "floating_ip_address": "192.0.2.7", "port_id": idOf("2"), "fixed_ip_address": "10.1.0.6", "port_details": object{"device_id": idOf("5")}}),

		"/v2.1/flavors/detail":             listed("flavors", object{"id": "f", "name": "small", "vcpus": 1, "ram": 64, "disk": 0, "OS-FLV-EXT-DATA:ephemeral": 0, "swap": "", "os-flavor-access:is_public": false}),
		"/v2.1/flavors/f/os-flavor-access": listed("flavor_access", object{"flavor_id": "f", "tenant_id": idOf("a1")}),
		"/v2.1/os-keypairs":                listed("keypairs"),
		"/v2.1/os-aggregates":              listed("aggregates", object{"id": 3, "name": "rack", "availability_zone": "rack-1", "hosts": []any{"node-1"}, "metadata": object{"availability_zone": "rack-1", "ssd": "true"}}),
		"/v2.1/os-server-groups": func(r *http.Request) any {
			return map[string]any{"server_groups": []any{object{"id": idOf("9"), "name": "apart", "project_id": idOf("a1"), "policy": "anti-affinity", "rules": object{}, "members": []any{idOf("5")}}}}
		},
		"/v2.1/servers/detail": listed("servers", object{"id": idOf("5"), "name": "web", "tenant_id": idOf("a1"), "status": "ACTIVE", "flavor": object{"id": "f"}, "image": object{"id": idOf("10")}, "key_name": nil, "metadata": object{}, "config_drive": "", "tags": []any{}},
			object{"id": idOf("16"), "name": "from-a-volume", "tenant_id": idOf("a1"), "status": "ACTIVE", "flavor": object{"id": "f"}, "image": "", "key_name": nil, "metadata": object{}, "config_drive": "", "tags": []any{}},
			object{"id": idOf("17"), "name": "from-root", "tenant_id": idOf("a1"), "status": "ACTIVE", "flavor": object{"id": "f"}, "image": "", "key_name": nil, "metadata": object{}, "config_drive": "", "tags": []any{}, "os-extended-volumes:volumes_attached": []any{object{"id": idOf("18")}}}),
		"/v2/images": listed("images", object{"id": idOf("10"), "name": "debian", "owner": idOf("a1"), "status": "active", "disk_format": "qcow2", "container_format": "bare", "visibility": "shared", "min_disk": 0, "min_ram": 0, "protected": false, "tags": []any{}}),

		"/v3/p1/types":     listed("volume_types", object{"id": idOf("11"), "name": "__DEFAULT__", "is_public": true, "extra_specs": object{}}, object{"id": idOf("12"), "name": "fast", "is_public": true, "extra_specs": object{"volume_backend_name": "ssd"}, "qos_specs_id": idOf("17")}),
		"/v3/p1/qos-specs": listed("qos_specs", object{"id": idOf("17"), "name": "gold", "consumer": "both", "specs": object{"total_iops_sec": "2000"}}),
		"/v3/p1/volumes/detail": listed("volumes",
			object{
				"id": idOf("13"), "name": "data", "status": "in-use", "size": 2, "volume_type": "fast", "volume_type_id": idOf("12"), "bootable": "true", "metadata": object{}, "os-vol-tenant-attr:tenant_id": idOf("a1"), "availability_zone": "nova",
				"snapshot_id": idOf("14"), "source_volid": nil, "volume_image_metadata": object{"image_id": idOf("10")}, "attachments": []any{object{"server_id": idOf("5"), "device": "/dev/vdb"}, object{"server_id": nil, "host_name": "backup"}},
			},
			object{
				"id": idOf("15"), "name": "copy", "status": "available", "size": 2, "volume_type": "__DEFAULT__", "volume_type_id": idOf("11"), "bootable": "true", "metadata": object{}, "os-vol-tenant-attr:tenant_id": idOf("a1"), "availability_zone": "nova",
				"snapshot_id": nil, "source_volid": idOf("13"), "volume_image_metadata": object{"image_id": idOf("10")}, "attachments": []any{},
			},
			object{
				"id": idOf("18"), "name": "root", "status": "in-use", "size": 2, "volume_type": "__DEFAULT__", "volume_type_id": idOf("11"), "bootable": "true", "metadata": object{}, "os-vol-tenant-attr:tenant_id": idOf("a1"), "availability_zone": "nova",
				"snapshot_id": nil, "source_volid": nil, "volume_image_metadata": object{"image_id": idOf("10")}, "attachments": []any{object{"server_id": idOf("17"), "device": "/dev/vda"}},
			}),
		"/v3/p1/snapshots/detail": listed("snapshots", object{"id": idOf("14"), "name": "before", "status": "available", "size": 2, "volume_id": idOf("15"), "metadata": object{}, "os-extended-snapshot-attributes:project_id": idOf("a1")}),
	}
	return answers
}

// What somebody made is exported without what comes and goes with it, and a plan of that changes nothing.
func TestExportOfAllKinds(t *testing.T) {
	d := answering(t, whole())
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	result, hcl := adoptsAll(t, d, live, export.Selection{})
	var kinds []string
	for _, f := range result.Files {
		kinds = append(kinds, strings.TrimSuffix(f.Name, ".hcl"))
	}
	for _, kind := range export.Kinds(language()) {
		if empty := slices.Contains([]string{"group", "router", "security_group", "keypair", "application_credential"}, kind); empty == slices.Contains(kinds, kind) {
			t.Errorf("%s: exported %t", kind, !empty)
		}
	}
	for _, not := range []string{`domain "Default"`, `user "nova"`, `user "ours"`, `project "service"`, `region "RegionOne"`, "http://nova", "HA network", idOf("f1"), "fa:16:3e:00:00:02", "fa:16:3e:00:00:04", "node-1\"\n", "os_vif"} {
		if strings.Contains(strings.ReplaceAll(hcl, "data \"project\" \"service\"", ""), not) {
			t.Errorf("exported %s", not)
		}
	}
	if result.Unwritable != 2 {
		t.Errorf("%d left out, want the instance without an image and the application credential whose secret nobody knows", result.Unwritable)
	}
	if n := strings.Count(hcl, "volume_attachment \""); n != 1 || !strings.Contains(hcl, "boot_volume  = volume.root") {
		t.Errorf("%d attachments, want that of the volume that nothing runs from:\n%s", n, hcl)
	}
	if n := strings.Count(hcl, "\n  server_group "); n != 1 {
		t.Errorf("%d instances are in the server group, want that which is a member:\n%s", n, hcl)
	}
	if n := strings.Count(hcl, "role_assignment \""); n != 2 {
		t.Errorf("%d role assignments, want those of alice", n)
	}
}

// Of one project its own objects are exported, and what they refer to elsewhere is looked up.
func TestExportOfOneProjectOfMany(t *testing.T) {
	answers := whole()
	networks := answers["/v2.0/networks"]
	answers["/v2.0/networks"] = func(r *http.Request) any {
		list, _ := networks(r).(map[string]any)["networks"].([]map[string]any)
		return map[string]any{"networks": append(slices.Clone(list), map[string]any{"id": idOf("a0"), "name": "theirs", "project_id": idOf("a2"), "admin_state_up": true})}
	}
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	result, hcl := adoptsAll(t, d, live, export.Selection{Project: "shop"})
	if result.Objects == 0 || result.LookedUp == 0 {
		t.Errorf("%d exported, %d looked up", result.Objects, result.LookedUp)
	}
	for _, f := range result.Files {
		for block := range strings.SplitSeq(string(f.Content), "\n\n") {
			if f.Name != "data.hcl" && f.Name != "project.hcl" && strings.HasPrefix(block, strings.TrimSuffix(f.Name, ".hcl")+" ") &&
				!strings.Contains(block, "= project.shop") && !strings.HasPrefix(block, "volume_attachment") && !strings.HasPrefix(block, "rbac_policy") {
				t.Errorf("exported what is in no project, or another one:\n%s", block)
			}
		}
	}
	for _, looked := range []string{`data "flavor" "small"`, `data "volume_type" "fast"`, "= data.flavor.small", "= data.volume_type.fast", "= [network.web"} {
		if !strings.Contains(hcl, looked) {
			t.Errorf("no %s", looked)
		}
	}
	for _, not := range []string{`network "theirs"`, `flavor "small" {`, "host_aggregate", "user \"", `domain "`} {
		if strings.Contains(strings.ReplaceAll(hcl, `data "flavor" "small" {`, ""), not) {
			t.Errorf("exported %s", not)
		}
	}
}

// A cloud without volumes and extensions of Neutron has none of their objects; a list that fails otherwise fails all.
func TestExportOfACloudThatLacksKinds(t *testing.T) {
	answers := whole()
	for _, path := range []string{"/v3/p1", "/v2.0/trunks", "/v2.0/qos/policies", "/v2.0/address-scopes", "/v2.0/rbac-policies"} {
		delete(answers, path)
	}
	d := answering(t, answers)
	kinds := []string{"network", "trunk", "qos_policy", "address_scope", "rbac_policy", "volume", "volume_type", "volume_qos", "snapshot", "volume_attachment"}
	live, _, err := d.Live(t.Context(), kinds)
	if err != nil || len(live) != 2 {
		t.Errorf("got %+v, %v", live, err)
	}
	for path, kind := range map[string]string{"/v2.0/networks": "network", "/v2.0/trunks": "trunk"} {
		answers[path] = func(*http.Request) any { return http.StatusForbidden }
		if live, _, err := d.Live(t.Context(), []string{kind}); err == nil || live != nil {
			t.Errorf("%s: got %+v, %v", kind, live, err)
		}
	}
	delete(answers, "/v2.0/networks")
	if live, _, err := d.Live(t.Context(), []string{"network"}); err == nil || live != nil {
		t.Errorf("without networks got %+v, %v", live, err)
	}
}
