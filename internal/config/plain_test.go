package config

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestPlainExpressions(t *testing.T) {
	for text, want := range map[string]bool{
		`"10.0.0.0/24"`: true, `each.key`: true, `"${each.key}"`: true, `"net-${each.key}"`: true, `network.web[each.key]`: true, `network.web["${each.key}-a"].id`: true,
		`upper(each.key)`: false, `"net-${upper(each.key)}"`: false, `network.web[upper(each.key)].id`: false, `local.all[*].id`: false, `[each.key]`: false, `-1`: false,
	} {
		e, diags := hclsyntax.ParseExpression([]byte(text), "main.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := plain(e); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
