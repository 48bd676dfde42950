package openstack

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What stands in the way of another gateway is told before it is tried, as Neutron refuses it for as
// long as it stands there, or takes it and breaks the subnet.

// subnetDetail is what ports tell of a subnet whose gateway is to change.
type subnetDetail struct {
	router string // the router that has the gateway's address now, by id
	holder string // the port that has the address of the gateway to be, by id, and is no router's
	owner  string // what that port is for, in Neutron's word
}

// gatewayOfSubnet returns the gateway that a subnet has, which is not valid for none.
func gatewayOfSubnet(o *object) netip.Addr { return addressOf(textOf(o.values.get("gateway_ip"))) }

// nextGateway returns the gateway that a subnet is to have, which is not valid for none, and
// whether that is another one than it has.
func nextGateway(want cty.Value, o *object) (next netip.Addr, changes bool) {
	none := attribute(want, "no_gateway")
	if none != cty.NilVal {
		none, _ = none.Unmark()
	}
	written := attribute(want, "gateway_ip")
	has := gatewayOfSubnet(o)
	switch {
	case written != cty.NilVal:
		written, _ = written.Unmark()
		next = addressOf(textOf(written))
		return next, next.IsValid() && next != has
	case none == cty.NilVal || !none.IsKnown():
		return has, false
	case none.True():
		return netip.Addr{}, has.IsValid()
	case has.IsValid():
		return has, false
	}
	next = firstAddress(textOf(o.values.get("cidr")))
	return next, next.IsValid()
}

// firstAddress is the gateway that Neutron chooses by itself; it is not valid when there is no range.
func firstAddress(cidr string) netip.Addr {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil:
		return netip.Addr{}
	case prefix.Addr().Is6():
		return prefix.Masked().Addr()
	}
	return prefix.Masked().Addr().Next()
}

// addressOf is not valid for a text that is no address.
func addressOf(text string) netip.Addr {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return a
}

// complete looks, for subnets whose gateway is to change, at who has the address of the old one and
// of the new one. That is one list for all of them, and none as long as no gateway changes.
func (k subnetKind) complete(ctx context.Context, s *session, list []found) map[addr.Object]error {
	var networks []string
	var changing []found
	for _, f := range list {
		if _, changes := nextGateway(f.want, f.object); changes {
			changing = append(changing, f)
			networks = append(networks, textOf(f.object.values.get("network")))
		}
	}
	if len(changing) == 0 {
		return nil
	}
	query := url.Values{"fields": portFields()}
	if len(networks) <= fewDevices {
		query["network_id"] = networks
	}
	ports, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
	if err != nil {
		unread := make(map[addr.Object]error, len(changing))
		for _, f := range changing {
			unread[f.address] = err
		}
		return unread
	}
	for _, f := range changing {
		next, _ := nextGateway(f.want, f.object)
		f.object.detail = detailOfSubnet(f.object, next, ports)
	}
	return nil
}

func detailOfSubnet(o *object, next netip.Addr, ports []map[string]any) subnetDetail {
	var detail subnetDetail
	for _, p := range ports {
		owner := textAt(p, "device_owner")
		router := slices.Contains(interfaceOwners(), owner)
		for _, at := range objectsAt(p, "fixed_ips") {
			address := addressOf(textAt(at, "ip_address"))
			switch {
			case textAt(at, "subnet_id") != o.id || !address.IsValid():
			case router && address == gatewayOfSubnet(o):
				detail.router = textAt(p, "device_id")
			case !router && address == next:
				detail.holder, detail.owner = textAt(p, "id"), owner
			}
		}
	}
	return detail
}

