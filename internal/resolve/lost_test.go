package resolve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What a broken reference stands in for is unknown, and no function and operator may complain of that: one
// cause, one message.
func TestOneMessageForALostReference(t *testing.T) {
	var expressions []string
	for _, group := range resolve.Reference() {
		for _, f := range group.Functions {
			expressions = append(expressions, resolve.WithoutArguments(f.Example)...)
		}
	}
	if len(expressions) < 150 {
		t.Fatalf("only %d expressions", len(expressions))
	}
	for _, operator := range []string{"+", "-", "*", "/", "%", "&&", "||", "==", "!=", "<", ">", "<=", ">="} {
		expressions = append(expressions, "local.missing "+operator+" local.missing")
	}
	expressions = append(expressions,
		"-local.missing", "!local.missing", "local.missing ? 1 : 2", "local.missing.a[0].b", `local.missing["a"].*.b`, "local.missing[*].a", "[local.missing][0].a",
		"{ (local.missing) = 1 }", "{ a = local.missing }.a.b", "[for x in local.missing : x.a]", "{ for k, v in local.missing : k => v }", "{ for k, v in [1] : local.missing => v }",
		"[for x in [1] : x if local.missing]", `"${local.missing}"`, `"a${local.missing}"`, `"%{if local.missing}a%{endif}"`, `"%{for x in local.missing}${x.a}%{endfor}"`,
		"max(local.missing...)", "[1, 2][local.missing]", "{ a = 1 }[local.missing]", "try(local.missing.a, 1)", "can(local.missing)",
	)
	for _, block := range []string{
		"locals {\n  x%[1]d = %[2]s\n}\nnetwork \"n%[1]d\" {\n  description = local.x%[1]d\n}\n",
		"network \"n%d\" {\n  name = %s\n}\n",
		"project \"p%d\" {\n  quota = %s\n}\n",
		"router \"r%d\" {\n  subnets = %s\n}\n",
		"network \"n%d\" {\n  for_each = %s\n  name = each.value.name\n}\n",
		"security_group \"s%d\" {\n  dynamic \"rule\" {\n    for_each = %s\n    content {\n      direction = rule.value.direction\n    }\n  }\n}\n",
	} {
		checkLost(t, block, expressions)
	}
}

// checkLost wants to be told of nothing but the references, with each expression in a block of its own.
func checkLost(t *testing.T, block string, expressions []string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("cloud \"demo\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\n")
	for i, expression := range expressions {
		fmt.Fprintf(&text, block, i, expression)
	}
	tree := fstest.MapFS{
		"main.hcl":  {Data: []byte(text.String())},
		"hello.txt": {Data: []byte("Hello!")}, "motd.tpl": {Data: []byte("Welcome to ${name}")},
	}
	cfg, diags := config.Load(schema.New(), tree, ".", config.DefaultLimits())
	_, _, more := resolve.Resolve(cfg, nil)
	lines := strings.Split(text.String(), "\n")
	lost := 0
	for _, d := range append(diags, more...) {
		switch d.Summary {
		case "unknown reference":
			lost++
		case "wrong type of value", "wrong kind of value", "list in for_each", "wrong kind of for_each":
			// The expression has a value of the wrong type, whatever is lost.
		default:
			where := ""
			if d.Subject != nil {
				where = lines[d.Subject.Start.Line-1]
			}
			t.Errorf("%s\nis told: %s: %s", where, d.Summary, d.Detail)
		}
	}
	if lost < len(expressions) {
		t.Errorf("%d references are told in %d expressions", lost, len(expressions))
	}
}

// What is known of a broken value is bounded as any other value is: each of these would be twice the one
// before.
func TestBrokenValuesAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("locals {\n  a0 = [1]\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&text, "  a%d = [local.a%d, local.a%d, 1 / 0]\n", i, i-1, i-1)
	}
	text.WriteString("}\n")
	_, _, diags := resolveText(t, reachOnly+text.String(), nil)
	for _, d := range diags {
		if d.Summary != "invalid operand" {
			t.Errorf("told: %s: %s", d.Summary, d.Detail)
		}
	}
	if len(diags) != 60 {
		t.Errorf("%d mistakes are told, want 60", len(diags))
	}
}
