package explain_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func resolveText(tb testing.TB, text string) (*model.Model, *resolve.Evaluator, diag.Diagnostics) {
	tb.Helper()
	text = "cloud \"demo\" {\n  openstack {\n    cloud = \"demo\"\n  }\n}\n" + text
	cfg, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(text)}}, ".", config.DefaultLimits())
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	return resolve.Resolve(cfg, nil)
}

// Whoever does what is said about a sensitive for_each does not show what it holds.
func TestFollowingTheHintShowsNothing(t *testing.T) {
	rules := func(given string) string {
		return given + `
security_group "web" {
  dynamic "rule" {
    for_each = HERE
    content {
      direction   = "ingress"
      description = rule.value
    }
  }
}
`
	}
	projects := func(given string) string {
		return given + "project \"web\" {\n  for_each    = HERE\n  name        = each.key\n  description = each.value\n}\n"
	}
	variable := func(kind, value string) string {
		return "variable \"v\" {\n  type = " + kind + "\n  default = " + value + "\n  sensitive = true\n}\n"
	}
	local := func(value string) string { return "locals {\n  v = " + value + "\n}\n" }
	for name, c := range map[string]struct{ text, collection, object string }{
		"rules of a list":              {rules(variable("list(string)", `["canary-a", "canary-b"]`)), "var.v", "security_group.web"},
		"rules of a set":               {rules(variable("set(string)", `["canary-a", "canary-b"]`)), "var.v", "security_group.web"},
		"rules of a map":               {rules(variable("map(string)", `{ a = "canary-a" }`)), "var.v", "security_group.web"},
		"rules of an expression":       {rules(variable("list(string)", `["canary-a"]`)), `concat(var.v, ["canary-b"])`, "security_group.web"},
		"rules of a tuple":             {rules(local(`sensitive(["canary-a"])`)), "local.v", "security_group.web"},
		"rules of elements made so":    {rules(local(`sensitive([sensitive("canary-a")])`)), "local.v", "security_group.web"},
		"projects of a map":            {projects(variable("map(string)", `{ a = "canary-a", b = "canary-b" }`)), "var.v", "project.web"},
		"projects of an object":        {projects(local(`sensitive({ a = "canary-a" })`)), "local.v", "project.web"},
		"projects of an expression":    {projects(variable("map(string)", `{ a = "canary-a" }`)), `merge(var.v, { b = "canary-b" })`, "project.web"},
		"projects of elements made so": {projects(local(`sensitive({ a = sensitive("canary-a") })`)), "local.v", "project.web"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveText(t, strings.Replace(c.text, "HERE", c.collection, 1))
			if len(diags) != 1 || diags[0].Summary != "sensitive for_each" {
				t.Fatalf("told: %v", diags)
			}
			followed := follow(t, diags[0].Hint, c.collection)
			m, e, diags := resolveText(t, strings.Replace(c.text, "HERE", followed, 1))
			if len(diags) > 0 {
				t.Fatalf("%s leads to: %v", followed, diags)
			}
			answers, err := explain.Explain(m, e, c.object, "")
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := explain.Text(&got, answers); err != nil {
				t.Fatal(err)
			}
			document, err := json.Marshal(answers)
			if err != nil {
				t.Fatal(err)
			}
			if text := got.String() + string(document); strings.Contains(text, "canary") || !strings.Contains(text, "(sensitive)") {
				t.Errorf("%s shows:\n%s", followed, text)
			}
		})
	}
}

// follow is the for_each that a hint asks for.
func follow(t *testing.T, hint, collection string) string {
	t.Helper()
	if strings.HasPrefix(hint, "use nonsensitive() around the collection") {
		return "nonsensitive(" + collection + ")"
	}
	found := regexp.MustCompile(`write: for_each = (.*?)(, with the collection for x)?; its`).FindStringSubmatch(hint)
	if found == nil {
		t.Fatalf("nothing to follow: %s", hint)
	}
	if found[2] == "" {
		return found[1]
	}
	return regexp.MustCompile(`\bx\b`).ReplaceAllLiteralString(found[1], "("+collection+")")
}
