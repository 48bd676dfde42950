package resolve_test

import (
	"strings"
	"testing"
)

// can and try take every error of evaluating, also one that no value would make good, and none of what is
// found by reading: a reference that leads nowhere. So they do in Terraform.
func TestTryTakesErrorsOfEvaluating(t *testing.T) {
	for expression, want := range map[string]string{
		`can(regex("bad(", "x"))`:            "false",
		`try(regex("bad(", "x"), "other")`:   "other",
		`try({ a = 1 }.b, "other")`:          "other",
		`try(var.object.b, "other")`:         "other",
		`can(var.object.b)`:                  "false",
		`try(tonumber("x"), [][0], "other")`: "other",
		`can(file("none.txt"))`:              "false",
		`try(project.nothing.id, "other")`:   "unknown reference",
		`can(var.nothing)`:                   "unknown reference",
		`try(local.nothing, "other")`:        "unknown reference",
		`can(project.b.nothing)`:             "unknown attribute",
		`try(tonumber("x"))`:                 "error in function call",
	} {
		m, _, diags := resolveText(t, reachOnly+"variable \"object\" {\n  default = { a = 1 }\n}\nproject \"b\" {}\nproject \"a\" {\n  description = tostring("+expression+")\n}\n", nil)
		if m == nil {
			if len(diags) != 1 || !strings.Contains(diags[0].Summary, want) {
				t.Errorf("%s: told %v, want %q", expression, diags, want)
			}
			continue
		}
		if got := m.Resource(object("project.a")).Desired.GetAttr("description"); got.AsString() != want {
			t.Errorf("%s is %#v, want %q", expression, got, want)
		}
	}
}
