package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// Text returns the value of an attribute that is written as plain text in quotes, and whether it is.
func (a *Attribute) Text() (string, bool) {
	template, ok := a.Expr.syntax.(*hclsyntax.TemplateExpr)
	if !ok || !template.IsStringLiteral() {
		return "", false
	}
	v, diags := template.Value(nil)
	if diags.HasErrors() || v.Type() != cty.String || v.IsNull() {
		return "", false
	}
	return v.AsString(), true
}

// Quote writes a text in quotes, so that it stands for itself. What begins a template must not, and two
// signs in a row cannot be told from the way to write one.
func Quote(s string) string {
	var b strings.Builder
	rest := s
	for {
		i := strings.Index(rest, "$${")
		if j := strings.Index(rest, "%%{"); i < 0 || j >= 0 && j < i {
			i = j
		}
		if i < 0 {
			break
		}
		b.WriteString(escaped(rest[:i+1]))
		fmt.Fprintf(&b, "\\u%04x{", rest[i+1])
		rest = rest[i+3:]
	}
	return `"` + b.String() + escaped(rest) + `"`
}

// escaped is a text as it stands between quotes.
func escaped(s string) string {
	text := string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes())
	return text[1 : len(text)-1]
}
