package openstack

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// subnetKind translates routes and the gateway, which must not be in use when it changes.
type subnetKind struct{ neutron }

const (
	poolAttribute, lengthAttribute            = "subnet_pool", "prefix_length"
	addressModeAttribute, routerModeAttribute = "ipv6_address_mode", "ipv6_ra_mode"
)

func neutronSubnets(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "subnet"), one: "subnet", many: "subnets",
		fields: []field{
			{"network", "network_id"},
			{"cidr", "cidr"},
			{poolAttribute, "subnetpool_id"},
			{"gateway_ip", "gateway_ip"},
			{"enable_dhcp", "enable_dhcp"},
			{addressModeAttribute, addressModeAttribute},
			{routerModeAttribute, routerModeAttribute},
			{"dns_nameservers", "dns_nameservers"},
			{poolsAttribute, poolsAttribute},
		},
		replacing: "everything that has an address of the subnet loses it",
	}
}

func (k subnetKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	o.values.set("ip_version", fromJSON(raw["ip_version"], cty.Number))
	if prefix, err := netip.ParsePrefix(textAt(raw, "cidr")); err == nil {
		o.values.set(lengthAttribute, cty.NumberIntVal(int64(prefix.Bits())))
	}
	o.values.set("no_gateway", cty.BoolVal(textAt(raw, "gateway_ip") == ""))
	var routes []any
	for _, r := range objectsAt(raw, "host_routes") {
		routes = append(routes, map[string]any{"destination": r["destination"], "next_hop": r["nexthop"]})
	}
	o.values.set("host_routes", fromList(routes, k.schema.Attribute("host_routes").Type))
	return o
}

func (k subnetKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k subnetKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k subnetKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	if err := k.addRange(ctx, s, w, body); err != nil {
		return nil, err
	}
	if w.plain("no_gateway") == true {
		body["gateway_ip"] = nil
	}
	if routes := hostRoutes(w); routes != nil {
		body["host_routes"] = routes
	}
	return readOne(k.read)(k.post(ctx, s, body))
}

// addRange writes the version of IP, which Neutron wants to be told even of a range that it chooses.
func (k subnetKind) addRange(ctx context.Context, s *session, w wanted, body map[string]any) error {
	body["ip_version"] = 4
	prefix, err := netip.ParsePrefix(w.text("cidr"))
	switch {
	case err == nil && prefix.Addr().Is6():
		body["ip_version"] = 6
	case err == nil:
	default:
		pool, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("subnetpools", w.text(poolAttribute))}, "subnetpool")
		if err != nil {
			return err
		}
		body["ip_version"] = pool["ip_version"]
		if length := w.plain(lengthAttribute); length != nil {
			body["prefixlen"] = length
		}
	}
	return nil
}

func (k subnetKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	if slices.Contains(attributes, "no_gateway") || slices.Contains(attributes, "gateway_ip") {
		switch next, changes := nextGateway(w.value, o); {
		case !changes:
		case !next.IsValid():
			body["gateway_ip"] = nil
		default:
			body["gateway_ip"] = next.String()
			if pools := poolsBeside(o, next); pools != nil && w.written(poolsAttribute) == cty.NilVal {
				body[poolsAttribute] = pools
			}
		}
	}
	if slices.Contains(attributes, "host_routes") {
		body["host_routes"] = hostRoutes(w)
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	return k.writeTags(ctx, s, o, w)
}

func (k subnetKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	lasting, err = k.neutron.remove(ctx, s, o)
	return lasting, s.held(ctx, err, "the subnet", url.Values{keyFixedIPs: {keySubnetID + "=" + o.id}}, inSubnet(o.id))
}

// hostRoutes are the written routes in Neutron's words, nil when none are written.
func hostRoutes(w wanted) []map[string]string {
	v := w.written("host_routes")
	if v == cty.NilVal {
		return nil
	}
	routes := []map[string]string{}
	for _, r := range v.AsValueSlice() {
		routes = append(routes, map[string]string{
			"destination": textOf(attribute(r, "destination")), "nexthop": textOf(attribute(r, "next_hop")),
		})
	}
	return routes
}
