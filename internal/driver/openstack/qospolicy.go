package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// qosPolicyKind adds the rules, which are parts of the policy that bear no mark. Neutron takes one of each type
// for each direction. A new policy gets its rules by updates.
type qosPolicyKind struct{ neutron }

// qosRules is one type of rules, as the schema and as Neutron have it.
type qosRules struct {
	block, one, many string
	fields           []field
}

const (
	keyDirection = "direction"
	markRule     = "dscp_marking"
	keyDSCP      = "dscp_mark"
	keyRules     = "rules"
	guarantee    = "minimum_bandwidth"
	keyLeast     = "min_kbps"
)

func qosRuleTypes() []qosRules {
	return []qosRules{
		{"bandwidth_limit", "bandwidth_limit_rule", "bandwidth_limit_rules", []field{{keyDirection, keyDirection}, {"max_kbps", "max_kbps"}, {"max_burst_kbps", "max_burst_kbps"}}},
		{guarantee, "minimum_bandwidth_rule", "minimum_bandwidth_rules", []field{{keyDirection, keyDirection}, {keyLeast, keyLeast}}},
	}
}

func neutronQoSPolicies(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "qos_policy"), one: "policy", many: "policies", below: "qos/", extension: true,
		fields:    []field{{"shared", "shared"}, {"is_default", "is_default"}},
		replacing: "networks, ports and floating IPs that use the policy stand in the way of deleting it",
		kept:      []string{keyRules},
	}
}

func (k qosPolicyKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	for _, rules := range qosRuleTypes() {
		t := k.schema.Nested(rules.block).ValueType()
		var values []cty.Value
		for _, r := range objectsAt(raw, keyRules) {
			if textAt(r, "type") == rules.block {
				values = append(values, fromMap(r, t.ElementType())) // the attributes are named as the keys are
			}
		}
		o.values.set(rules.block, collection(values, t))
	}
	o.values.set(keyDSCP, cty.NullVal(cty.Number))
	if r := k.rule(raw, markRule, ""); r != nil {
		o.values.set(keyDSCP, fromJSON(r[keyDSCP], cty.Number))
	}
	return o
}

// rule finds the rule of a type, and of a direction where rules have one.
func (k qosPolicyKind) rule(raw map[string]any, kind, direction string) map[string]any {
	for _, r := range objectsAt(raw, keyRules) {
		if textAt(r, "type") == kind && (direction == "" || textAt(r, keyDirection) == direction) {
			return r
		}
	}
	return nil
}

func (k qosPolicyKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k qosPolicyKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k qosPolicyKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.post(ctx, s, k.newBody(w)))
}

func (k qosPolicyKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if err := k.put(ctx, s, o.id, k.changedBody(o, w, attributes)); err != nil {
		return err
	}
	if err := k.changeRules(ctx, s, o, w, attributes); err != nil {
		return err
	}
	if slices.Contains(attributes, keyDSCP) {
		rules := qosRules{block: markRule, one: "dscp_marking_rule", many: "dscp_marking_rules"}
		if err := k.writeRule(ctx, s, o, rules, k.rule(o.raw, markRule, ""), map[string]any{keyDSCP: w.plain(keyDSCP)}); err != nil {
			return err
		}
	}
	return k.writeTags(ctx, s, o, w)
}

// changeRules takes away those of our rules that are not wanted any more, and makes or changes the others. Neutron takes no
// limit below what another rule of the policy guarantees, and no guarantee above a limit, whatever their directions: so
// guarantees that become smaller come before limits, and all others after them.
func (k qosPolicyKind) changeRules(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	types := slices.DeleteFunc(qosRuleTypes(), func(rules qosRules) bool { return !slices.Contains(attributes, rules.block) })
	for _, rules := range types {
		if err := k.dropRules(ctx, s, o, w, rules); err != nil {
			return err
		}
	}
	for _, rules := range types {
		if rules.block != guarantee {
			continue
		}
		if err := k.writeRules(ctx, s, o, w, rules, k.smaller(o)); err != nil {
			return err
		}
	}
	for _, rules := range types {
		later := func(v cty.Value) bool { return rules.block != guarantee || !k.smaller(o)(v) }
		if err := k.writeRules(ctx, s, o, w, rules, later); err != nil {
			return err
		}
	}
	return nil
}

// smaller tells of a wanted guarantee whether it is below that which is there.
func (k qosPolicyKind) smaller(o *object) func(cty.Value) bool {
	return func(v cty.Value) bool {
		there := k.rule(o.raw, guarantee, textOf(attribute(v, keyDirection)))
		have, want := fromJSON(there[keyLeast], cty.Number), attribute(v, keyLeast)
		return !have.IsNull() && want != cty.NilVal && want.LessThan(have).True()
	}
}

// dropRules takes away those of our rules of a type that are not wanted any more.
func (k qosPolicyKind) dropRules(ctx context.Context, s *session, o *object, w wanted, rules qosRules) error {
	return takeAway(w.drop[rules.block], func(direction string) error {
		r := k.rule(o.raw, rules.block, direction)
		if r == nil {
			return nil
		}
		return s.erase(ctx, serviceNetwork, k.path(o.id, rules.many, textAt(r, "id")))
	})
}

// writeRules makes or changes those of the wanted rules of a type whose turn it is.
func (k qosPolicyKind) writeRules(ctx context.Context, s *session, o *object, w wanted, rules qosRules, turn func(cty.Value) bool) error {
	there := valuesIn(o.values.get(rules.block))
	for _, v := range w.blocks(rules.block) {
		if !turn(v) || slices.ContainsFunc(there, func(h cty.Value) bool { return includes(v, h, true) }) {
			continue
		}
		body := wanted{value: v}.body(rules.fields, nil)
		if err := k.writeRule(ctx, s, o, rules, k.rule(o.raw, rules.block, textOf(attribute(v, keyDirection))), body); err != nil {
			return err
		}
	}
	return nil
}

// writeRule changes a rule that is there, or makes one.
func (k qosPolicyKind) writeRule(ctx context.Context, s *session, o *object, rules qosRules, there, body map[string]any) error {
	c := call{service: serviceNetwork, method: http.MethodPost, path: k.path(o.id, rules.many), body: map[string]any{rules.one: body}}
	if there != nil {
		c.method, c.path = http.MethodPut, k.path(o.id, rules.many, textAt(there, "id"))
	}
	_, err := s.do(ctx, c)
	return err
}
