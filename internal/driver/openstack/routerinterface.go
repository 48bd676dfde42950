package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// An interface is ours when its port bears the router's mark. So that it does from the first
// moment, we make the port ourselves, with the mark in its description, and give it to the router:
// Neutron's own way makes a port that could be marked only afterwards. Interfaces that others have
// added count as present where the block names their subnet, and stay otherwise.
//
// All subnets of IPv6 of one network are on one port of a router: Neutron takes no second one. Those that come to such a
// port are added to it in Neutron's way, and taken off it one by one. Of a port with several the mark says less: there,
// those are ours that are wanted or on record. On a port of others they are theirs, as nothing of it bears a mark.

// routerDetail is what the ports tell of a router.
type routerDetail struct {
	ours   map[string]string // port by subnet, of interfaces that bear our mark
	loose  map[string]string // the same, of ports that were made for interfaces and did not become one
	others []string          // subnets of other interfaces
	six    map[string]bool   // the subnets of IPv6 among ours
	ports  map[string]bool   // all ports of interfaces
	mixed  map[string]bool   // those of ours that others have added subnets to
	nets   map[string]bool   // the networks with a port that has addresses of IPv6
}

// connections are the subnets with interfaces of ours, or what was to become one.
func (d routerDetail) connections() map[string][]string {
	subnets := slices.AppendSeq(slices.Collect(maps.Keys(d.ours)), maps.Keys(d.loose))
	slices.Sort(subnets)
	return map[string][]string{subnetsAttribute: subnets}
}

// interfaceOwners are the owners that Neutron gives the ports of plain, distributed and redundant routers.
func interfaceOwners() []string {
	return []string{"network:router_interface", "network:router_interface_distributed", "network:ha_router_replicated_interface"}
}

