package reference_test

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// converter writes HCL as HCL's JSON syntax has it.
type converter struct {
	t      *testing.T
	source []byte
}

func toJSON(t *testing.T, text string) []byte {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "example.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	c := converter{t, []byte(text)}
	definition := schema.New()
	document := map[string]any{}
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		def := definition.Block(b.Type)
		resource := def != nil && def.Class == schema.ClassResource
		if b.Type == schema.DataKind {
			def = definition.Resource(b.Labels[0]).DataBlock()
		}
		place(document, append([]string{b.Type}, b.Labels...), c.body(b.Body, def, resource))
	}
	written, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// place puts what stands in a block where its labels lead to.
func place(document map[string]any, path []string, body any) {
	for _, name := range path[:len(path)-1] {
		below, ok := document[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			document[name] = below
		}
		document = below
	}
	name := path[len(path)-1]
	switch before := document[name].(type) {
	case nil:
		document[name] = body
	case []any:
		document[name] = append(before, body)
	default:
		document[name] = []any{before, body}
	}
}

func (c converter) body(body *hclsyntax.Body, def *schema.Block, resource bool) map[string]any {
	written := map[string]any{}
	for name, a := range body.Attributes {
		attribute := def.Attribute(name)
		for _, argument := range schema.Arguments() {
			if resource && argument.Name == name {
				attribute = &argument
			}
		}
		switch {
		case attribute != nil && attribute.Form == schema.FormType:
			written[name] = c.text(a.Expr)
		case attribute != nil && (attribute.Form == schema.FormReferences || attribute.Form == schema.FormAttributes):
			var addresses []any
			for _, e := range a.Expr.(*hclsyntax.TupleConsExpr).Exprs {
				addresses = append(addresses, c.text(e))
			}
			written[name] = addresses
		default:
			written[name] = c.value(a.Expr)
		}
	}
	for _, b := range body.Blocks {
		lifecycle := schema.Lifecycle()
		inner := def.Nested(b.Type)
		if resource && b.Type == lifecycle.Kind {
			inner = &lifecycle
		}
		place(written, append([]string{b.Type}, b.Labels...), c.body(b.Body, &inner.Block, false))
	}
	return written
}

// value is a literal as it is, and anything else as an expression in a template.
func (c converter) value(e hclsyntax.Expression) any {
	switch e := e.(type) {
	case *hclsyntax.TupleConsExpr:
		elements := []any{}
		for _, inner := range e.Exprs {
			elements = append(elements, c.value(inner))
		}
		return elements
	case *hclsyntax.ObjectConsExpr:
		fields := map[string]any{}
		for _, item := range e.Items {
			key, diags := item.KeyExpr.Value(nil)
			if diags.HasErrors() {
				c.t.Fatal(diags)
			}
			fields[key.AsString()] = c.value(item.ValueExpr)
		}
		return fields
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		if template, is := e.(*hclsyntax.TemplateExpr); is {
			text := c.text(template)
			return text[1 : len(text)-1]
		}
		return "${" + c.text(e) + "}"
	}
	text, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		c.t.Fatal(err)
	}
	return json.RawMessage(text)
}

func (c converter) text(e hclsyntax.Expression) string {
	return string(e.Range().SliceBytes(c.source))
}
