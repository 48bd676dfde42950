package resolve

import (
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// toolbox returns all functions, with a tree of files for those that read some.
func toolbox(tree fs.FS) map[string]function.Function { return toolboxIn(tree, ".") }

func toolboxIn(tree fs.FS, dir string) map[string]function.Function {
	keys := config.Keys{Identities: redact.NewSecret(string(encrypted("age.txt")))}
	s := &scope{e: &Evaluator{functions: functions(), config: &config.Config{Keys: keys}}, findings: &findings{told: map[told]*saying{}}, budget: config.NewBudget(config.DefaultCosts())}
	s.files = newFiles(&config.Config{Tree: tree, Module: config.Module{Dir: dir}}, nil)
	return s.toolbox()
}

func evaluate(t *testing.T, text string, variables map[string]cty.Value) (cty.Value, error) {
	t.Helper()
	return valueOf(t, text, toolbox(nil), variables)
}

// expression reads an expression, with references to whatever there will be.
func expression(t testing.TB, text string) config.Expression {
	t.Helper()
	template, err := config.ParseTemplate([]byte("${"+text+"}"), "test", config.DefaultLimits(), config.NewBudget(config.DefaultCosts()))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return template.Expr
}

func valueOf(t *testing.T, text string, functions map[string]function.Function, variables map[string]cty.Value) (cty.Value, error) {
	t.Helper()
	v, faults := expression(t, text).Value(config.NewContext(maps.Clone(variables), functions, config.NewBudget(config.DefaultCosts())))
	if len(faults) > 0 {
		return v, faults[0]
	}
	return v, nil
}

// TestFunctions compares each function with what Terraform gives for the same expression.
func TestFunctions(t *testing.T) {
	for text, want := range map[string]string{
		`abs(-3)`: `3`, `ceil(1.2)`: `2`, `floor(1.8)`: `1`, `max(1, 5, 3)`: `5`, `min(4, 2)`: `2`, `parseint("ff", 16)`: `255`, `signum(-4)`: `-1`,
		`chomp("a\n")`: `"a"`, `endswith("abc", "bc")`: `true`, `startswith("abc", "bc")`: `false`,
		`format("%s-%03d", "a", 7)`: `"a-007"`, `format("%v", 1000000)`: `"1000000"`, `format("%[2]v%% %[1]v %5v|", "a", 2000000)`: `"2000000% a 2000000|"`, `formatlist("%v", tolist([1000000]))`: `["1000000"]`, `format("%v", [1])`: `"[1]"`, `format("%d", 123456789012)`: `"123456789012"`,
		`formatlist("%s!", ["a", "b"])`: `["a!", "b!"]`, `indent(2, "a\nb")`: `"a\n  b"`, `join("-", ["a", "b"])`: `"a-b"`,
		`lower("AB")`: `"ab"`, `upper("ab")`: `"AB"`, `title("hello world")`: `"Hello World"`, `strrev("abc")`: `"cba"`,
		`regex("[a-z]+", "53abc")`: `"abc"`, `length(regexall("[a-z]", "ab1"))`: `2`,
		`replace("a+b", "+", "-")`: `"a-b"`, `replace("abc", "/(b)/", "<$1>")`: `"a<b>c"`, `replace("ab", "", "-")`: `"-a-b-"`,
		`split(",", "a,b")`: `["a", "b"]`, `substr("hello", 1, 3)`: `"ell"`, `trim("?a?", "?")`: `"a"`, `trimprefix("abc", "a")`: `"bc"`,
		`trimsuffix("abc", "c")`: `"ab"`, `trimspace(" a ")`: `"a"`,
		`alltrue([true, false])`: `false`, `alltrue([])`: `true`, `alltrue(["true"])`: `true`, `anytrue([false, true])`: `true`, `anytrue([])`: `false`,
		`chunklist(["a", "b", "c"], 2)`: `[["a", "b"], ["c"]]`, `coalesce("", null, "b")`: `"b"`, `coalesce(null, 0)`: `0`,
		`coalescelist([], ["b"])`: `["b"]`, `compact(["a", "", "b"])`: `["a", "b"]`, `concat(["a"], ["b"])`: `["a", "b"]`,
		`contains(["a"], "a")`: `true`, `contains(["a"], null)`: `false`, `contains(["a", null], null)`: `true`, `contains([], null)`: `false`, `distinct(["a", "a"])`: `["a"]`, `element(["a", "b"], 3)`: `"b"`, `flatten([["a"], ["b"]])`: `["a", "b"]`,
		`index(["a", "b"], "b")`: `1`, `keys({ b = 1, a = 2 })`: `["a", "b"]`, `length("héllo")`: `5`, `length([1, 2])`: `2`, `length({ a = 1 })`: `1`,
		`lookup({ a = "x" }, "a", "y")`: `"x"`, `lookup({ a = "x" }, "b", "y")`: `"y"`, `lookup({ a = 1 }, "a", null)`: `1`, `lookup(tomap({ a = 1 }), "a", null)`: `1`,
		`lookup({ a = 1 }, "b", null) == null`: `true`, `lookup(tomap({ a = 1 }), "b", null) == null`: `true`, `coalesce(lookup({}, "b", null), "x")`: `"x"`, `lookup({ a = "x" }, "a")`: `"x"`, `lookup(tomap({ a = "x" }), "a")`: `"x"`,
		`merge({ a = 1 }, { b = 2 })`: `{ a = 1, b = 2 }`, `one([])`: `null`, `one(["a"])`: `"a"`, `range(3)`: `[0, 1, 2]`, `reverse([1, 2])`: `[2, 1]`,
		`setintersection(["a", "b"], ["b"])`: `["b"]`, `setproduct(["a"], ["b", "c"])`: `[["a", "b"], ["a", "c"]]`, `setsubtract(["a", "b"], ["b"])`: `["a"]`,
		`setunion(["a"], ["b"])`: `["a", "b"]`, `slice(["a", "b", "c"], 1, 2)`: `["b"]`, `sort(["b", "a"])`: `["a", "b"]`, `sum([1, 2.5])`: `3.5`,
		`values({ b = 1, a = 2 })`: `[2, 1]`, `zipmap(["a"], [1])`: `{ a = 1 }`,
		`base64encode("hi")`: `"aGk="`, `base64decode("aGk=")`: `"hi"`, `csvdecode("a,b\n1,2")`: `[{ a = "1", b = "2" }]`,
		`jsondecode("{\"a\":1}")`: `{ a = 1 }`, `jsonencode({ a = 1000000 })`: `"{\"a\":1000000}"`,
		`yamldecode("a: [1, b]")`: `{ a = [1, "b"] }`, `length(yamldecode(join("\n", [for i in range(100) : "- - [{a: 1}]"])))`: `100`,
		`length(yamldecode("x: |\n  ${join("\n  ", [for i in range(100) : "a[0] = [ \" {{ $x }} - - ---- -"])}"))`: `1`, `yamlencode({ a = 1000000 })`: `"\"a\": 1000000\n"`,
		`sha1("a")`: `"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"`, `substr(sha256("a"), 0, 8)`: `"ca978112"`, `substr(sha512("a"), 0, 8)`: `"1f40fc92"`,
		`can(tonumber("x"))`: `false`, `try(tonumber("x"), 5)`: `5`, `tobool("true")`: `true`, `tolist(["a", 1])`: `["a", "1"]`, `tomap({ a = 1 })`: `{ a = 1 }`,
		`tonumber("1.5")`: `1.5`, `toset(["b", "a", "b"])`: `["a", "b"]`, `tostring(1000000)`: `"1000000"`, `"${1000000}"`: `"1000000"`,
		`nonsensitive(sensitive("a"))`: `"a"`,
		`cidrhost("10.0.0.0/8", 1)`:    `"10.0.0.1"`, `cidrhost("10.0.0.0/8", -1)`: `"10.255.255.255"`, `cidrhost("fd00::/64", 34)`: `"fd00::22"`,
		`cidrhost("10.0.0.9/24", 2)`: `"10.0.0.2"`, `cidrnetmask("172.16.0.0/12")`: `"255.240.0.0"`,
		`cidrsubnet("172.16.0.0/12", 4, 2)`: `"172.18.0.0/16"`, `cidrsubnet("10.1.2.0/24", 4, 15)`: `"10.1.2.240/28"`,
		`cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162)`: `"fd00:fd12:3456:7800:a200::/72"`, `cidrsubnet("10.0.0.0/8", 0, 0)`: `"10.0.0.0/8"`,
		`cidrsubnets("10.1.0.0/16", 4, 4, 8, 4)`:          `["10.1.0.0/20", "10.1.16.0/20", "10.1.32.0/24", "10.1.48.0/20"]`,
		`cidrsubnets("fd00:fd12:3456:7890::/56", 16, 16)`: `["fd00:fd12:3456:7800::/72", "fd00:fd12:3456:7800:100::/72"]`,
		`cidrsubnets("10.1.0.0/16")`:                      `[]`,
		`cidrsubnets("::ffff:10.0.0.0/104", 4)`:           `["::ffff:10.0.0.0/108"]`,
	} {
		got, err := evaluate(t, text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		expected, err := evaluate(t, want, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The want is a literal, so its lists are tuples; compare as what the function returned.
		if converted, err := convert.Convert(expected, got.Type()); err != nil || !converted.RawEquals(got) {
			t.Errorf("%s = %#v, want %s", text, got, want)
		}
	}
}

func TestFunctionsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		`cidrhost("10.0.0.0/30", 4)`:                           "only 4 addresses",
		`cidrhost("10.0.0.0/30", -5)`:                          "only 4 addresses",
		`cidrhost("10.0.0.0", 1)`:                              "CIDR notation",
		`cidrhost("10.010.0.0/16", 1)`:                         "without zeros in front",
		`contains("a", null)`:                                  "a list or set is required",
		`cidrhost("10.0.0.0/24", 1.5)`:                         "whole number",
		`cidrnetmask("fd00::/64")`:                             "IPv4",
		`cidrsubnet("10.0.0.0/24", 9, 0)`:                      "from 0 to 8",
		`cidrsubnet("10.0.0.0/24", -1, 0)`:                     "from 0 to 8",
		`cidrsubnet("10.0.0.0/24", 1, 2)`:                      "2 networks",
		`cidrsubnets("10.0.0.0/24", 1, 1, 1)`:                  "no room left",
		`cidrsubnets("10.0.0.0/24", 0)`:                        "at least one bit",
		`base64decode("!")`:                                    "not in base64",
		`base64decode("/w==")`:                                 "no text",
		`one([1, 2])`:                                          "at most one",
		`range(0, 5, 0)`:                                       "the step is zero",
		`range(0, 5000)`:                                       "more than 1024",
		`sum([])`:                                              "at least one",
		`sum({ a = 1 })`:                                       "must be a list or set",
		`sum(["x"])`:                                           "must be a number",
		`coalesce("", null)`:                                   "neither null nor empty",
		`index(["a"], "b")`:                                    "does not contain",
		`lookup({ a = 1 }, "b")`:                               "no default",
		`lookup(["a"], "b", null)`:                             "map",
		`replace("a", "/(/", "b")`:                             "missing closing )",
		`yamldecode(join("", [for i in range(65) : "["]))`:     "at most 64 deep",
		`yamldecode(join("", [for i in range(65) : "{ a: "]))`: "at most 64 deep",
		`yamldecode(join("", [for i in range(65) : "- "]))`:    "at most 64 deep",
		`yamldecode(join("", [for i in range(70) : join("", [for j in range(100) : "xxxxxxxxxx"])]))`: "at most 65536 bytes",
		`jsondecode("[[")`: "",
	} {
		if _, err := evaluate(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestFunctionsWithUnknownAndSensitive(t *testing.T) {
	variables := map[string]cty.Value{
		"unknown": cty.UnknownVal(cty.String),
		"secret":  cty.StringVal("s3").Mark(model.Sensitive),
	}
	for _, text := range []string{
		`join("", [unknown])`, `format("%s", unknown)`, `replace(unknown, "a", "b")`, `jsonencode({ a = unknown })`, `jsondecode(unknown)`,
		`cidrhost(unknown, 1)`, `coalesce(unknown, "a")`, `sha256(unknown)`, `indent(2, unknown)`, `length(unknown)`,
	} {
		if v, err := evaluate(t, text, variables); err != nil || v.IsKnown() {
			t.Errorf("%s = %#v, %v, want an unknown value", text, v, err)
		}
	}
	for _, text := range []string{
		`join("", [secret])`, `format("%s", secret)`, `replace(secret, "3", "4")`, `jsonencode({ a = secret })`, `base64encode(secret)`, `"${secret}!"`,
		`lookup({ a = secret }, "a")`, `lookup({ a = secret }, "a", "b")`, `coalesce(secret, "a")`, `merge({ a = secret }, { b = 1 })`, `upper(secret)`,
		`indent(2, secret)`, `try(secret, "a")`, `[for s in [secret] : s]`, `substr(sha256(secret), 0, 2)`, `yamlencode([secret])`, `flatten([[secret]])`,
	} {
		if v, err := evaluate(t, text, variables); err != nil || !v.ContainsMarked() {
			t.Errorf("%s = %#v, %v, want a sensitive value", text, v, err)
		}
	}
	if v, err := evaluate(t, `nonsensitive(secret)`, variables); err != nil || v.ContainsMarked() {
		t.Errorf("nonsensitive: %#v, %v", v, err)
	}
}
