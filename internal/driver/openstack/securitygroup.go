package openstack

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// securityGroupKind adds the rules. A rule is ours when its description bears the group's mark, or when
// it was written and is on record. A wanted rule that is there without a mark counts as present, as
// Neutron takes no rule twice; the rules that Neutron gives a new group stay, as those of others do.
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
	schema.GroupRule
}

// groupRule is a rule as it is, or as it should be.
type groupRule struct {
	rule
	id, mark, description string
	value                 cty.Value
}

const ruleBlock, keyGroupRules, keyRemoteGroup = "rule", "security_group_rules", "remote_group_id"

func (k securityGroupKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	t := k.schema.Nested(ruleBlock).ValueType()
	var rules []groupRule
	var values []cty.Value
	for _, r := range objectsAt(raw, keyGroupRules) {
		text, mark := splitMark(textAt(r, keyDescription))
		v := fromMap(map[string]any{
			"direction": r["direction"], "ethertype": r["ethertype"], "protocol": r["protocol"],
			"port_min": r["port_range_min"], "port_max": r["port_range_max"],
			"remote_cidr": rangeAt(r, "remote_ip_prefix"), "remote_group": r[keyRemoteGroup],
			"remote_address_group": r["remote_address_group_id"], keyDescription: text,
		}, t.ElementType())
		there := ruleOf(v)
		if there.Group == o.id && o.id != "" { // as it is written, and goes on record
			inner := v.AsValueMap()
			inner["self"], inner["remote_group"] = cty.True, cty.NullVal(cty.String)
			v = cty.ObjectVal(inner)
		}
		rules = append(rules, groupRule{rule: there, id: textAt(r, "id"), mark: mark, description: text, value: v})
		values = append(values, v)
	}
	o.values.set(ruleBlock, collection(values, t))
	o.detail = rules
	return o
}

// rangeAt is a range of addresses without the bits behind its prefix: Neutron keeps 10.0.0.5/24 as somebody wrote it, which is
// 10.0.0.0/24 and no range that a block takes. A single address is one.
func rangeAt(raw map[string]any, key string) any {
	if prefix, err := netip.ParsePrefix(textAt(raw, key)); err == nil {
		return prefix.Masked().String()
	}
	return raw[key]
}

func ruleOf(v cty.Value) rule { return rule{GroupRule: schema.GroupRuleOf(v)} }

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
// a rule about the group itself is about. A rule of ours whose description differs is both, as rules cannot be
// changed, and so is one that others have made where another description is written.
func ruleChanges(want cty.Value, o *object) (missing, surplus []groupRule) {
	there, _ := o.detail.([]groupRule)
	var kept []string
	var seen []rule
	for _, v := range valuesIn(want) {
		r := groupRule{rule: ruleOf(v), description: textOf(attribute(v, keyDescription)), value: v}
		if r.Self {
			r.Group, r.Self = o.id, false
		}
		if slices.Contains(seen, r.rule) {
			continue
		}
		seen = append(seen, r.rule)
		at := slices.IndexFunc(there, func(other groupRule) bool { return other.rule == r.rule })
		switch {
		case at < 0 || there[at].mark != "" && there[at].mark == o.mark && there[at].description != r.description:
		case there[at].mark == "" && attribute(v, keyDescription) != cty.NilVal && there[at].description != r.description:
			surplus = append(surplus, there[at])
		default:
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

// bears are the keys of the rules that bear the mark of the group.
func (k securityGroupKind) bears(name string, o *object) []string {
	if name != ruleBlock {
		return nil
	}
	there, _ := o.detail.([]groupRule)
	var keys []string
	for _, r := range there {
		if r.mark != "" && r.mark == o.mark {
			keys = append(keys, k.schema.Nested(ruleBlock).KeyOf(r.value))
		}
	}
	return keys
}

// takenOut returns the rules that were written once and are not any more, whoever made them.
func (k securityGroupKind) takenOut(o *object, want cty.Value, drop []string) []groupRule {
	there, _ := o.detail.([]groupRule)
	nested := k.schema.Nested(ruleBlock)
	return slices.DeleteFunc(slices.Clone(there), func(r groupRule) bool {
		return !slices.Contains(drop, nested.KeyOf(r.value)) || slices.ContainsFunc(valuesIn(want), func(v cty.Value) bool { return ruleOf(v) == r.rule })
	})
}

// update comes to what Neutron refuses while ports use the group last, so that the rules do not wait for that.
func (k securityGroupKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body, late := k.changedBody(o, w, attributes), map[string]any{}
	if stateful, ok := body["stateful"]; ok {
		late["stateful"] = stateful
		delete(body, "stateful")
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	if slices.Contains(attributes, ruleBlock) {
		missing, surplus := ruleChanges(w.written(ruleBlock), o)
		gone := map[string]bool{}
		for _, r := range append(surplus, k.takenOut(o, w.written(ruleBlock), w.drop[ruleBlock])...) {
			if gone[r.id] {
				continue
			}
			if err := s.erase(ctx, serviceNetwork, pathOf("security-group-rules", r.id)); err != nil {
				return err
			}
			gone[r.id] = true
		}
		for _, r := range missing {
			if err := k.addRule(ctx, s, o, w.mark, r); err != nil {
				return err
			}
		}
	}
	if err := k.writeTags(ctx, s, o, w); err != nil {
		return err
	}
	return k.put(ctx, s, o.id, late)
}

// addRule makes a rule. That it is there already is no error: then an earlier answer was lost.
func (k securityGroupKind) addRule(ctx context.Context, s *session, o *object, mark string, r groupRule) error {
	body := map[string]any{
		"security_group_id": o.id, "direction": r.Direction, "ethertype": r.Ethertype,
		"project_id": o.project, keyDescription: joinMark(r.description, mark),
	}
	for key, text := range map[string]string{
		"protocol": r.Protocol, "remote_ip_prefix": textOf(attribute(r.value, "remote_cidr")), keyRemoteGroup: r.Group,
		"remote_address_group_id": r.Addresses,
	} {
		if text != "" {
			body[key] = text
		}
	}
	for key, text := range map[string]string{"port_range_min": r.PortMin, "port_range_max": r.PortMax} {
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

func (k securityGroupKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	lasting, err = k.neutron.remove(ctx, s, o)
	return lasting, s.held(ctx, err, "the security group", url.Values{"security_groups": {o.id}}, inGroup(o.id))
}
