package resolve

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestNestedInsideNested evaluates what no kind of resource has yet: dynamic blocks inside dynamic
// blocks, the inner ones made of the outer's element.
func TestNestedInsideNested(t *testing.T) {
	def := &schema.Nested{Block: schema.Block{Kind: "rule", Blocks: []schema.Nested{{Min: 1, Max: 2, Block: schema.Block{
		Kind: "port", Attributes: []schema.Attribute{{Name: "text", Type: cty.String}},
	}}}}}
	attribute := func(text string, schema *schema.Attribute, iterators ...string) *config.Attribute {
		a := &config.Attribute{Name: "text", Schema: schema, Expr: expression(t, text)}
		for _, name := range iterators {
			a.References = append(a.References, config.Reference{Iterator: name})
		}
		return a
	}
	eval := func(forEach string) (cty.Value, *scope, built) {
		inner := &def.Blocks[0].Block
		outer := &config.Block{Schema: &schema.Block{Kind: "network"}, Blocks: []*config.Block{{
			Schema: &def.Block, Iterator: "rule", ForEach: attribute(forEach, nil),
			Blocks: []*config.Block{{
				Schema: inner, Iterator: "p", ForEach: attribute("rule.value", nil, "rule"),
				Attributes: []*config.Attribute{attribute(`"${rule.key}${p.value}"`, &inner.Attributes[0], "rule", "p")},
			}},
		}}}
		s := &scope{e: &Evaluator{functions: functions()}, findings: &findings{told: map[told]*saying{}}, budget: config.NewBudget(config.DefaultCosts())}
		result := built{ok: true}
		return s.nested(outer, def, nil, &result), s, result
	}
	v, s, result := eval(`{ a = [1, 2], b = [3] }`)
	var got string
	for it := v.ElementIterator(); it.Next(); {
		_, rule := it.Element()
		for ports := rule.GetAttr("port").ElementIterator(); ports.Next(); {
			_, port := ports.Element()
			got += port.GetAttr("text").AsString() + " "
		}
	}
	if got != "a1 a2 b3 " || !result.ok || len(s.diags) > 0 || len(s.iterators) > 0 {
		t.Errorf("got %q %v", got, s.diags)
	}
	for _, forEach := range []string{`{ a = [] }`, `{ a = [1, 2, 3] }`} {
		if _, s, result := eval(forEach); result.ok || len(s.diags) != 1 || s.diags[0].Summary != "wrong number of blocks" {
			t.Errorf("%s: %v", forEach, s.diags)
		}
	}
}
