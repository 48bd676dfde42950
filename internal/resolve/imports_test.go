package resolve_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestImportsIntoEachModule(t *testing.T) {
	m, _ := mustResolveTree(t, tree("main.hcl", `
locals {
  ids = { ber = "id-ber", fra = "id-fra" }
}
module "q" {
  source   = "./m"
  for_each = local.ids
  name     = each.key
}
import {
  for_each = local.ids
  to       = module.q[each.key].network.n["a"]
  id       = each.value
}
import {
  for_each = local.ids
  to       = module.q[each.key].module.inner["x"].network.deep[upper(each.key)]
  id       = "deep-${each.value}"
}
import {
  for_each = local.ids
  to       = module.q["ber"].module.inner[each.key == "ber" ? "x" : "y"].network.plain
  id       = "plain-${each.value}"
}
`, "m/m.hcl", `
variable "name" {}
network "n" {
  for_each = toset(["a"])
  name     = "${var.name}-${each.key}"
}
module "inner" {
  source   = "./inner"
  for_each = toset(["x", "y"])
  name     = var.name
  key      = each.key
}
`, "m/inner/inner.hcl", `
variable "name" {}
variable "key" {}
network "deep" {
  for_each = toset([upper(var.name)])
  name     = "${var.name}-${var.key}-${each.key}"
}
network "plain" {
  name = "${var.name}-${var.key}"
}
`))
	var got []string
	for _, i := range m.Imports {
		got = append(got, fmt.Sprintf("%s = %s", i.To, i.ID))
	}
	want := []string{
		`module.q["ber"].network.n["a"] = id-ber`,
		`module.q["ber"].module.inner["x"].network.deep["BER"] = deep-id-ber`,
		`module.q["ber"].module.inner["x"].network.plain = plain-id-ber`,
		`module.q["ber"].module.inner["y"].network.plain = plain-id-fra`,
		`module.q["fra"].network.n["a"] = id-fra`,
		`module.q["fra"].module.inner["x"].network.deep["FRA"] = deep-id-fra`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestImportsByFilter(t *testing.T) {
	m, _, diags := resolveText(t, reachOnly+`
network "n" {
  for_each = toset(["a", "b"])
  name     = each.key
}
import {
  for_each = { a = true, b = null }
  to       = network.n[each.key]
  filter   = { name = "office-${each.key}", external = each.value }
}
`, nil)
	if len(diags) > 0 || len(m.Imports) != 2 {
		t.Fatalf("got %v, %v", m.Imports, diags)
	}
	for i, want := range []struct {
		to, name string
		external cty.Value
	}{{`network.n["a"]`, "office-a", cty.True}, {`network.n["b"]`, "office-b", cty.NullVal(cty.Bool)}} {
		got := m.Imports[i]
		if got.To.String() != want.to || got.ID != "" || !got.Filter.GetAttr("name").RawEquals(cty.StringVal(want.name)) || !got.Filter.GetAttr("external").RawEquals(want.external) {
			t.Errorf("got %+v", got)
		}
		if !got.Filter.GetAttr("project").IsNull() || got.Filter.Type().HasAttribute("id") {
			t.Errorf("the filter is %#v", got.Filter)
		}
	}
}
