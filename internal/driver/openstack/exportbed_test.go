//go:build beds

package openstack_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// person makes objects as somebody does who knows nothing of us, with plain requests.
type person struct {
	t       *testing.T
	clients map[string]*gophercloud.ServiceClient
}

func newPerson(t *testing.T) *person {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, clients: map[string]*gophercloud.ServiceClient{}}
	at := gophercloud.EndpointOpts{Region: cloud.Region}
	for name, open := range map[string]func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error){
		"identity": gopher.NewIdentityV3, "network": gopher.NewNetworkV2, "compute": gopher.NewComputeV2, "image": gopher.NewImageV2,
	} {
		if p.clients[name], err = open(provider, at); err != nil {
			t.Fatal(err)
		}
	}
	p.clients["compute"].Microversion = "2.61"
	return p
}

// makes sends a creating request, and has what it made deleted at the end. It returns the id.
func (p *person) makes(service, collection, one string, body map[string]any) string {
	p.t.Helper()
	client := p.clients[service]
	var answer map[string]any
	request := any(map[string]any{one: body})
	if one == "" {
		request = body
	}
	if _, err := client.Post(p.t.Context(), client.ServiceURL(collection), request, &answer, &gophercloud.RequestOpts{OkCodes: []int{200, 201, 202}}); err != nil {
		p.t.Fatalf("%s: %v", collection, err)
	}
	if one != "" {
		answer, _ = answer[one].(map[string]any)
	}
	id, _ := answer["id"].(string)
	if collection == "os-keypairs" {
		id, _ = answer["name"].(string)
	}
	p.deletes(client, client.ServiceURL(collection, id))
	return id
}

// deletes has something deleted at the end.
func (p *person) deletes(client *gophercloud.ServiceClient, url string) {
	afterwards(p.t, func(ctx context.Context) error {
		_, err := client.Delete(ctx, url, nil)
		return err
	})
}

// puts sends a request that changes something.
func (p *person) puts(service, path string, body any) {
	p.t.Helper()
	client := p.clients[service]
	if _, err := client.Put(p.t.Context(), client.ServiceURL(path), body, nil, &gophercloud.RequestOpts{OkCodes: []int{200, 201, 204}}); err != nil {
		p.t.Fatalf("%s: %v", path, err)
	}
}

