//go:build beds

package openstack_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/external"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/provider"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/trunks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
)

// tag marks an object of Neutron, which refuses tags when it makes one.
func tag(t *testing.T, c clients, kind, id string) {
	t.Helper()
	must(attributestags.ReplaceAll(t.Context(), c.network, kind, id, attributestags.ReplaceAllOpts{Tags: []string{"mine"}}).Extract())(t)
}

func makeNetwork(t *testing.T, c clients, opts networks.CreateOptsBuilder, cidr string, dhcp bool) (*networks.Network, *subnets.Subnet) {
	t.Helper()
	network := must(networks.Create(t.Context(), c.network, opts).Extract())(t)
	remove(t, "network", func(ctx context.Context) error { return networks.Delete(ctx, c.network, network.ID).ExtractErr() })
	subnet := must(subnets.Create(t.Context(), c.network, subnets.CreateOpts{
		NetworkID: network.ID, Name: unique(t, "subnet"), IPVersion: gophercloud.IPv4, CIDR: cidr, EnableDHCP: &dhcp,
	}).Extract())(t)
	remove(t, "subnet", func(ctx context.Context) error { return subnets.Delete(ctx, c.network, subnet.ID).ExtractErr() })
	return network, subnet
}

func makePrivateNetwork(t *testing.T, c clients) (*networks.Network, *subnets.Subnet) {
	t.Helper()
	return makeNetwork(t, c, networks.CreateOpts{Name: unique(t, "network")}, "10.0.0.0/24", true)
}

// makeExternalNetwork makes a flat one, on a physical network of its own.
func makeExternalNetwork(t *testing.T, c clients) *networks.Network {
	t.Helper()
	network, _ := makeNetwork(t, c, provider.CreateOptsExt{
		CreateOptsBuilder: external.CreateOptsExt{CreateOptsBuilder: networks.CreateOpts{Name: unique(t, "external")}, External: pointer(true)},
		Segments:          []provider.Segment{{NetworkType: "flat", PhysicalNetwork: unique(t, "physical")}},
	}, "203.0.113.0/24", false)
	return network
}

func makePort(t *testing.T, c clients, network string, opts ports.CreateOpts) *ports.Port {
	t.Helper()
	opts.NetworkID, opts.Name = network, unique(t, "port")
	port := must(ports.Create(t.Context(), c.network, opts).Extract())(t)
	remove(t, "port", func(ctx context.Context) error { return ports.Delete(ctx, c.network, port.ID).ExtractErr() })
	return port
}

func makeRouter(t *testing.T, c clients, gateway, subnet string) *routers.Router {
	t.Helper()
	router := must(routers.Create(t.Context(), c.network, routers.CreateOpts{Name: unique(t, "router")}).Extract())(t)
	remove(t, "router", func(ctx context.Context) error { return routers.Delete(ctx, c.network, router.ID).ExtractErr() })
	must(routers.AddInterface(t.Context(), c.network, router.ID, routers.AddInterfaceOpts{SubnetID: subnet}).Extract())(t)
	remove(t, "router interface", func(ctx context.Context) error {
		return routers.RemoveInterface(ctx, c.network, router.ID, routers.RemoveInterfaceOpts{SubnetID: subnet}).Err
	})
	return must(routers.Update(t.Context(), c.network, router.ID, routers.UpdateOpts{GatewayInfo: &routers.GatewayInfo{NetworkID: gateway}}).Extract())(t)
}

