package reference

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestLiterals reads literals back as HCL does.
func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		v    cty.Value
		want string
	}{
		{cty.StringVal("a\"b\\c\n\t"), `"a\"b\\c\n\t"`},
		{cty.StringVal("${x} %{y} $z"), `"$${x} %%{y} $z"`},
		{cty.StringVal("Grüße …"), `"Grüße …"`},
		{cty.MustParseNumberVal("9007199254740993"), "9007199254740993"},
		{cty.MustParseNumberVal("18446744073709551617"), "18446744073709551617"},
		{cty.MustParseNumberVal("-0.1"), "-0.1"},
		{cty.True, "true"},
		{cty.NullVal(cty.String), "null"},
		{cty.EmptyObjectVal, "{}"},
		{cty.EmptyTupleVal, "[]"},
		{cty.SetVal([]cty.Value{cty.StringVal("b"), cty.StringVal("a")}), `["a", "b"]`},
		{cty.MapVal(map[string]cty.Value{"a": cty.Zero, "x:y": cty.Zero, "1": cty.Zero}), `{ "1" = 0, a = 0, "x:y" = 0 }`},
		{cty.ObjectVal(map[string]cty.Value{"l": cty.TupleVal([]cty.Value{cty.EmptyObjectVal})}), `{ l = [{}] }`},
	} {
		got := Literal(c.v)
		if got != c.want {
			t.Errorf("%#v is written %s, want %s", c.v, got, c.want)
		}
		e, diags := hclsyntax.ParseExpression([]byte(got), "x.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Errorf("%s: %v", got, diags)
			continue
		}
		v, diags := e.Value(nil)
		back, err := convert.Convert(v, c.v.Type())
		if diags.HasErrors() || err != nil || !back.RawEquals(c.v) {
			t.Errorf("%s is read as %#v, want %#v (%v, %v)", got, v, c.v, diags, err)
		}
	}
}

func TestLayout(t *testing.T) {
	var s source
	s.block("a", func(s *source) {
		s.assign("x", "1")
		s.assign("long", "2")
		s.assignLines("text", "one\n  two\n")
		s.assign("y", "3")
		s.block("empty", func(*source) {})
		s.block("b", func(s *source) { s.assign("z", "4") })
		s.assign("last", "5")
	})
	s.block("c", func(*source) {})
	want := `a {
  x    = 1
  long = 2

  text = <<-EOT
    one
      two
  EOT

  y = 3

  empty {}

  b {
    z = 4
  }

  last = 5
}

c {}
`
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTypes(t *testing.T) {
	pair := cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.Number})
	for want, a := range map[string]schema.Attribute{
		"string":                {Type: cty.String},
		"list(map(bool))":       {Type: cty.List(cty.Map(cty.Bool))},
		"set(string)":           {Type: cty.Set(cty.String)},
		"any":                   {Type: cty.DynamicPseudoType},
		"map(any)":              {Type: cty.DynamicPseudoType, Mapping: true},
		"number or map(number)": {Type: cty.DynamicPseudoType, OneOf: []cty.Type{cty.Number, cty.Map(cty.Number)}},
		"list(object({ a = string, b = number }))": {Type: cty.List(pair)},
		"object({ a = optional(string) })":         {Type: cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": cty.String}, []string{"a"})},
		"a type":                                   {Type: cty.DynamicPseudoType, Form: schema.FormType},
		"list of addresses":                        {Type: cty.List(cty.String), Form: schema.FormReferences},
	} {
		if got := typeOf(&a); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestHowMany(t *testing.T) {
	for want, n := range map[string]schema.Nested{
		"There is exactly one.":    {Min: 1, Max: 1},
		"There can be one.":        {Max: 1},
		"There can be any number.": {},
		"There are at least 2.":    {Min: 2},
		"There are 0 to 3.":        {Max: 3},
	} {
		if got := howMany(&n); got != want {
			t.Errorf("%+v: %s, want %s", n, got, want)
		}
	}
}
