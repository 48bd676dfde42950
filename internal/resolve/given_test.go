package resolve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// given resolves a configuration in clouds/prod whose network is described by an expression, with
// values for its variables.
func given(t *testing.T, hcl string, files map[string]string, values ...config.Given) (string, diag.Diagnostics, string) {
	t.Helper()
	tree := fstest.MapFS{"clouds/prod/main.hcl": {Data: []byte(reachOnly + hcl)}}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	cfg, diags := config.Load(schema.New(), tree, "clouds/prod", config.DefaultLimits())
	diags.Append(config.LoadValues(cfg, values, config.DefaultLimits())...)
	m, _, more := resolve.Resolve(cfg, nil)
	diags.Append(more...)
	var printed strings.Builder
	printer := diag.Printer{Source: cfg.Source}
	if err := printer.Print(&printed, diags.Sorted()); err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		checkStyle(t, d)
	}
	if m == nil {
		return "", diags, printed.String()
	}
	for _, r := range m.Resources {
		if r.Address == object("network.web") {
			v, _ := r.Desired.GetAttr("description").Unmark()
			return v.AsString(), diags, printed.String()
		}
	}
	return "", diags, printed.String()
}

func written(name, text string) config.Given {
	return config.Given{Name: name, Text: text, Origin: "--var " + name}
}

func environment(name, text string) config.Given {
	return config.Given{Name: name, Text: text, Origin: "KUPENSTACK_VAR_" + name, Environment: true}
}

func valuesIn(file string) config.Given {
	return config.Given{File: file, Origin: "--var-file " + file}
}

// TestValuesOfVariables: the model says what the variables of the root module have, wherever that comes from.
func TestValuesOfVariables(t *testing.T) {
	tree := fstest.MapFS{
		"main.hcl": {Data: []byte(reachOnly + `
variable "size" {
  type    = number
  default = 3
}
variable "password" {
  sensitive = true
}
module "edge" {
  source = "./edge"
  inner  = "not of the root"
}
locals {
  twice = var.size * 2
}
`)},
		"edge/main.hcl": {Data: []byte("variable \"inner\" {}\n")},
	}
	values := func(given ...config.Given) string {
		t.Helper()
		cfg, diags := config.Load(schema.New(), tree, ".", config.DefaultLimits())
		diags.Append(config.LoadValues(cfg, given, config.DefaultLimits())...)
		m, _, more := resolve.Resolve(cfg, nil)
		if diags.Append(more...); m == nil {
			t.Fatal(diags)
		}
		text, err := m.Values()
		if err != nil {
			t.Fatal(err)
		}
		return text.Reveal()
	}
	usual := values(written("password", "hunter2"), environment("other", "of another configuration"))
	if usual != `{"password":"hunter2","size":3}` {
		t.Errorf("the values are %s", usual)
	}
	if again := values(environment("password", "hunter2"), written("size", "3.0")); again != usual {
		t.Errorf("the same ones given in another way are %s", again)
	}
}

func TestPrecedenceOfValues(t *testing.T) {
	const hcl = "variable \"v\" {\n  default = \"default\"\n}\nnetwork \"web\" {\n  description = var.v\n}\n"
	files := map[string]string{
		"clouds/prod/kupenstack.hclvars":   `v = "kupenstack"`,
		"clouds/prod/b.auto.hclvars":       `v = "b"`,
		"clouds/prod/a.auto.hclvars":       `v = "a"`,
		"clouds/prod/prod.hclvars":         `v = "prod"`,
		"clouds/common.hclvars":            `v = "common"`,
		"clouds/prod/sub/x.auto.hclvars":   `v = "not read: another directory"`,
		"clouds/prod/.hidden.auto.hclvars": `v = "not read: hidden"`,
	}
	without := func(names ...string) map[string]string {
		left := map[string]string{}
		for name, text := range files {
			left[name] = text
		}
		for _, name := range names {
			delete(left, "clouds/prod/"+name)
		}
		return left
	}
	for _, test := range []struct {
		files map[string]string
		given []config.Given
		want  string
	}{
		{nil, nil, "default"},
		{nil, []config.Given{environment("v", "env")}, "env"},
		{without("b.auto.hclvars", "a.auto.hclvars"), []config.Given{environment("v", "env")}, "kupenstack"},
		{without("b.auto.hclvars"), nil, "a"},
		{files, nil, "b"},
		{files, []config.Given{valuesIn("prod.hclvars"), environment("v", "env")}, "prod"},
		{files, []config.Given{valuesIn("prod.hclvars"), written("v", "flag")}, "flag"},
		{files, []config.Given{written("v", "flag"), valuesIn("prod.hclvars")}, "prod"},
		{files, []config.Given{written("v", "one"), written("v", "two")}, "two"},
		{files, []config.Given{valuesIn("../common.hclvars")}, "common"},
	} {
		got, diags, _ := given(t, hcl, test.files, test.given...)
		if got != test.want || len(diags) > 0 {
			t.Errorf("%v: %q, want %q; %v", test.given, got, test.want, diags)
		}
	}
}

