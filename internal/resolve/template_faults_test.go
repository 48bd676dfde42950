package resolve_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestTemplateFaultsWithSecrets wants everything told of a template that its own text shows, and nothing
// of the sensitive values that it is given.
func TestTemplateFaultsWithSecrets(t *testing.T) {
	const canary = "canary5d1a3b52"
	for name, c := range map[string]struct {
		call string
		want []string
		not  string
	}{
		"a value": {call: `templatefile("t.tpl", { x = sensitive("CANARY") })`, want: []string{`"y" (t.tpl:1)`, `"zz" (t.tpl:2)`, `"nofn"`, `"upper" expects only one`, "the reason is not shown"}},
		"an element": {
			call: `templatefile("t.tpl", { x = "CANARY", inner = [sensitive("CANARY")] })`,
			want: []string{`"y" (t.tpl:1)`, `"zz" (t.tpl:2)`, `"nofn"`, `"upper" expects only one`, "the reason is not shown"},
		},
		"all values": {call: `templatefile("t.tpl", sensitive({ x = "CANARY", yCANARY = 1 }))`, want: []string{`"nofn"`, `"upper" expects only one`, "the reason is not shown"}, not: `"zz"`},
		"the text":   {call: `templatestring(sensitive("$${CANARY} $${noCANARY(1)}"), {})`, want: []string{"the reason is not shown"}},
		"a key":      {call: `templatefile("t.tpl", { (sensitive("yCANARY")) = 1 })`, want: []string{`"nofn"`, "the reason is not shown"}, not: `"zz"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveTree(t, tree("main.hcl", fmt.Sprintf("network \"n\" {\n  description = %s\n}\n", strings.ReplaceAll(c.call, "CANARY", canary)),
				"t.tpl", "${x} ${y} ${y}\n${zz} ${nofn(1)}\n${upper(1, 2)} ${parseint(x, 10)}\n"))
			var told strings.Builder
			for _, d := range diags {
				fmt.Fprintln(&told, d.Summary, d.Detail, d.Hint)
			}
			text := told.String()
			for _, want := range c.want {
				if strings.Count(text, want) != 1 {
					t.Errorf("%q is not told once:\n%s", want, text)
				}
			}
			if strings.Contains(text, canary) || c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("too much is told:\n%s", text)
			}
		})
	}
}
