package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func TestStatementsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(reachOnly)
	for i := range 1001 {
		fmt.Fprintf(&text, "moved {\n  from = network.a%d\n  to = network.a%d\n}\n", i, i+1)
		fmt.Fprintf(&text, "removed {\n  from = module.m%d%s\n}\n", i, strings.Repeat(".module.x", 5))
	}
	_, _, diags := resolveText(t, text.String(), nil)
	if len(diags) != 2 {
		t.Errorf("%d mistakes, want one for each kind: %v", len(diags), diags)
	}
	for _, d := range diags {
		if d.Code != "resolve.too-large" {
			t.Errorf("got %v", d)
		}
	}
}

func TestStatements(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
locals {
  ids = { x = "id-x", y = "id-y" }
}
network "b" {}
network "set" {
  for_each = toset(["x", "y"])
  name     = each.key
}
network "one" {
  for_each = toset(["k"])
  name     = each.key
}
network "none" {
  for_each = {}
  name     = each.key
}
network "taken" {}
network "core" {}

moved {
  from = network.a
  to   = network.b
}
moved {
  from = network.before_a
  to   = network.a
}
moved {
  from = network.list
  to   = network.set
}
moved {
  from = network.one
  to   = network.one["k"]
}
moved {
  from = network.set["old"]
  to   = network.set["x"]
}
moved {
  from = network.nothing
  to   = network.none
}
moved {
  from = module.edge["fra"].network.core
  to   = network.core
}
moved {
  from = network.passing
  to   = network.gone
}
removed {
  from = network.gone
  lifecycle {
    destroy = length(local.ids) > 5
  }
}
removed {
  from = service.heat
}
removed {
  from = module.old["x"].module.inner
}
removed {
  from = network.set["z"]
}
import {
  to = network.taken
  id = "id-taken"
}
import {
  for_each = local.ids
  to       = network.set[each.key]
  id       = each.value
}
`, nil)
	var moves, imports, removals []string
	for _, move := range m.Moves {
		moves = append(moves, fmt.Sprintf("%s -> %s", move.From, move.To))
	}
	for _, i := range m.Imports {
		imports = append(imports, fmt.Sprintf("%s = %s", i.To, i.ID))
	}
	for _, r := range m.Removals {
		removals = append(removals, fmt.Sprintf("%s %t", r.From, r.Destroy))
		if r.Range.File != "main.hcl" || r.Range.Start.Line == 0 {
			t.Errorf("%s is said to be removed at %v", r.From, r.Range)
		}
	}
	for _, test := range []struct {
		what      string
		got, want []string
	}{
		{"moves", moves, []string{
			"network.a -> network.b", "network.before_a -> network.a", "network.list -> network.set", "network.nothing -> network.none",
			`network.one -> network.one["k"]`, "network.passing -> network.gone", `network.set["old"] -> network.set["x"]`,
			`module.edge["fra"].network.core -> network.core`,
		}},
		{"imports", imports, []string{`network.set["x"] = id-x`, `network.set["y"] = id-y`, "network.taken = id-taken"}},
		{"removals", removals, []string{"network.gone false", `network.set["z"] true`, "service.heat true", `module.old["x"].module.inner true`}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: got %q", test.what, test.got)
		}
	}
}

// What modules say of their own objects holds for every instance of them.
func TestStatementsInModules(t *testing.T) {
	m, _ := mustResolveTree(t, tree(
		"main.hcl", `
module "site" {
  source   = "./m"
  for_each = toset(["ber", "fra"])
  name     = each.key
}
module "one" {
  source = "./m"
  name   = "one"
}
network "web" {}

moved {
  from = network.a
  to   = module.one.network.m
}
moved {
  from = module.old.network.x
  to   = network.web
}
moved {
  from = module.lonely
  to   = module.site["fra"]
}
moved {
  from = module.sites
  to   = module.site
}
import {
  for_each = { ber = "id-ber" }
  to       = module.one.module.inner.network.all[each.key]
  id       = each.value
}
removed {
  from = module.site["muc"]
}
removed {
  from = module.gone.network.x
}
`, "m/m.hcl", `
variable "name" {}
network "n" {
  name = var.name
}
moved {
  from = network.m
  to   = network.n
}
moved {
  from = network.moved
  to   = module.inner.network.all["ber"]
}
removed {
  from = subnet.s
  lifecycle {
    destroy = var.name == "fra"
  }
}
module "inner" {
  source = "./inner"
}
`, "m/inner/inner.hcl", `
network "all" {
  for_each = toset(["ber"])
  name     = each.key
}
removed {
  from = module.deep
}
`))
	var got []string
	for _, move := range m.Moves {
		got = append(got, fmt.Sprintf("%s -> %s", move.From, move.To))
	}
	for _, i := range m.Imports {
		got = append(got, fmt.Sprintf("%s = %s", i.To, i.ID))
	}
	for _, r := range m.Removals {
		got = append(got, fmt.Sprintf("%s %t", r.From, r.Destroy))
	}
	want := []string{
		"network.a -> module.one.network.m",
		"module.lonely -> module.site[\"fra\"]",
		"module.old.network.x -> network.web",
		"module.one.network.m -> module.one.network.n",
		`module.one.network.moved -> module.one.module.inner.network.all["ber"]`,
		`module.site["ber"].network.m -> module.site["ber"].network.n`,
		`module.site["ber"].network.moved -> module.site["ber"].module.inner.network.all["ber"]`,
		`module.site["fra"].network.m -> module.site["fra"].network.n`,
		`module.site["fra"].network.moved -> module.site["fra"].module.inner.network.all["ber"]`,
		"module.sites -> module.site",
		`module.one.module.inner.network.all["ber"] = id-ber`,
		"module.gone.network.x true",
		"module.one.subnet.s false",
		"module.one.module.inner.module.deep true",
		`module.site["ber"].subnet.s false`,
		`module.site["ber"].module.inner.module.deep true`,
		`module.site["fra"].subnet.s true`,
		`module.site["fra"].module.inner.module.deep true`,
		`module.site["muc"] true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestImportsAreBounded(t *testing.T) {
	slow.Test(t)
	_, _, diags := resolveText(t, reachOnly+`
network "n" {
  for_each = { for i in range(1000) : i => i }
  name     = each.key
}
`+strings.Repeat(`
import {
  for_each = { for i in range(1000) : i => "id-${i}" }
  to       = network.n[each.key]
  id       = each.value
}
`, 21), nil)
	large := false
	for _, d := range diags {
		large = large || d.Code == "resolve.too-large"
	}
	if !large {
		t.Errorf("got %v", diags)
	}
}

// A module's suspended blocks count for each of its instances, and that of the cloud for everything.
func TestSuspended(t *testing.T) {
	tree := fstest.MapFS{
		"main.hcl": {Data: []byte(`cloud "test" {
  openstack {
    cloud = "test"
  }
}
network "a" {}
module "edge" {
  source   = "./edge"
  for_each = toset(["x", "y"])
}
suspended {
  target = network.a
  reason = "of ${upper("this")}"
  until  = "2026-12-24T09:00:00+01:00"
}
suspended {
  target = cloud.test
}
`)},
		"edge/main.hcl": {Data: []byte("network \"b\" {\n  name = \"b\"\n}\nsuspended {\n  target = network.b\n}\n")},
	}
	cfg, diags := config.Load(schema.New(), tree, ".", config.DefaultLimits())
	m, _, more := resolve.Resolve(cfg, nil)
	if diags.Append(more...); len(diags) > 0 {
		t.Fatal(diags)
	}
	var got []string
	for i := range m.Suspensions {
		s := &m.Suspensions[i]
		got = append(got, fmt.Sprintf("%s %s at %s:%d", s.Name(), s, s.Range.File, s.Range.Start.Line))
	}
	want := []string{
		"the whole cloud suspended by the configuration at main.hcl:16",
		"network.a suspended until 2026-12-24T08:00:00Z by the configuration: of THIS at main.hcl:11",
		`module.edge["x"].network.b suspended by the configuration at edge/main.hcl:4`,
		`module.edge["y"].network.b suspended by the configuration at edge/main.hcl:4`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