// What somebody made is exported, and a plan of that adopts all of it and changes no attribute.
func TestExport(t *testing.T) {
	t.Parallel()
	prefix := unique("export")
	p := newPerson(t)
	project := p.makes("identity", "projects", "project", map[string]any{"name": prefix + " shop", "description": "The ${shop}", "tags": []string{"a b"}})
	outside := p.makes("network", "networks", "network", map[string]any{"name": prefix + "-outside", "router:external": true})
	p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-outside", "network_id": outside, "cidr": "192.0.2.0/24", "ip_version": 4})
	network := p.makes("network", "networks", "network", map[string]any{"name": prefix + "-web", "project_id": project, "mtu": 1400, "description": "says \"x\"", "port_security_enabled": false})
	p.puts("network", "networks/"+network+"/tags", map[string]any{"tags": []string{"shop", "web"}})
	subnet := p.makes("network", "subnets", "subnet", map[string]any{
		"name": prefix + "-web", "network_id": network, "project_id": project, "cidr": "10.9.0.0/24", "ip_version": 4, "dns_nameservers": []string{"192.0.2.53", "192.0.2.54"},
		"allocation_pools": []any{map[string]any{"start": "10.9.0.10", "end": "10.9.0.99"}, map[string]any{"start": "10.9.0.110", "end": "10.9.0.120"}},
		"host_routes":      []any{map[string]any{"destination": "10.2.0.0/16", "nexthop": "10.9.0.254"}},
	})
	p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-web", "network_id": network, "project_id": project, "cidr": "2001:db8::/64", "ip_version": 6, "gateway_ip": nil, "enable_dhcp": false})
	router := p.makes("network", "routers", "router", map[string]any{"name": prefix + "-edge", "project_id": project, "external_gateway_info": map[string]any{"network_id": outside, "enable_snat": true}})
	p.puts("network", "routers/"+router+"/add_router_interface", map[string]any{"subnet_id": subnet})
	afterwards(t, func(ctx context.Context) error {
		client := p.clients["network"]
		_, err := client.Put(ctx, client.ServiceURL("routers", router, "remove_router_interface"), map[string]any{"subnet_id": subnet}, nil, &gophercloud.RequestOpts{OkCodes: []int{200}})
		return err
	})
	group := p.makes("network", "security-groups", "security_group", map[string]any{"name": prefix + "-web", "project_id": project})
	for _, rule := range []map[string]any{
		{"direction": "ingress", "protocol": "tcp", "port_range_min": 80, "port_range_max": 81, "remote_ip_prefix": "192.0.2.0/24"},
		{"direction": "ingress", "ethertype": "IPv6", "remote_group_id": group},
		{"direction": "egress", "protocol": "icmp", "port_range_min": 8, "port_range_max": 0, "description": "ping"},
	} {
		rule["security_group_id"] = group
		p.makes("network", "security-group-rules", "security_group_rule", rule)
	}
	p.makes("compute", "os-keypairs", "keypair", map[string]any{"name": prefix + "-ops", "public_key": publicKey})
	flavor := p.makes("compute", "flavors", "flavor", map[string]any{"name": prefix + ".small", "vcpus": 1, "ram": 64, "disk": 0, "swap": 32})
	extra := p.clients["compute"]
	if _, err := extra.Post(t.Context(), extra.ServiceURL("flavors", flavor, "os-extra_specs"), map[string]any{"extra_specs": map[string]any{"hw:cpu_policy": "shared"}}, nil, &gophercloud.RequestOpts{OkCodes: []int{200}}); err != nil {
		t.Fatal(err)
	}
	image := p.makes("image", "images", "", map[string]any{"name": prefix + "-image", "disk_format": "raw", "container_format": "bare", "hw_disk_bus": "scsi", "min_disk": 0})
	client := p.clients["image"]
	if _, err := client.Put(t.Context(), client.ServiceURL("images", image, "file"), nil, nil, &gophercloud.RequestOpts{
		RawBody: bytes.NewReader([]byte("bytes")), MoreHeaders: map[string]string{"Content-Type": "application/octet-stream"}, OkCodes: []int{http.StatusNoContent},
	}); err != nil {
		t.Fatal(err)
	}

	customers := p.makes("identity", "domains", "domain", map[string]any{"name": prefix + "-customers", "enabled": false})
	clerk := p.makes("identity", "roles", "role", map[string]any{"name": prefix + "-clerk", "domain_id": customers})
	p.makes("identity", "roles", "role", map[string]any{"name": prefix + "-auditor"})
	team := p.makes("identity", "groups", "group", map[string]any{"name": prefix + "-team", "domain_id": "default"})
	p.puts("identity", "domains/"+customers+"/groups/"+team+"/roles/"+clerk, nil)
	p.makes("network", "ports", "port", map[string]any{"name": prefix + "-kept", "network_id": network, "project_id": project, "fixed_ips": []any{map[string]any{"subnet_id": subnet, "ip_address": "10.9.0.11"}}})
	p.makes("network", "qos/policies", "policy", map[string]any{"name": prefix + "-gold", "project_id": project})
	scope := p.makes("network", "address-scopes", "address_scope", map[string]any{"name": prefix + "-inner", "project_id": project, "ip_version": 4})
	p.makes("network", "subnetpools", "subnetpool", map[string]any{"name": prefix + "-inner", "project_id": project, "prefixes": []string{"10.64.0.0/12"}, "address_scope_id": scope})

	b := newBench(t)
	before := b.fleet.Counts()
	live, _, err := b.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	// No list says who may use an image, a flavor or a volume type, and some lists are of one domain. Others have some, too.
	most := 2 * len(export.Kinds(language()))
	for _, o := range live {
		if slices.Contains([]string{"domain", "flavor", "image", "volume_type"}, o.Kind) {
			most += 2
		}
	}
	counts := b.fleet.Counts().Since(before)
	t.Logf("%d requests for %d objects, of %d at most", counts.Total(), len(live), most)
	if n := counts.Total(); n > most {
		t.Errorf("%d requests, want %d at most:\n%v", n, most, counts)
	}
	var mine []unit.Live
	for _, o := range live {
		if strings.HasPrefix(o.Title, prefix) || o.Kind == "role_assignment" && strings.Contains(o.ID, clerk) {
			mine = append(mine, o)
		}
	}
	result, hcl := adoptsAll(t, b.Driver, mine, export.Selection{})
	if result.Objects != len(mine) || len(mine) < 20 {
		t.Errorf("%d exported of %d:\n%s", result.Objects, len(mine), hcl)
	}
	for _, want := range []string{"domain = domain." + prefix + "-customers", "= role." + prefix + "-clerk"} {
		if !strings.Contains(hcl, want) {
			t.Errorf("no %s in\n%s", want, hcl)
		}
	}
}