func TestValuesAsText(t *testing.T) {
	for _, test := range []struct{ kind, text, as, want string }{
		{"", `["a"]`, "var.v", `["a"]`}, // without a type it is text
		{"type = string", `"quoted"`, "var.v", `"quoted"`},
		{"type = number", "1000000", "tostring(var.v + 1)", "1000001"},
		{"type = bool", "true", `var.v ? "yes" : "no"`, "yes"},
		{"type = list(string)", `["a", "b"]`, `join("-", var.v)`, "a-b"},
		{"type = map(number)", `{ a = 1 }`, `tostring(var.v.a)`, "1"},
		{"type = object({ a = optional(string, \"x\") })", `{}`, `var.v.a`, "x"},
		{"type = any", `{ a = "b" }`, "var.v.a", "b"},
		{"type = list(number)", `[for i in [1, 2] : i * 2]`, `tostring(var.v[1])`, "4"},
	} {
		hcl := "variable \"v\" {\n  " + test.kind + "\n}\nnetwork \"web\" {\n  description = " + test.as + "\n}\n"
		got, diags, _ := given(t, hcl, nil, written("v", test.text))
		if got != test.want || len(diags) > 0 {
			t.Errorf("%s, %s: %q, want %q; %v", test.kind, test.text, got, test.want, diags)
		}
	}
}

