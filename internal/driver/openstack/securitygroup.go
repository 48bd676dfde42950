package openstack

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// securityGroupKind adds the rules. A rule is ours when its description bears the group's mark. A
// wanted rule that is there without a mark counts as present, as Neutron takes no rule twice; the
// rules that Neutron gives a new group stay, as those of others do.
type securityGroupKind struct{ neutron }

func neutronSecurityGroups(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "security_group"), one: "security_group", many: "security_groups",
		fields:    []field{{"stateful", "stateful"}},
		replacing: "ports that use the group stand in the way of deleting it",
	}
}

// rule is a rule in the spelling that makes equal rules equal.
type rule struct {
	direction, ethertype, protocol, cidr, group string
	addresses                                   string // a group of addresses
	portMin, portMax                            string
}

// groupRule is a rule as it is, or as it should be.
type groupRule struct {
	rule
	id, mark, description string
	value                 cty.Value
}

const ruleBlock = "rule"

func (k securityGroupKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	t := k.schema.Nested(ruleBlock).ValueType()
	var rules []groupRule
	var values []cty.Value
	for _, r := range objectsAt(raw, "security_group_rules") {
		text, mark := splitMark(textAt(r, keyDescription))
		v := fromMap(map[string]any{
			"direction": r["direction"], "ethertype": r["ethertype"], "protocol": r["protocol"],
			"port_min": r["port_range_min"], "port_max": r["port_range_max"],
			"remote_cidr": r["remote_ip_prefix"], "remote_group": r["remote_group_id"],
			"remote_address_group": r["remote_address_group_id"], keyDescription: text,
		}, t.ElementType())
		rules = append(rules, groupRule{rule: ruleOf(v), id: textAt(r, "id"), mark: mark, description: text, value: v})
		values = append(values, v)
	}
	o.values.set(ruleBlock, collection(values, t))
	o.detail = rules
	return o
}

// ruleOf spells a rule as Neutron does when it looks for one that is there already: protocols by name,
// ICMP by the name that it has in IPv6, no remote for all addresses and no ports for all of them.
func ruleOf(v cty.Value) rule {
	number := func(name string) string {
		n := attribute(v, name)
		if n == cty.NilVal {
			return ""
		}
		return n.AsBigFloat().Text('f', 0)
	}
	r := rule{
		direction: textOf(attribute(v, "direction")), ethertype: first(textOf(attribute(v, "ethertype")), "IPv4"),
		protocol: protocolName(textOf(attribute(v, "protocol"))), cidr: canonicalText(textOf(attribute(v, "remote_cidr"))),
		group: textOf(attribute(v, "remote_group")), addresses: textOf(attribute(v, "remote_address_group")), portMin: number("port_min"), portMax: number("port_max"),
	}
	if strings.HasSuffix(r.cidr, "/0") {
		r.cidr = ""
	}
	if r.ethertype == "IPv6" && r.protocol == protocolICMP {
		r.protocol = protocolICMPv6
	}
	if r.protocol == protocolICMP || r.protocol == protocolICMPv6 {
		return r // they are type and code, and a type alone is with all codes
	}
	r.portMin, r.portMax = first(r.portMin, r.portMax), first(r.portMax, r.portMin)
	if r.portMin == firstPort && r.portMax == lastPort {
		r.portMin, r.portMax = "", ""
	}
	return r
}

const (
	protocolICMP, protocolICMPv6 = "icmp", "ipv6-icmp"
	firstPort, lastPort          = "1", "65535"
)

// protocolName is the name that Neutron has for a protocol; one that it knows by number only stays a
// number.
func protocolName(protocol string) string {
	names := map[string]string{
		"any": "", "0": "", "icmpv6": protocolICMPv6,
		"1": protocolICMP, "2": "igmp", "4": "ipip", "6": "tcp", "8": "egp", "17": "udp", "33": "dccp", "41": "ipv6-encap",
		"43": "ipv6-route", "44": "ipv6-frag", "46": "rsvp", "47": "gre", "50": "esp", "51": "ah", "58": protocolICMPv6,
		"59": "ipv6-nonxt", "60": "ipv6-opts", "89": "ospf", "112": "vrrp", "113": "pgm", "132": "sctp", "136": "udplite",
	}
	protocol = strings.ToLower(protocol)
	if name, known := names[protocol]; known {
		return name
	}
	return protocol
}

func (k securityGroupKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k securityGroupKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k securityGroupKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.post(ctx, s, k.newBody(w)))
}

func (k securityGroupKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if name != ruleBlock {
		return false, false
	}
	missing, surplus := ruleChanges(want, o)
	return len(missing) == 0 && len(surplus) == 0, true
}

// ruleChanges returns the rules to make, and those of ours to delete; only here it is known which group
// a rule about the group itself is about. A rule of ours whose
// description differs is both, as rules cannot be changed.
func ruleChanges(want cty.Value, o *object) (missing, surplus []groupRule) {
	there, _ := o.detail.([]groupRule)
	var kept []string
	var seen []rule
	for _, v := range want.AsValueSlice() {
		r := groupRule{rule: ruleOf(v), description: textOf(attribute(v, keyDescription)), value: v}
		if self := attribute(v, "self"); self != cty.NilVal && self.IsKnown() && self.True() {
			r.group = o.id
		}
		if slices.Contains(seen, r.rule) {
			continue
		}
		seen = append(seen, r.rule)
		at := slices.IndexFunc(there, func(other groupRule) bool { return other.rule == r.rule })
		if at >= 0 && (there[at].mark == "" || there[at].mark != o.mark || there[at].description == r.description) {
			kept = append(kept, there[at].id)
			continue
		}
		missing = append(missing, r)
	}
	for _, r := range there {
		if r.mark != "" && r.mark == o.mark && !slices.Contains(kept, r.id) {
			surplus = append(surplus, r)
		}
	}
	return missing, surplus
}

func (k securityGroupKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if err := k.put(ctx, s, o.id, k.changedBody(o, w, attributes)); err != nil {
		return err
	}
	if slices.Contains(attributes, ruleBlock) {
		missing, surplus := ruleChanges(w.written(ruleBlock), o)
		for _, r := range surplus {
			if err := s.erase(ctx, serviceNetwork, pathOf("security-group-rules", r.id)); err != nil {
				return err
			}
		}
		for _, r := range missing {
			if err := k.addRule(ctx, s, o, w.mark, r); err != nil {
				return err
			}
		}
	}
	return k.writeTags(ctx, s, o, w)
}

// addRule makes a rule. That it is there already is no error: then an earlier answer was lost.
func (k securityGroupKind) addRule(ctx context.Context, s *session, o *object, mark string, r groupRule) error {
	body := map[string]any{
		"security_group_id": o.id, "direction": r.direction, "ethertype": r.ethertype,
		"project_id": o.project, keyDescription: joinMark(r.description, mark),
	}
	for key, text := range map[string]string{
		"protocol": r.protocol, "remote_ip_prefix": textOf(attribute(r.value, "remote_cidr")), "remote_group_id": r.group,
		"remote_address_group_id": r.addresses,
	} {
		if text != "" {
			body[key] = text
		}
	}
	for key, text := range map[string]string{"port_range_min": r.portMin, "port_range_max": r.portMax} {
		if number, err := strconv.Atoi(text); err == nil {
			body[key] = number
		}
	}
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPost, path: "security-group-rules", body: map[string]any{"security_group_rule": body},
	})
	if statusIs(err, http.StatusConflict) && strings.Contains(err.Error(), "already exists") {
		return nil
	}
	return err
}