// join puts the interfaces among the ports into the router.
func (k routerKind) join(f found, ports []map[string]any) {
	o, detail := f.object, routerDetail{ours: map[string]string{}, six: map[string]bool{}, ports: map[string]bool{}, mixed: map[string]bool{}, nets: map[string]bool{}}
	vouched := append(listOf(unmarked(attribute(f.want, subnetsAttribute))), f.set[subnetsAttribute]...)
	var subnets []string
	for _, p := range ports {
		if !slices.Contains(interfaceOwners(), textAt(p, "device_owner")) {
			continue
		}
		detail.ports[textAt(p, "id")] = true
		_, mark := splitMark(textAt(p, keyDescription))
		marked, all := mark != "" && mark == o.mark, objectsAt(p, keyFixedIPs)
		for _, address := range all {
			subnet, six := textAt(address, keySubnetID), addressOf(textAt(address, keyAddress)).Is6()
			if six {
				detail.nets[textAt(p, "network_id")] = true
			}
			ours, nobodys := false, false
			if marked {
				ours, nobodys = belonging(address, all, vouched)
			}
			switch {
			case nobodys:
				continue
			case ours:
				detail.ours[subnet], detail.six[subnet] = textAt(p, "id"), six
			default:
				detail.others = append(detail.others, subnet)
				detail.mixed[textAt(p, "id")] = true
			}
			subnets = append(subnets, subnet)
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

// belonging says of an address of an interface whose port bears our mark whether it is ours; or else whether it is nobody's:
// Neutron has added it to the port because of the hardware address, when that was no router's yet.
func belonging(address map[string]any, port []map[string]any, vouched []string) (ours, nobodys bool) {
	is6 := func(a map[string]any) bool { return addressOf(textAt(a, keyAddress)).Is6() }
	switch named := func(a map[string]any) bool { return slices.Contains(vouched, textAt(a, keySubnetID)) }; {
	case len(port) == 1 || !is6(address) || named(address):
		return true, false
	case madeOfHardware(addressOf(textAt(address, keyAddress))) && slices.ContainsFunc(port, func(a map[string]any) bool { return !is6(a) }):
		return false, true
	default: // the mark alone speaks, where nothing else does
		return !slices.ContainsFunc(port, named), false
	}
}

// writeInterfaces takes away what is not wanted any more, and adds what is lacking. An interface that Neutron keeps, as a
// floating IP leads through it, keeps no other one from being added: through that the floating IP may lead next.
func (k routerKind) writeInterfaces(ctx context.Context, s *session, o *object, w wanted) error {
	missing, surplus := interfaces(w.list(subnetsAttribute), o)
	var used error
	for _, subnet := range surplus {
		err := k.disconnect(ctx, s, o, subnet)
		if err != nil && !statusIs(err, http.StatusConflict) {
			return err
		}
		used = errors.Join(used, err)
	}
	detail, _ := o.detail.(routerDetail)
	if len(surplus) > 0 && len(detail.nets) > 0 { // what was on a port beside them may be gone, or be all that it has
		ports, err := portsOf(ctx, s, []string{o.id})
		if err != nil {
			return err
		}
		now := &object{id: o.id, mark: w.mark}
		k.join(found{object: now, want: w.value}, ports[o.id])
		detail, _ = now.detail.(routerDetail)
		missing, _ = interfaces(w.list(subnetsAttribute), now)
	}
	there := routerDetail{nets: map[string]bool{}, ports: map[string]bool{}}
	maps.Copy(there.nets, detail.nets)
	maps.Copy(there.ports, detail.ports)
	for _, subnet := range missing {
		if err := k.connect(ctx, s, o, there, w.mark, subnet); err != nil {
			if used != nil { // which may be why: a subnet may overlap with one that is kept
				return fmt.Errorf("%w; and of what is to go: %s", err, used.Error()) // the second says nothing of when to try again
			}
			return err
		}
	}
	return used
}

// serves tells whether a router does all that is wanted already, and only has interfaces besides that are to go. What leads
// through those may have to be elsewhere first, and waits for the router.
func (k routerKind) serves(want cty.Value, o *object, fields []unit.Field) bool {
	if len(fields) != 1 || fields[0].Path != subnetsAttribute {
		return false
	}
	missing, _ := interfaces(listOf(unmarked(attribute(want, subnetsAttribute))), o)
	return len(missing) == 0
}

// connect gives the router a port with the gateway's address in a subnet, or adds the subnet to a port that it has in the
// network. What the router has then is added to the detail.
func (k routerKind) connect(ctx context.Context, s *session, o *object, detail routerDetail, mark, subnet string) error {
	info, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("subnets", subnet)}, "subnet")
	if err != nil {
		return err
	}
	loose, err := k.loosePorts(ctx, s, mark, subnet)
	if err != nil {
		return err
	}
	port, network, gateway := loose[subnet], textAt(info, "network_id"), textAt(info, "gateway_ip")
	six := addressOf(gateway).Is6()
	if six && detail.nets[network] {
		if port != "" {
			if err := s.erase(ctx, serviceNetwork, pathOf("ports", port)); err != nil {
				return err
			}
		}
		return k.connectBeside(ctx, s, o, detail, mark, subnet)
	}
	if port == "" {
		body := map[string]any{
			"network_id": network, "project_id": o.project, keyDescription: joinMark("", mark), "admin_state_up": true,
		}
		address := map[string]any{keySubnetID: subnet}
		if gateway != "" {
			// A router's port may have the gateway's address in any subnet, and is given none besides by Neutron itself. Who
			// may write that may write the address, too.
			address[keyAddress], body["device_owner"] = gateway, interfaceOwners()[0]
		}
		body[keyFixedIPs] = []any{address}
		made, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodPost, path: "ports", body: map[string]any{"port": body}}, "port")
		if err != nil {
			return err
		}
		port = textAt(made, "id")
	}
	_, err = k.addInterface(ctx, s, o, map[string]any{keyPort: port})
	if six && err == nil {
		detail.nets[network], detail.ports[port] = true, true
	}
	return err
}

// connectBeside adds a subnet of IPv6 to the port that the router has for others of the network. When that has gone
// meanwhile, Neutron makes another one, which gets our mark.
func (k routerKind) connectBeside(ctx context.Context, s *session, o *object, detail routerDetail, mark, subnet string) error {
	answer, err := k.addInterface(ctx, s, o, map[string]any{keySubnetID: subnet})
	port := textAt(answer, keyPort)
	if err != nil || port == "" || detail.ports[port] {
		return err
	}
	detail.ports[port] = true
	_, err = s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("ports", port),
		body: map[string]any{"port": map[string]any{keyDescription: joinMark("", mark)}},
	})
	return err
}

func (k routerKind) addInterface(ctx context.Context, s *session, o *object, what map[string]any) (map[string]any, error) {
	return s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("routers", o.id, "add_router_interface"), body: what,
	})
}

// disconnect takes one of our ports away from the router; Neutron deletes the port with it. A subnet of IPv6 is taken off its
// port, which goes with the last one. A port that the router has not got yet is only deleted.
func (k routerKind) disconnect(ctx context.Context, s *session, o *object, subnet string) error {
	detail, _ := o.detail.(routerDetail)
	if port := detail.loose[subnet]; port != "" {
		return s.erase(ctx, serviceNetwork, pathOf("ports", port))
	}
	what := map[string]any{keyPort: detail.ours[subnet]}
	if detail.six[subnet] || detail.mixed[detail.ours[subnet]] {
		what = map[string]any{keySubnetID: subnet}
	}
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("routers", o.id, "remove_router_interface"), body: what,
	})
	if notFound(err) {
		return nil
	}
	return err
}