func TestMistakesInValues(t *testing.T) {
	const plain = "variable \"v\" {\n  type = list(string)\n}\nnetwork \"web\" {}\n"
	const hidden = "variable \"v\" {\n  type = list(string)\n  sensitive = true\n}\nnetwork \"web\" {}\n"
	const number = "variable \"v\" {\n  type = number\n  validation {\n    condition = var.v < 5\n    error_message = \"at most five\"\n  }\n}\nnetwork \"web\" {}\n"
	const auto = "clouds/prod/x.auto.hclvars"
	for name, test := range map[string]struct {
		hcl     string
		files   map[string]string
		given   []config.Given
		want    []string // parts of what is printed
		without string
		count   int
	}{
		"not a list":                     {plain, nil, []config.Given{written("v", "a")}, []string{"--var v gives a text", "refers to nothing", "main.hcl:6"}, "", 1},
		"syntax":                         {plain, nil, []config.Given{written("v", "[")}, []string{"--var v gives a text"}, "", 1},
		"deep":                           {plain, nil, []config.Given{written("v", strings.Repeat("[", 100_000))}, []string{"there can be at most 64"}, "", 1},
		"function":                       {plain, nil, []config.Given{written("v", `[upper("a")]`)}, []string{"--var v gives a text"}, "", 1},
		"secret text":                    {hidden, nil, []config.Given{written("v", "[hunter2")}, []string{"--var v gives a text"}, "hunter2", 1},
		"secret expression":              {hidden, nil, []config.Given{environment("v", "hunter2")}, []string{"KUPENSTACK_VAR_v gives a text"}, "hunter2", 1},
		"wrong type":                     {number, nil, []config.Given{written("v", "many")}, []string{"a number is required", "the value is given by --var v"}, "", 1},
		"rule":                           {number, nil, []config.Given{written("v", "7")}, []string{"at most five", "the value is given by --var v"}, "", 1},
		"rule, in a file":                {number, map[string]string{auto: "v = 7"}, nil, []string{"x.auto.hclvars:1:5", "the rule is at clouds/prod/main.hcl:9"}, "", 1},
		"wrong type in a file":           {number, map[string]string{auto: "\nv = \"many\""}, nil, []string{"x.auto.hclvars:2:5", "a number is required"}, "", 1},
		"secret of wrong type in a file": {hidden, map[string]string{auto: "v = { a = \"hunter2\" }"}, nil, []string{"x.auto.hclvars:1"}, "hunter2", 1},
		"secret without quotes":          {hidden, map[string]string{auto: "v = hunter2"}, nil, []string{"x.auto.hclvars:1", "text is written in quotes"}, "hunter2", 1},
		"secret without end":             {hidden, map[string]string{auto: "v = \"hunter2"}, nil, []string{"x.auto.hclvars:1"}, "hunter2", 1},
		"without quotes":                 {plain, map[string]string{auto: "v = [some]"}, nil, []string{"x.auto.hclvars:1:6", `text is written in quotes: "some"`}, "", 1},
		"function in a file":             {plain, map[string]string{auto: "v = [upper(\"a\")]"}, nil, []string{"x.auto.hclvars:1", "without functions"}, "", 1},
		"block in a file":                {plain, map[string]string{auto: "v = []\nw {\n}"}, nil, []string{"x.auto.hclvars:2", "to give a map or an object"}, "", 1},
		"broken file":                    {plain, map[string]string{auto: "v = ["}, nil, []string{"x.auto.hclvars:1"}, "", 1},
		"bytes":                          {plain, map[string]string{auto: "v = \"\xff\""}, nil, []string{"not a text file"}, "", 1},
		"large file":                     {plain, map[string]string{auto: strings.Repeat("#", 256<<10+1)}, nil, []string{"262145 bytes"}, "", 1},
		"JSON":                           {plain, map[string]string{auto + ".json": `{"v": []}`}, []config.Given{written("v", "[]")}, []string{"x.auto.hclvars.json", "only HCL's native syntax is read"}, "", 1},
		"JSON, by a flag":                {plain, map[string]string{"clouds/prod/prod.json": `{"v": []}`}, []config.Given{valuesIn("prod.json")}, []string{"prod.json", "only HCL's native syntax is read"}, "", 1},
		"no such file":                   {plain, map[string]string{"clouds/prod/prod.hclvars": "v = []"}, []config.Given{valuesIn("prd.hclvars")}, []string{"--var-file prd.hclvars", `did you mean "prod.hclvars"?`}, "", 1},
		"file outside":                   {plain, nil, []config.Given{valuesIn("../../../x.hclvars")}, []string{"leads out of the repository"}, "", 1},
		"absolute":                       {plain, nil, []config.Given{valuesIn("/etc/x.hclvars")}, []string{"begins at the top of a file system"}, "", 1},
		"unknown, by a flag":             {plain, nil, []config.Given{written("v", "[]"), written("w", "hunter2")}, []string{"error[resolve.variable]", "--var w gives a value"}, "hunter2", 1},
		"many values":                    {plain, map[string]string{auto: "a = 1\n" + manyValues()}, []config.Given{written("v", "[]")}, []string{"at most 10000 values"}, "", 51},
		"no value":                       {plain, nil, nil, []string{"variable without value"}, "", 1},
		"huge":                           {plain, nil, []config.Given{written("v", `[for a in [1,2,3,4,5,6,7,8,9,0] : [for b in [1,2,3,4,5,6,7,8,9,0] : [for c in [1,2,3,4,5,6,7,8,9,0] : [for d in [1,2,3,4,5,6,7,8,9,0] : [for e in [1,2,3,4,5,6,7,8,9,0] : [for f in [1,2,3,4,5,6,7,8,9,0] : 1]]]]]]`)}, []string{"--var v gives a text"}, "", 1},
	} {
		_, diags, printed := given(t, test.hcl, test.files, test.given...)
		if len(diags) != test.count || !diags.HasErrors() {
			t.Errorf("%s: %d diagnostics:\n%s", name, len(diags), printed)
		}
		for _, part := range test.want {
			if !strings.Contains(printed, part) {
				t.Errorf("%s: want %q in\n%s", name, part, printed)
			}
		}
		if test.without != "" && strings.Contains(printed, test.without) {
			t.Errorf("%s: a secret is shown:\n%s", name, printed)
		}
	}
}

// manyValues is a file with one value too many.
func manyValues() string {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "b%d = 1\n", i)
	}
	return b.String()
}

func TestStrayValues(t *testing.T) {
	const hcl = "variable \"size\" {\n  default = \"x\"\n}\nnetwork \"web\" {\n  description = var.size\n}\n"
	got, diags, printed := given(t, hcl, map[string]string{"clouds/prod/kupenstack.hclvars": "siez = \"hunter2\""}, environment("other", "1"))
	if got != "x" || len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(printed, `did you mean "size"?`) || !strings.Contains(printed, "kupenstack.hclvars:1:1") || strings.Contains(printed, "hunter2") {
		t.Errorf("%q, %s", got, printed)
	}
}
