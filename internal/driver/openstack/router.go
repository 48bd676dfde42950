package openstack

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// routerKind adds the gateway and the interfaces.
//
// An interface is ours when its port bears the router's mark. So that it does from the first
// moment, we make the port ourselves, with the mark in its description, and give it to the router:
// Neutron's own way makes a port that could be marked only afterwards. Interfaces that others have
// added count as present where the block names their subnet, and stay otherwise.
type routerKind struct{ neutron }

// routerDetail is what the ports tell of a router.
type routerDetail struct {
	ours   map[string]string // port by subnet, of interfaces that bear our mark
	loose  map[string]string // the same, of ports that were made for interfaces and did not become one
	others []string          // subnets of other interfaces
}

// connections are the subnets with interfaces of ours, or what was to become one.
func (d routerDetail) connections() map[string][]string {
	subnets := slices.AppendSeq(slices.Collect(maps.Keys(d.ours)), maps.Keys(d.loose))
	slices.Sort(subnets)
	return map[string][]string{subnetsAttribute: subnets}
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

// interfaceOwners are the owners that Neutron gives the ports of plain, distributed and redundant routers.
func interfaceOwners() []string {
	return []string{"network:router_interface", "network:router_interface_distributed", "network:ha_router_replicated_interface"}
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

// join puts the interfaces among the ports into the router.
func (k routerKind) join(f found, ports []map[string]any) {
	o, detail := f.object, routerDetail{ours: map[string]string{}}
	var subnets []string
	for _, p := range ports {
		if !slices.Contains(interfaceOwners(), textAt(p, "device_owner")) {
			continue
		}
		_, mark := splitMark(textAt(p, keyDescription))
		for _, address := range objectsAt(p, "fixed_ips") {
			subnet := textAt(address, "subnet_id")
			subnets = append(subnets, subnet)
			if mark != "" && mark == o.mark {
				detail.ours[subnet] = textAt(p, "id")
			} else {
				detail.others = append(detail.others, subnet)
			}
		}
	}
	slices.Sort(subnets)
	o.values.set(subnetsAttribute, texts(slices.Compact(subnets), cty.List(cty.String)))
	o.detail = detail
}

// compare handles the interfaces: each wanted one must be there, and of ours no other.
func (k routerKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if name != subnetsAttribute {
		return false, false
	}
	missing, surplus := interfaces(listOf(want), o)
	return len(missing) == 0 && len(surplus) == 0, true
}

// interfaces returns the subnets that lack one, and those of our interfaces that are not wanted.
func interfaces(want []string, o *object) (missing, surplus []string) {
	detail, _ := o.detail.(routerDetail)
	for _, subnet := range want {
		if detail.ours[subnet] == "" && !slices.Contains(detail.others, subnet) {
			missing = append(missing, subnet)
		}
	}
	for _, subnet := range detail.connections()[subnetsAttribute] {
		if !slices.Contains(want, subnet) {
			surplus = append(surplus, subnet)
		}
	}
	return missing, surplus
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
	if err := k.dropRoutes(ctx, s, o, w); err != nil { // before the interfaces that they pass
		return err
	}
	if slices.Contains(attributes, subnetsAttribute) {
		missing, surplus := interfaces(w.list(subnetsAttribute), o)
		for _, subnet := range surplus {
			if err := k.disconnect(ctx, s, o, subnet); err != nil {
				return err
			}
		}
		for _, subnet := range missing {
			if err := k.connect(ctx, s, o, w.mark, subnet); err != nil {
				return err
			}
		}
	}
	if slices.Contains(attributes, routeBlock) {
		if err := k.addRoutes(ctx, s, o, w); err != nil {
			return err
		}
	}
	return k.writeTags(ctx, s, o, w)
}

// connect gives the router a port with the gateway's address in a subnet.
func (k routerKind) connect(ctx context.Context, s *session, o *object, mark, subnet string) error {
	info, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("subnets", subnet)}, "subnet")
	if err != nil {
		return err
	}
	loose, err := k.loosePorts(ctx, s, mark, subnet)
	if err != nil {
		return err
	}
	port := loose[subnet]
	if port == "" {
		address := map[string]any{"subnet_id": subnet}
		if gateway := textAt(info, "gateway_ip"); gateway != "" {
			address["ip_address"] = gateway
		}
		made, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodPost, path: "ports", body: map[string]any{"port": map[string]any{
			"network_id": textAt(info, "network_id"), "project_id": o.project, keyDescription: joinMark("", mark),
			"fixed_ips": []any{address}, "admin_state_up": true,
		}}}, "port")
		if err != nil {
			return err
		}
		port = textAt(made, "id")
	}
	_, err = s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("routers", o.id, "add_router_interface"), body: map[string]any{"port_id": port},
	})
	return err
}

// disconnect takes one of our ports away from the router; Neutron deletes the port with it. One that the router has not
// got yet is only deleted.
func (k routerKind) disconnect(ctx context.Context, s *session, o *object, subnet string) error {
	detail, _ := o.detail.(routerDetail)
	if port := detail.loose[subnet]; port != "" {
		return s.erase(ctx, serviceNetwork, pathOf("ports", port))
	}
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("routers", o.id, "remove_router_interface"),
		body: map[string]any{"port_id": detail.ours[subnet]},
	})
	if notFound(err) {
		return nil
	}
	return err
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
