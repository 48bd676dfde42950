package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// portKind is a port by itself. What is plugged in, which the device of the port tells, is never written: it is
// up to Nova, and to routers. A port that something has stays.
type portKind struct {
	neutron
	auto *autoSubnets
}

const (
	qosAttribute, keyQoS         = "qos_policy", "qos_policy_id"
	fixedBlock, keyFixedIPs      = "fixed_ip", "fixed_ips"
	profileAttribute, keyProfile = "binding_profile", "binding:profile"
	hostAttribute, keyPortHost   = "binding_host", "binding:host_id"
	keyAddress, keySubnetID      = "ip_address", "subnet_id"
	pairsAttribute               = "allowed_address_pairs"
)

func neutronPorts(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "port"), one: "port", many: "ports",
		fields: []field{
			{"network", "network_id"},
			{"admin_state_up", "admin_state_up"},
			{"mac_address", "mac_address"},
			{"security_groups", "security_groups"},
			{"port_security", "port_security_enabled"},
			{pairsAttribute, pairsAttribute},
			{qosAttribute, keyQoS},
			{"binding_vnic_type", "binding:vnic_type"},
			{hostAttribute, keyPortHost},
		},
		replacing: "what has the port is cut off, and its addresses can change",
		kept:      []string{keyFixedIPs, keyProfile, "device_id", "device_owner"},
	}
}

func (k portKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	values, addresses := fixedAddresses(raw, keyFixedIPs, k.schema.Nested(fixedBlock).ValueType())
	o.values.set(fixedBlock, values)
	o.values.set("addresses", texts(addresses, cty.List(cty.String)))
	if raw[pairsAttribute] != nil {
		pairs := []any{}
		for _, pair := range objectsAt(raw, pairsAttribute) {
			pairs = append(pairs, map[string]any{keyAddress: rangeAt(pair, keyAddress), "mac_address": pair["mac_address"]})
		}
		o.values.set(pairsAttribute, fromList(pairs, k.schema.Attribute(pairsAttribute).Type))
	}
	if strings.HasPrefix(textAt(raw, "device_owner"), ownedByCompute) {
		o.values.drop(hostAttribute) // Nova has the port where the instance runs, and moves it along
	}
	if profile, ok := raw[keyProfile].(map[string]any); ok { // others than administrators see none
		o.values.set(profileAttribute, readProfile(o, profile))
	}
	return o
}

// fixedAddresses reads addresses with their subnets, and the addresses alone.
func fixedAddresses(raw map[string]any, key string, t cty.Type) (cty.Value, []string) {
	var values []cty.Value
	var addresses []string
	for _, ip := range objectsAt(raw, key) {
		values = append(values, fromMap(map[string]any{"subnet": ip[keySubnetID], keyAddress: ip[keyAddress]}, t.ElementType()))
		addresses = append(addresses, textAt(ip, keyAddress))
	}
	return collection(values, t), addresses
}

// writtenAddresses are the addresses that are wanted, in Neutron's words. One that is wanted in a subnet
// without saying which stays the one that is there.
func writtenAddresses(want cty.Value, have []map[string]any) []map[string]string {
	list := []map[string]string{}
	var taken []string
	for _, v := range valuesIn(want) {
		taken = append(taken, canonicalText(textOf(attribute(v, keyAddress))))
	}
	for _, v := range valuesIn(want) {
		subnet, address := textOf(attribute(v, "subnet")), textOf(attribute(v, keyAddress))
		for _, ip := range have {
			there := textAt(ip, keyAddress)
			if address == "" && textAt(ip, keySubnetID) == subnet && !slices.Contains(taken, canonicalText(there)) {
				address, taken = there, append(taken, canonicalText(there))
			}
		}
		one := map[string]string{}
		if subnet != "" {
			one[keySubnetID] = subnet
		}
		if address != "" {
			one[keyAddress] = address
		}
		list = append(list, one)
	}
	return list
}

func (k portKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k portKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

// compare takes hardware addresses and what the binding should know in any spelling.
func (k portKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	have, ok := o.values.look(name)
	switch {
	case name == "mac_address":
		return strings.EqualFold(textOf(want), textOf(have)), true
	case name == pairsAttribute && ok:
		return sameList(plainPairs(want), plainPairs(have), true), true
	case name == profileAttribute && ok:
		return sameProfile(want, have, o), true
	}
	return false, false
}

// plainPairs are pairs in one spelling: a network of one address is that address.
func plainPairs(pairs cty.Value) cty.Value {
	if pairs.IsNull() || !pairs.IsWhollyKnown() || pairs.LengthInt() == 0 {
		return pairs
	}
	var plain []cty.Value
	for _, pair := range pairs.AsValueSlice() {
		parts := pair.AsValueMap()
		if prefix, err := netip.ParsePrefix(textOf(parts[keyAddress])); err == nil && prefix.IsSingleIP() {
			parts[keyAddress] = cty.StringVal(prefix.Addr().String())
		}
		if mac := textOf(parts["mac_address"]); mac != "" {
			parts["mac_address"] = cty.StringVal(strings.ToLower(mac))
		}
		plain = append(plain, cty.ObjectVal(parts))
	}
	return cty.ListVal(plain)
}

// writtenPairs leaves out the hardware addresses that are not written, which Neutron takes for the port's own.
func writtenPairs(w wanted) []map[string]string {
	pairs := []map[string]string{}
	for _, v := range w.blocks(pairsAttribute) {
		pair := map[string]string{keyAddress: textOf(attribute(v, keyAddress))}
		if mac := textOf(attribute(v, "mac_address")); mac != "" {
			pair["mac_address"] = mac
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

func (k portKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	if list := writtenAddresses(w.written(fixedBlock), nil); len(list) > 0 {
		body[keyFixedIPs] = list
	}
	if body[pairsAttribute] != nil {
		body[pairsAttribute] = writtenPairs(w)
	}
	if w.written(profileAttribute) != cty.NilVal {
		body[keyProfile] = writtenProfile(w.written(profileAttribute))
	}
	return readOne(k.read)(k.post(ctx, s, body))
}

func (k portKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	if slices.Contains(attributes, fixedBlock) {
		body[keyFixedIPs] = writtenAddresses(w.written(fixedBlock), objectsAt(o.raw, keyFixedIPs))
	}
	if body[pairsAttribute] != nil {
		body[pairsAttribute] = writtenPairs(w)
	}
	if slices.Contains(attributes, profileAttribute) {
		body[keyProfile] = profileOf(o, w)
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	return k.writeTags(ctx, s, o, w)
}

// remove leaves a port that something has: Neutron would take it away from an instance without asking.
func (k portKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if device := textAt(o.raw, "device_id"); device != "" {
		return false, unit.Blocked(fmt.Sprintf("the port is in use by %s (%s): take it away from there first", device, first(textAt(o.raw, "device_owner"), "nobody knows what")))
	}
	lasting, err = k.neutron.remove(ctx, s, o)
	if !statusIs(err, http.StatusConflict) {
		return lasting, err
	}
	trunks, unread := s.all(ctx, call{service: serviceNetwork, path: "trunks", query: url.Values{"port_id": {o.id}}}, "trunks")
	for _, trunk := range trunks {
		if unread == nil && textAt(trunk, "port_id") == o.id && markInDescription(trunk) == "" {
			return false, unit.Blocked(fmt.Sprintf("the port is the parent of the trunk %s, which is not ours: delete that first", textAt(trunk, "id")))
		}
	}
	return lasting, err
}
