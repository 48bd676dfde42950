package resolve

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// TestFunctionsKeepDigits wants whole numbers to leave functions as they went in, beyond the 53
// bits that a float has.
func TestFunctionsKeepDigits(t *testing.T) {
	const digits = "9007199254740993" // the first whole number that no float64 is
	for _, text := range []string{
		`tostring(N)`, `"${N}"`, `format("%d", N)`, `format("%s", N)`, `format("%v", N)`, `tostring(tonumber("N"))`, `tostring(parseint("N", 10))`,
		`jsonencode(N)`, `tostring(jsondecode("N"))`, `trimspace(trimsuffix(yamlencode(N), "...\n"))`, `tostring(yamldecode("N"))`,
		`tostring(max(N, 1))`, `tostring(min(N, N + 1))`, `tostring(abs(-N))`, `tostring(floor(N))`, `tostring(ceil(N))`, `tostring(sum([N - 1, 1]))`,
		`tostring(N - 1 + 1)`, `tostring(N * 3 / 3)`, `tostring(N % (N + 1))`, `join("", [N])`, `tostring(tolist([N])[0])`, `keys({ (N) = 1 })[0]`,
		`tostring(values({ a = N })[0])`, `tostring(merge({}, { a = N }).a)`, `tostring(flatten([[N]])[0])`, `tostring(coalesce(N))`,
		`tostring(range(N, N + 1)[0])`, `tostring(one([N]))`, `tostring(lookup({ a = N }, "a"))`,
	} {
		text = strings.ReplaceAll(text, "N", digits)
		v, err := evaluate(t, text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := convert.Convert(v, cty.String); err != nil || got.AsString() != digits {
			t.Errorf("%s is %#v, %v", text, v, err)
		}
	}
}