func TestNetworkSubnetAndRouter(t *testing.T) {
	t.Parallel()
	c := shared(t)
	network, subnet := makePrivateNetwork(t, c)
	outside := makeExternalNetwork(t, c)
	router := makeRouter(t, c, outside.ID, subnet.ID)
	tag(t, c, "networks", network.ID)
	tag(t, c, "subnets", subnet.ID)
	tag(t, c, "routers", router.ID)

	if got := must(subnets.Get(t.Context(), c.network, subnet.ID).Extract())(t).Tags; !slices.Equal(got, []string{"mine"}) {
		t.Errorf("the subnet's tags are %q", got)
	}
	read := must(networks.Get(t.Context(), c.network, network.ID).Extract())(t)
	if read.Status != "ACTIVE" || !slices.Equal(read.Tags, []string{"mine"}) || !slices.Equal(read.Subnets, []string{subnet.ID}) {
		t.Errorf("the network is %+v", read)
	}
	router = must(routers.Get(t.Context(), c.network, router.ID).Extract())(t)
	if !slices.Equal(router.Tags, []string{"mine"}) {
		t.Errorf("the router's tags are %q", router.Tags)
	}
	gateway := router.GatewayInfo
	if gateway.NetworkID != outside.ID || len(gateway.ExternalFixedIPs) != 1 {
		t.Errorf("the router's gateway is %+v", gateway)
	}
	pages, err := ports.List(c.network, ports.ListOpts{DeviceID: router.ID, DeviceOwner: "network:router_interface"}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	interfaces := must(ports.ExtractPorts(pages))(t)
	if len(interfaces) != 1 || interfaces[0].FixedIPs[0].SubnetID != subnet.ID {
		t.Errorf("the router's interfaces are %+v", interfaces)
	}
}

func TestSecurityGroup(t *testing.T) {
	t.Parallel()
	c := shared(t)
	group := makeSecurityGroup(t, c)
	tag(t, c, "security-groups", group.ID)
	rule := must(rules.Create(t.Context(), c.network, rules.CreateOpts{
		SecGroupID: group.ID, Direction: rules.DirIngress, EtherType: rules.EtherType4, Protocol: rules.ProtocolTCP, PortRangeMin: 22, PortRangeMax: 22,
	}).Extract())(t)
	read := must(groups.Get(t.Context(), c.network, group.ID).Extract())(t)
	if !slices.ContainsFunc(read.Rules, func(r rules.SecGroupRule) bool { return r.ID == rule.ID && r.PortRangeMax == 22 }) {
		t.Errorf("the group lacks its rule: %+v", read.Rules)
	}
	if !slices.Equal(read.Tags, []string{"mine"}) {
		t.Errorf("the group's tags are %q", read.Tags)
	}
}

func makeSecurityGroup(t *testing.T, c clients) *groups.SecGroup {
	t.Helper()
	group := must(groups.Create(t.Context(), c.network, groups.CreateOpts{Name: unique(t, "group")}).Extract())(t)
	remove(t, "security group", func(ctx context.Context) error { return groups.Delete(ctx, c.network, group.ID).ExtractErr() })
	return group
}

func TestPortFloatingIPAndTrunk(t *testing.T) {
	t.Parallel()
	c := shared(t)
	network, subnet := makePrivateNetwork(t, c)
	outside := makeExternalNetwork(t, c)
	makeRouter(t, c, outside.ID, subnet.ID)
	group := makeSecurityGroup(t, c)
	port := makePort(t, c, network.ID, ports.CreateOpts{SecurityGroups: &[]string{group.ID}})
	tag(t, c, "ports", port.ID)
	if got := must(ports.Get(t.Context(), c.network, port.ID).Extract())(t).Tags; !slices.Equal(got, []string{"mine"}) {
		t.Errorf("the port's tags are %q", got)
	}
	if !slices.Equal(port.SecurityGroups, []string{group.ID}) || len(port.FixedIPs) != 1 {
		t.Errorf("the port is %+v", port)
	}

	ip := must(floatingips.Create(t.Context(), c.network, floatingips.CreateOpts{FloatingNetworkID: outside.ID, PortID: port.ID}).Extract())(t)
	remove(t, "floating IP", func(ctx context.Context) error { return floatingips.Delete(ctx, c.network, ip.ID).ExtractErr() })
	tag(t, c, "floatingips", ip.ID)
	if ip.FixedIP != port.FixedIPs[0].IPAddress || ip.PortID != port.ID {
		t.Errorf("the floating IP is %+v", ip)
	}
	all := must(floatingips.ExtractFloatingIPs(must(floatingips.List(c.network, floatingips.ListOpts{}).AllPages(t.Context()))(t)))(t)
	listed := slices.IndexFunc(all, func(other floatingips.FloatingIP) bool { return other.ID == ip.ID })
	if listed < 0 {
		t.Errorf("the list of floating IPs lacks %s: %+v", ip.ID, all)
	} else if !slices.Equal(all[listed].Tags, []string{"mine"}) {
		t.Errorf("the floating IP's tags are %q", all[listed].Tags)
	}

	trunk := must(trunks.Create(t.Context(), c.network, trunks.CreateOpts{Name: unique(t, "trunk"), PortID: port.ID}).Extract())(t)
	remove(t, "trunk", func(ctx context.Context) error { return trunks.Delete(ctx, c.network, trunk.ID).ExtractErr() })
	if trunk.PortID != port.ID {
		t.Errorf("the trunk is %+v", trunk)
	}
}
