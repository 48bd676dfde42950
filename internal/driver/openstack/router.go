package openstack

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// routerKind adds the gateway and the interfaces, for which see routerinterface.go.
type routerKind struct {
	neutron
	auto *autoSubnets
}

// subnetsAttribute are the subnets with interfaces, and outerNetwork is where the gateway is.
const subnetsAttribute, outerNetwork = "subnets", "external_network"

func neutronRouters(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "router"), one: "router", many: "routers",
		fields:    []field{{"admin_state_up", "admin_state_up"}},
		replacing: "the networks behind the router are cut off until it is there again, and its outer address changes",
		kept:      []string{keyOuterGateway},
	}
}

func (k routerKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	gateway, _ := raw[keyOuterGateway].(map[string]any)
	o.values.set(outerNetwork, fromJSON(gateway["network_id"], cty.String))
	if snat, ok := gateway["enable_snat"]; ok {
		o.values.set("enable_snat", fromJSON(snat, cty.Bool))
	}
	outer, _ := fixedAddresses(gateway, keyOuterIPs, k.schema.Nested(outerBlock).ValueType())
	o.values.set(outerBlock, outer)
	o.values.set(routeBlock, readRoutes(raw, k.schema.Nested(routeBlock).ValueType()))
	return o
}

func (k routerKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k routerKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

// gatewayOf is the gateway that is wanted, given the addresses that it has.
func gatewayOf(w wanted, have []map[string]any) map[string]any {
	network := w.text(outerNetwork)
	if network == "" {
		return map[string]any{}
	}
	gateway := map[string]any{"network_id": network}
	if snat := w.plain("enable_snat"); snat != nil {
		gateway["enable_snat"] = snat
	}
	if list := writtenAddresses(w.written(outerBlock), have); len(list) > 0 {
		gateway[keyOuterIPs] = list
	}
	return gateway
}

// keepSNAT leaves it as it is where it is not written: of a gateway without it, Neutron makes one with its default. Neutron
// lets administrators alone write it, so that for others what is the default is left to Neutron.
func keepSNAT(s *session, gateway map[string]any, o *object) {
	if len(gateway) == 0 || gateway["enable_snat"] != nil {
		return
	}
	delete(gateway, "enable_snat")
	if there := o.values.get("enable_snat"); there.Type() == cty.Bool && !there.IsNull() && (there.False() || s.administrates()) {
		gateway["enable_snat"] = there.True()
	}
}

func (k routerKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	if gateway := gatewayOf(w, nil); len(gateway) > 0 {
		body[keyOuterGateway] = gateway
	}
	o, err := readOne(k.read)(k.post(ctx, s, body))
	if err == nil {
		k.join(found{object: o}, nil) // a new router has no interfaces
	}
	return o, err
}

func (k routerKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if err := k.dropRoutes(ctx, s, o, w); err != nil { // before the interfaces that they pass, and the gateway
		return err
	}
	body := k.changedBody(o, w, attributes)
	if slices.ContainsFunc(attributes, func(name string) bool {
		return name == outerNetwork || name == "enable_snat" || name == outerBlock
	}) {
		switch network := textOf(o.values.get(outerNetwork)); {
		case len(w.drop[outerNetwork]) > 0:
			body[keyOuterGateway] = map[string]any{}
		case w.written(outerNetwork) != cty.NilVal:
			info, _ := o.raw[keyOuterGateway].(map[string]any)
			body[keyOuterGateway] = gatewayOf(w, objectsAt(info, keyOuterIPs))
		case network != "":
			body[keyOuterGateway] = map[string]any{"network_id": network, "enable_snat": w.plain("enable_snat")}
		}
	}
	if gateway, ok := body[keyOuterGateway].(map[string]any); ok {
		keepSNAT(s, gateway, o)
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	if slices.Contains(attributes, subnetsAttribute) {
		if err := k.writeInterfaces(ctx, s, o, w); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, routeBlock) {
		if err := k.addRoutes(ctx, s, o, w); err != nil {
			return err
		}
	}
	return k.writeTags(ctx, s, o, w)
}

// remove takes our interfaces away first; the gateway goes with the router. What others have in it was looked for before.
func (k routerKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	detail, _ := o.detail.(routerDetail)
	for _, subnet := range detail.connections()[subnetsAttribute] {
		if err := k.disconnect(ctx, s, o, subnet); err != nil {
			return false, err
		}
	}
	return k.neutron.remove(ctx, s, o)
}
