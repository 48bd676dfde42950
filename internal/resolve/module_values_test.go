package resolve_test

import (
	"sync"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What is unknown at load goes down through inputs and for_each, up through outputs, and is there at
// the second stage, with an edge to where it comes from.
func TestUnknownValuesThroughModules(t *testing.T) {
	files := tree(
		"main.hcl", `
project "dev" {}
module "site" {
  source   = "./site"
  for_each = { a = project.dev.id, b = "fixed" }
  key      = each.key
  owner    = each.value
}
network "after" {
  description = "${module.site["a"].text}/${module.site["b"].text}"
}
network "each" {
  for_each    = { a = module.site["a"].text }
  name        = each.key
  description = each.value
}
`, "site/site.hcl", `
variable "key" {}
variable "owner" {
  type = string
  validation {
    condition     = length(var.owner) < 10
    error_message = "too long"
  }
  validation {
    condition     = var.owner != var.key
    error_message = "the owner of ${var.key} has its name"
  }
}
locals {
  both = "${var.key}:${var.owner}"
}
network "n" {
  name        = var.key
  description = local.both
}
output "text" {
  value = network.n.description
}
`)
	m, e := mustResolveTree(t, files)
	checkEdges(t, m, map[string][]string{
		`module.site["a"].network.n`: {"project.dev"},
		`module.site["b"].network.n`: nil,
		"network.after":              {`module.site["a"].network.n`, `module.site["b"].network.n`},
		`network.each["a"]`:          {`module.site["a"].network.n`},
	})
	if got := m.Resource(object(`module.site["b"].network.n`)).Desired.GetAttr("description"); !got.RawEquals(cty.StringVal("b:fixed")) {
		t.Errorf("what is known is %#v at load", got)
	}
	known := func(id, description string) map[addr.Object]cty.Value {
		return map[addr.Object]cty.Value{
			object("project.dev"):                cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)}),
			object(`module.site["a"].network.n`): cty.ObjectVal(map[string]cty.Value{"description": cty.StringVal(description)}),
		}
	}
	check := func(address, want string) {
		t.Helper()
		v, diags := e.Desired(object(address), known("p1", "a:p1"))
		if len(diags) > 0 || !v.GetAttr("description").RawEquals(cty.StringVal(want)) {
			t.Errorf("%s: %#v, %v; want %q", address, v.GetAttr("description"), diags, want)
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			check(`module.site["a"].network.n`, "a:p1")
			check("network.after", "a:p1/b:fixed")
			check(`network.each["a"]`, "a:p1")
		})
	}
	group.Wait()
	// The rule of a variable holds for values that are known only now, too.
	_, diags := e.Desired(object(`module.site["a"].network.n`), known("much longer than ten", ""))
	if len(diags) != 1 || diags[0].Detail != "too long" || diags[0].Subject.File != "main.hcl" {
		t.Errorf("a late value against a rule: %+v", diags)
	}
	_, diags = e.Desired(object(`module.site["a"].network.n`), known("a", ""))
	if len(diags) != 1 || diags[0].Detail != "the owner of a has its name" {
		t.Errorf("a late value against a rule that compares it with another one: %+v", diags)
	}
	for _, r := range m.Resources {
		if late, _ := e.Desired(r.Address, nil); !late.RawEquals(r.Desired) {
			t.Errorf("%s without outputs: %#v, want %#v", r.Address, late, r.Desired)
		}
	}
}

func TestSensitiveValuesThroughModules(t *testing.T) {
	m, _ := mustResolveTree(t, tree(
		"main.hcl", `
variable "secret" {
  default   = "s3cret"
  sensitive = true
}
module "m" {
  source = "./m"
  given  = var.secret
  plain  = "p"
}
network "through" {
  description = module.m.through
}
network "declared" {
  description = module.m.declared
}
network "inner" {
  description = module.m.inner
}
network "plain" {
  description = module.m.plain
}
`, "m/m.hcl", `
variable "given" {
  type = string
}
variable "plain" {
  type = string
}
variable "inside" {
  default   = "i"
  sensitive = true
}
output "through" {
  value = "<${var.given}>"
}
output "declared" {
  value     = var.plain
  sensitive = true
}
output "inner" {
  value = var.inside
}
output "plain" {
  value = var.plain
}
`))
	for name, want := range map[string]bool{"through": true, "declared": true, "inner": true, "plain": false} {
		v := m.Resource(object("network." + name)).Desired.GetAttr("description")
		if got := v.HasMark(model.Sensitive); got != want {
			t.Errorf("%s is sensitive: %v, want %v", name, got, want)
		}
	}
}

// A module may lie beside the configuration, anywhere in the repository.
func TestInputsFollowTheirVariables(t *testing.T) {
	files := fstest.MapFS{
		"clouds/prod/cloud.hcl": {Data: []byte(reachOnly + `
module "m" {
  source = "../../m"
  size   = "3"
  shape  = { a = "x" }
}
network "n" {
  description = module.m.text
}
`)},
		"clouds/other/cloud.hcl": {Data: []byte("not looked at")},
		"m/m.hcl": {Data: []byte(`
variable "size" {
  type = number
}
variable "shape" {
  type = object({ a = string, b = optional(string, "default") })
}
variable "other" {
  default = "o"
}
output "text" {
  value = jsonencode([var.size, var.shape, var.other])
}
`)},
	}
	cfg, diags := config.Load(schema.New(), files, "clouds/prod", config.DefaultLimits())
	m, _, more := resolve.Resolve(cfg, nil)
	if diags = append(diags, more...); len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := m.Resource(object("network.n")).Desired.GetAttr("description").AsString(); got != `[3,{"a":"x","b":"default"},"o"]` {
		t.Errorf("inputs are %s", got)
	}
}
