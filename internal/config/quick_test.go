package config

import (
	"bytes"
	"testing"
)

func TestQuickKnowsPlainFiles(t *testing.T) {
	for name, text := range map[string]string{
		"a whole file":  valid,
		"operators":     "locals {\n a = !var.x && 1.5 <= -2 || (3 != 4 ? [1, 2][0] : 5 % 2) >= 1 # why\n}\n",
		"interpolation": "locals {\n a = \"x ${var.y[\"k\"]} and ${upper(\"z ${1 + 2}\")} $\"\n}\n",
		"for":           "locals {\n a = { for k, v in { b = 1 } : k => v if v == 1 }\n}\n",
	} {
		if _, plain := quick([]byte(text), DefaultLimits()); !plain {
			t.Errorf("%s: given up", name)
		}
	}
}

func TestQuickLetsNoKillerThrough(t *testing.T) {
	for name, text := range killers(1000) {
		if _, plain := quick([]byte(text), DefaultLimits()); plain {
			t.Errorf("%s: let through", name)
		}
	}
}

// FuzzQuick compares the quick look with the thorough one under limits that small files exceed.
func FuzzQuick(f *testing.F) {
	for _, text := range killers(6) {
		f.Add([]byte(text))
	}
	f.Add([]byte(valid))
	limits := DefaultLimits()
	limits.Nesting, limits.Unary, limits.Operands, limits.Digits, limits.Pieces = 4, 2, 4, 3, 3
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, bad := notText(src, "main.hcl"); bad {
			return
		}
		if _, plain := quick(src, limits); !plain {
			return
		}
		if found, diags := guard(src, "main.hcl", limits); found != nil || len(diags) > 0 {
			t.Errorf("let through: %v, %v\n%s", found, diags, bytes.TrimSpace(src))
		}
	})
}
