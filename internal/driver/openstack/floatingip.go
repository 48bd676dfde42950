package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// floatingIPKind has no name: one whose address is written is known by it, the others by their mark alone.
// What it leads to is left to updates, as an instance gets its port some time after it was created.
type floatingIPKind struct {
	neutron
	takers *takers
}

const (
	portAttribute, keyPort     = "port", "port_id"
	instanceAttribute          = "instance"
	fixedAttribute, keyFixedIP = "fixed_ip", "fixed_ip_address"
	addressAttribute           = "address"
	keyForwardings             = "port_forwardings"
	// anyAddress is no address, so that no object has it.
	anyAddress = "any address"
)

func neutronFloatingIPs(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "floating_ip"), one: "floatingip", many: "floatingips",
		fields: []field{
			{"floating_network", "floating_network_id"},
			{addressAttribute, "floating_ip_address"},
			{qosAttribute, keyQoS},
		},
		replacing: "whoever uses the address has to learn another one",
		kept:      []string{keyForwardings},
	}
}

func (k floatingIPKind) key(want cty.Value) string {
	v := unmarked(attribute(want, addressAttribute))
	switch {
	case v == cty.NilVal:
		return anyAddress
	case !v.IsKnown():
		return ""
	}
	return canonicalText(textOf(v))
}

func (k floatingIPKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	o.title = textAt(raw, "floating_ip_address")
	o.values.set(portAttribute, fromJSON(raw[keyPort], cty.String))
	o.values.set(fixedAttribute, fromJSON(raw[keyFixedIP], cty.String))
	if details, ok := raw["port_details"].(map[string]any); ok {
		o.values.set(instanceAttribute, fromJSON(details["device_id"], cty.String))
	} else if raw[keyPort] == nil {
		o.values.set(instanceAttribute, cty.NullVal(cty.String))
	}
	return o
}

func (k floatingIPKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k floatingIPKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k floatingIPKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	delete(body, "name")
	return readOne(k.read)(k.post(ctx, s, body))
}

func (k floatingIPKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	var port, address string
	if slices.Contains(attributes, portAttribute) || slices.Contains(attributes, instanceAttribute) || slices.Contains(attributes, fixedAttribute) {
		var err error
		if port, address, err = k.inside(ctx, s, w); err != nil {
			return err
		}
		if port != "" { // both in one request, as the address is one of the port
			body[keyPort] = port
			if address != "" {
				body[keyFixedIP] = address
			}
		}
	}
	if len(w.drop[portAttribute])+len(w.drop[instanceAttribute]) > 0 {
		body[keyPort] = nil
	}
	err := k.put(ctx, s, o.id, body)
	if _, leads := body[keyPort]; !leads && statusIs(err, http.StatusBadRequest) {
		// Whatever is to be changed, Neutron asks anew which address is meant of a port that has several.
		if to, inner := textOf(o.values.get(portAttribute)), textOf(o.values.get(fixedAttribute)); to != "" && inner != "" {
			body[keyPort], body[keyFixedIP] = to, inner
			err = k.put(ctx, s, o.id, body)
		}
	}
	switch {
	case port != "" && statusIs(err, http.StatusConflict):
		return k.makeWay(ctx, s, o, port, address, err)
	case err != nil:
		return err
	}
	k.takers.ends(o.id)
	return k.writeTags(ctx, s, o, w)
}

// inside finds the port that the address leads to, and which of its addresses. A port can have several, of
// which Neutron takes none by itself.
func (k floatingIPKind) inside(ctx context.Context, s *session, w wanted) (port, address string, err error) {
	query := url.Values{"device_id": {w.text(instanceAttribute)}}
	switch {
	case w.text(portAttribute) != "":
		query = url.Values{"id": {w.text(portAttribute)}}
	case w.text(instanceAttribute) == "":
		return "", "", nil
	}
	raws, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
	if err != nil {
		return "", "", err
	}
	type place struct{ port, address string }
	var places []place
	for _, raw := range raws {
		for _, ip := range objectsAt(raw, keyFixedIPs) {
			there := textAt(ip, keyAddress)
			if parsed, err := netip.ParseAddr(there); err != nil || !parsed.Is4() { // floating IPs are for IPv4
				continue
			}
			if wanted := w.text(fixedAttribute); wanted == "" || wanted == there {
				places = append(places, place{textAt(raw, "id"), there})
			}
		}
	}
	ports := map[string]bool{}
	for _, p := range places {
		ports[p.port] = true
	}
	switch {
	case len(places) == 0 && w.text(fixedAttribute) != "":
		return "", "", unit.Blocked(fmt.Sprintf("nothing there has the address %s: correct fixed_ip", w.text(fixedAttribute)))
	case len(places) == 0:
		return "", "", unit.Blocked("what it should lead to has no address of IPv4: give it one")
	case len(ports) > 1:
		return "", "", unit.Blocked("the instance has several ports: write the address of one as fixed_ip, or the port")
	}
	return places[0].port, places[0].address, nil
}

// remove leaves an address that others forward ports of: Neutron would delete those along.
func (k floatingIPKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if n := len(objectsAt(o.raw, keyForwardings)); n > 0 {
		return false, unit.Blocked(fmt.Sprintf("%d ports of the address are forwarded, which is not ours: delete the port forwardings first", n))
	}
	return k.neutron.remove(ctx, s, o)
}
