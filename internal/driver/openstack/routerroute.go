package openstack

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	outerBlock, keyOuterIPs = "external_fixed_ip", "external_fixed_ips"
	routeBlock, keyRoutes   = "route", "routes"
	keyOuterGateway         = "external_gateway_info"
)

// readRoutes reads the routes that a router has besides those to its subnets.
func readRoutes(raw map[string]any, t cty.Type) cty.Value {
	var values []cty.Value
	for _, r := range objectsAt(raw, keyRoutes) {
		values = append(values, fromMap(map[string]any{"destination": r["destination"], "next_hop": r["nexthop"]}, t.ElementType()))
	}
	return collection(values, t)
}

// dropRoutes takes away those of our routes that are not wanted any more. Neutron takes single routes, so that
// those which others add meanwhile stay.
func (k routerKind) dropRoutes(ctx context.Context, s *session, o *object, w wanted) error {
	nested := k.schema.Nested(routeBlock)
	gone := slices.DeleteFunc(valuesIn(o.values.get(routeBlock)), func(v cty.Value) bool {
		return !slices.Contains(w.drop[routeBlock], nested.KeyOf(v))
	})
	return k.changeRoutes(ctx, s, o, "remove_extraroutes", gone)
}

func (k routerKind) addRoutes(ctx context.Context, s *session, o *object, w wanted) error {
	there := valuesIn(o.values.get(routeBlock))
	missing := slices.DeleteFunc(w.blocks(routeBlock), func(v cty.Value) bool {
		return slices.ContainsFunc(there, func(h cty.Value) bool { return includes(v, h, true) })
	})
	return k.changeRoutes(ctx, s, o, "add_extraroutes", missing)
}

// spare leaves a router with interfaces or routes of others as it is. Else it takes our routes away, as Neutron takes no
// interface from a router that one of them passes.
func (k routerKind) spare(ctx context.Context, s *session, o *object, t unit.Target) error {
	ports, err := portsOf(ctx, s, []string{o.id})
	if err != nil {
		return err
	}
	f := found{object: o, set: t.Set}
	k.join(f, ports[o.id])
	if err := k.adrift(ctx, s, f); err != nil {
		return err
	}
	if detail, _ := o.detail.(routerDetail); len(detail.others) > 0 {
		return unit.Blocked(fmt.Sprintf("the router has interfaces that are not ours, in the subnets %s: remove them first", strings.Join(detail.others, ", ")))
	}
	nested, routes := k.schema.Nested(routeBlock), valuesIn(o.values.get(routeBlock))
	ours := append(nested.KeysOf(attribute(desiredOf(t), routeBlock)), t.Set[routeBlock]...)
	var others []string
	for _, v := range routes {
		if !slices.Contains(ours, nested.KeyOf(v)) {
			others = append(others, fmt.Sprintf("to %s by %s", textOf(attribute(v, "destination")), textOf(attribute(v, "next_hop"))))
		}
	}
	if len(others) > 0 {
		return unit.Blocked(fmt.Sprintf("the router has routes that are not ours, %s: remove them first", strings.Join(others, ", ")))
	}
	return k.changeRoutes(ctx, s, o, "remove_extraroutes", routes)
}

func (k routerKind) changeRoutes(ctx context.Context, s *session, o *object, action string, routes []cty.Value) error {
	if len(routes) == 0 {
		return nil
	}
	var list []map[string]string
	for _, v := range routes {
		list = append(list, map[string]string{"destination": textOf(attribute(v, "destination")), "nexthop": textOf(attribute(v, "next_hop"))})
	}
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: k.path(o.id, action), body: map[string]any{k.one: map[string]any{keyRoutes: list}},
	})
	return err
}