// What is in one project is exported alone: what it refers to outside is looked up, and a plan of that adopts all of it
// and changes no attribute.
func TestExportOfAProject(t *testing.T) {
	prefix := unique("export")
	p := newPerson(t)
	project := p.makes("identity", "projects", "project", map[string]any{"name": prefix + "-shop"})
	other := p.makes("identity", "projects", "project", map[string]any{"name": prefix + "-other"})
	outside := p.makes("network", "networks", "network", map[string]any{"name": prefix + "-outside", "router:external": true})
	p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-outside", "network_id": outside, "cidr": "192.0.2.0/24", "ip_version": 4})
	theirs := p.makes("network", "security-groups", "security_group", map[string]any{"name": prefix + "-theirs", "project_id": other})
	p.makes("network", "networks", "network", map[string]any{"name": prefix + "-theirs", "project_id": other})
	network := p.makes("network", "networks", "network", map[string]any{"name": prefix + "-web", "project_id": project})
	p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-web", "network_id": network, "project_id": project, "cidr": "10.9.0.0/24", "ip_version": 4})
	p.makes("network", "routers", "router", map[string]any{"name": prefix + "-edge", "project_id": project, "external_gateway_info": map[string]any{"network_id": outside}})
	group := p.makes("network", "security-groups", "security_group", map[string]any{"name": prefix + "-web", "project_id": project})
	p.makes("network", "security-group-rules", "security_group_rule", map[string]any{"security_group_id": group, "direction": "ingress", "remote_group_id": theirs})
	p.makes("network", "rbac-policies", "rbac_policy", map[string]any{
		"object_type": "network", "object_id": network, "action": "access_as_shared", "target_tenant": other, "project_id": project,
	})
	p.makes("image", "images", "", map[string]any{"name": prefix + "-theirs", "disk_format": "raw", "container_format": "bare", "owner": other})

	b := newBench(t)
	live, _, err := b.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	result, hcl := adoptsAll(t, b.Driver, live, export.Selection{Project: prefix + "-shop"})
	if result.Objects != 6 {
		t.Errorf("%d objects, want 6", result.Objects)
	}
	for _, looked := range []string{
		`data "network" "` + prefix + `-outside"`, `data "security_group" "` + prefix + `-theirs"`, `data "domain" "Default"`, `data "subnet" "` + prefix + `-outside"`, `data "project" "` + prefix + `-other"`,
		"external_network = data.network." + prefix + "-outside", "= data.security_group." + prefix + "-theirs", "= data.project." + prefix + "-other.id",
	} {
		if !strings.Contains(hcl, looked) {
			t.Errorf("no %s in\n%s", looked, hcl)
		}
	}
	if result.LookedUp != 5 {
		t.Errorf("%d looked up, want 5:\n%s", result.LookedUp, hcl)
	}
}