// hindrance tells what stands in the way of the gateway that is wanted, as a sentence that says what to do.
func (k subnetKind) hindrance(want cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	detail, _ := o.detail.(subnetDetail)
	if !changesGateway(fields) {
		return "", nil
	}
	next, _ := nextGateway(want, o)
	old, wished := " "+gatewayOfSubnet(o).String(), next.String()
	if secretGateway(want) {
		old, wished = "", "the written address"
	}
	switch {
	case detail.router != "":
		problem = fmt.Sprintf("the gateway%s cannot be changed while the router %s has its address: take the subnet away from the router, and give it back when the gateway is changed; or write the gateway that the subnet has", old, detail.router)
	case detail.holder != "":
		problem = fmt.Sprintf("%s cannot be the gateway, as the port %s (%s) has that address: write as gateway_ip an address that is free, or delete the port", wished, detail.holder, first(detail.owner, "of nobody"))
	default:
		return "", nil
	}
	for _, f := range fields {
		if isGateway(f) || f.Path == poolsAttribute && poolsNeedGateway(want, o) {
			held = append(held, f.Path)
		}
	}
	return problem, held
}

// poolsNeedGateway tells whether the wanted pools can come only together with the wanted gateway, or with none:
// they are what follows from it, or have the address of the gateway that there is, and Neutron refuses a gateway
// in a pool.
func poolsNeedGateway(want cty.Value, o *object) bool {
	written := unmarked(attribute(want, poolsAttribute))
	has := gatewayOfSubnet(o)
	if written == cty.NilVal || !written.IsWhollyKnown() {
		return true
	}
	return slices.ContainsFunc(written.AsValueSlice(), func(pool cty.Value) bool {
		start, end := addressOf(textOf(attribute(pool, "start"))), addressOf(textOf(attribute(pool, "end")))
		return has.IsValid() && !has.Less(start) && !end.Less(has)
	})
}

// consequences tells of the allocation pools that make room for the gateway.
func (k subnetKind) consequences(want cty.Value, o *object, fields []unit.Field) []unit.Field {
	next, changes := nextGateway(want, o)
	if !changesGateway(fields) || !changes || !next.IsValid() || attribute(want, poolsAttribute) != cty.NilVal {
		return nil
	}
	pools := poolsBeside(o, next)
	if pools == nil {
		return nil
	}
	f := unit.Field{Path: poolsAttribute, Before: show(o.values.get(poolsAttribute)), Effect: unit.InPlace}
	var after []any
	for _, p := range pools {
		after = append(after, map[string]any{"start": p["start"], "end": p["end"]})
	}
	f.After = show(fromList(after, k.schema.Attribute(poolsAttribute).Type))
	if secretGateway(want) {
		f.Before, f.After = unit.TextSensitive, unit.TextSensitive
	}
	return []unit.Field{f}
}

const poolsAttribute = "allocation_pools"

func isGateway(f unit.Field) bool { return f.Path == "gateway_ip" || f.Path == "no_gateway" }

func changesGateway(fields []unit.Field) bool { return slices.ContainsFunc(fields, isGateway) }

// secretGateway tells whether the wanted gateway may not be shown.
func secretGateway(want cty.Value) bool {
	return slices.ContainsFunc([]string{"gateway_ip", "no_gateway", "cidr"}, func(name string) bool {
		v := attribute(want, name)
		return v != cty.NilVal && v.ContainsMarked()
	})
}

// poolsBeside are the allocation pools of a subnet without the gateway; nil when it is in none of them.
// Neutron makes the pools when it makes the subnet, of all addresses but the gateway of that time,
// and takes no gateway that is in one.
func poolsBeside(o *object, gateway netip.Addr) []map[string]string {
	pools, cut := []map[string]string{}, false
	add := func(start, end netip.Addr) {
		if start.IsValid() && end.IsValid() && !end.Less(start) {
			pools = append(pools, map[string]string{"start": start.String(), "end": end.String()})
		}
	}
	for _, p := range valuesIn(o.values.get(poolsAttribute)) {
		start, end := addressOf(textOf(attribute(p, "start"))), addressOf(textOf(attribute(p, "end")))
		if gateway.Less(start) || end.Less(gateway) || start.Is4() != gateway.Is4() {
			add(start, end)
			continue
		}
		cut = true
		if gateway != start {
			add(start, gateway.Prev())
		}
		if gateway != end {
			add(gateway.Next(), end)
		}
	}
	if !cut {
		return nil
	}
	return pools
}
