package resolve_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const pools = reachOnly + `
locals {
  sites = { ber = "a", fra = "b" }
}
profile "gpu" {}
node "worker" {
  for_each = { for site, row in local.sites : site => { row = row, gpu = site == "fra" } }
  name     = "worker-${each.key}.${each.value.row}.example.org"
  roles    = ["compute"]
  profile  = each.value.gpu ? profile.gpu : null
}
node "gateway" {
  for_each = toset(["x", "off"])
  name     = each.value
  roles    = ["network"]
  disabled = each.key == "off"
}
node "spare" {
  for_each = {}
  name     = each.key
}
node "single" {
  name = null
}
`

func TestNodesWithForEach(t *testing.T) {
	m, e := mustResolve(t, pools, nil)
	var got []string
	for _, n := range m.Nodes {
		got = append(got, fmt.Sprintf("%s %s %v %q", n.Address, n.Name, n.Roles, n.Profile))
	}
	want := []string{
		`node.gateway["off"] off [network] ""`, `node.gateway["x"] x [network] ""`, `node.single single [] ""`,
		`node.worker["ber"] worker-ber.a.example.org [compute] ""`, `node.worker["fra"] worker-fra.b.example.org [compute] "gpu"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if written := e.Written(object(`node.worker["fra"]`)); !written["name"].RawEquals(cty.StringVal("worker-fra.b.example.org")) {
		t.Errorf("written: %#v", written)
	}
	if written := e.Written(object(`node.gateway["x"]`)); !written["name"].RawEquals(cty.StringVal("x")) {
		t.Errorf("written: %#v", written)
	}
	if e.Origin(object(`node.worker["fra"]`)) == nil || e.Origin(object("node.worker")) != nil {
		t.Error("only the nodes of a block have an origin")
	}
}

// What waits for a block with for_each waits for everything that it stands for.
func TestDependsOnAllOfABlock(t *testing.T) {
	m, _ := mustResolveTree(t, tree("nodes.hcl", pools[len(reachOnly):], "main.hcl", `
network "all" {
  for_each = toset(["a", "b"])
  name     = each.key
}
data "network" "public" {
  for_each = toset(["p", "q"])
  name     = each.key
}
module "site" {
  source   = "./m"
  for_each = toset(["x", "y"])
  name     = each.key
}
project "pool" {
  depends_on = [node.worker, node.single, node.spare]
}
project "one" {
  depends_on = [node.worker["fra"], network.all["a"]]
}
project "blocks" {
  depends_on = [network.all, data.network.public]
}
project "modules" {
  depends_on = [module.site]
}
project "output" {
  description = module.site["x"].text
}
data "project" "late" {
  name       = "late"
  depends_on = [node.gateway]
}
`, "m/m.hcl", `
variable "name" {}
project "n" {
  name       = var.name
  depends_on = [node.gateway]
}
output "text" {
  value      = "text"
  depends_on = [project.n, node.gateway]
}
`))
	checkEdges(t, m, map[string][]string{
		"project.pool":               {`node.single`, `node.worker["ber"]`, `node.worker["fra"]`},
		"project.one":                {`network.all["a"]`, `node.worker["fra"]`},
		"project.blocks":             {`network.all["a"]`, `network.all["b"]`, `data.network.public["p"]`, `data.network.public["q"]`},
		"project.modules":            {`module.site["x"].project.n`, `module.site["y"].project.n`},
		"project.output":             {`node.gateway["x"]`, `module.site["x"].project.n`},
		"data.project.late":          {`node.gateway["x"]`},
		`module.site["x"].project.n`: {`node.gateway["x"]`},
	})
}

// ids are outputs with nothing but the id of one object.
func ids(address, id string) map[addr.Object]cty.Value {
	return map[addr.Object]cty.Value{object(address): cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})}
}

func TestLookupsWithForEach(t *testing.T) {
	m, e := mustResolve(t, reachOnly+`
data "network" "public" {
  for_each = { north = "net-n", south = "net-s" }
  name     = each.value
}
subnet "one" {
  network = data.network.public["north"].id
  cidr    = "10.0.0.0/24"
}
subnet "each" {
  for_each = data.network.public
  name     = each.key
  network  = each.value
  cidr     = "10.0.0.0/24"
}
`, nil)
	checkEdges(t, m, map[string][]string{"subnet.one": {`data.network.public["north"]`}})
	south := m.Resource(object(`data.network.public["south"]`))
	if south == nil || !south.Desired.GetAttr("name").RawEquals(cty.StringVal("net-s")) {
		t.Errorf("got %+v", south)
	}
	late, diags := e.Desired(object("subnet.one"), ids(`data.network.public["north"]`, "n-1"))
	if len(diags) > 0 || !late.GetAttr("network").RawEquals(cty.StringVal("n-1")) {
		t.Errorf("%#v, %v", late, diags)
	}
	late, diags = e.Desired(object(`subnet.each["south"]`), ids(`data.network.public["south"]`, "n-2"))
	if len(diags) > 0 || !late.GetAttr("network").RawEquals(cty.StringVal("n-2")) {
		t.Errorf("%#v, %v", late, diags)
	}
}

func TestMovesOfNodes(t *testing.T) {
	m, _ := mustResolve(t, pools+`
moved {
  from = node.worker-ber
  to   = node.worker["ber"]
}
moved {
  from = node.old
  to   = node.single
}
removed {
  from = node.worker["muc"]
  lifecycle {
    destroy = false
  }
}
`, nil)
	var got []string
	for _, move := range m.Moves {
		got = append(got, fmt.Sprintf("%s -> %s", move.From, move.To))
	}
	for _, r := range m.Removals {
		got = append(got, fmt.Sprintf("%s %t", r.From, r.Destroy))
	}
	if want := []string{"node.old -> node.single", `node.worker-ber -> node.worker["ber"]`, `node.worker["muc"] false`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
