package config

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestDynamicInsideDynamic has a kind of block that no resource has yet: nested blocks with nested
// blocks. Each level sees its own element and those around it.
func TestDynamicInsideDynamic(t *testing.T) {
	text := func(name string) schema.Attribute { return schema.Attribute{Name: name, Type: cty.String} }
	def := &schema.Block{Kind: "network", Class: schema.ClassResource, Blocks: []schema.Nested{{Block: schema.Block{
		Kind: "rule", Class: schema.ClassPart, Attributes: []schema.Attribute{text("name")},
		Blocks: []schema.Nested{{Min: 1, Block: schema.Block{Kind: "port", Class: schema.ClassPart, Attributes: []schema.Attribute{text("number")}}}},
	}}}}
	decode := func(body string) (*Block, *loader) {
		file, diags := hclsyntax.ParseConfig([]byte("network \"web\" {\n"+body+"\n}\n"), "main.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		definition := schema.New()
		l := &loader{limits: DefaultLimits(), config: &Config{Definition: definition, Module: newModule(".")}, kinds: definition.Kinds(schema.ClassResource)}
		l.kind = "network"
		return l.body(file.Body.(*hclsyntax.Body).Blocks[0], def, true), l
	}
	b, l := decode(`
dynamic "rule" {
  for_each = { a = [1, 2] }
  content {
    name = rule.key
    dynamic "port" {
      for_each = rule.value
      iterator = p
      content { number = "${rule.key}-${p.value}" }
    }
  }
}`)
	if len(l.diags) > 0 {
		t.Fatal(l.diags)
	}
	rule := b.Blocks[0]
	port := rule.Blocks[0]
	if rule.Iterator != "rule" || port.Iterator != "p" || rule.ForEach == nil || len(l.iterators) != 0 {
		t.Errorf("got %+v", rule)
	}
	for attribute, want := range map[*Attribute][]string{
		rule.Attribute("name"): {"rule"}, port.ForEach: {"rule"}, port.Attribute("number"): {"rule", "p"},
	} {
		if len(attribute.References) != len(want) {
			t.Fatalf("%s refers to %+v", attribute.Name, attribute.References)
		}
		for i, ref := range attribute.References {
			if ref.Iterator != want[i] || ref.Target != nil {
				t.Errorf("%s refers to %+v, want %s", attribute.Name, ref, want[i])
			}
		}
	}
	_, l = decode(`
dynamic "rule" {
  for_each = p.value
  content {
    dynamic "port" {
      for_each = []
      iterator = p
      content {}
    }
  }
}
rule {
  name = rule.key
}`)
	if len(l.diags) != 3 || l.diags[0].Code != codeReference || l.diags[1].Code != codeReference || l.diags[2].Code != codeMissingBlock {
		t.Errorf("elements outside of their content, and a block less than needed: %v", l.diags)
	}
}
