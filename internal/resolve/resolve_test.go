package resolve_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const reachOnly = "cloud \"test\" {\n  openstack {\n    cloud = \"test\"\n  }\n}\n"

func resolveText(tb testing.TB, text string, variables map[string]cty.Value) (*model.Model, *resolve.Evaluator, diag.Diagnostics) {
	tb.Helper()
	cfg, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(text)}}, ".", config.DefaultLimits())
	if len(diags) > 0 {
		tb.Fatalf("load: %v", diags)
	}
	return resolve.Resolve(cfg, variables)
}

func mustResolve(tb testing.TB, text string, variables map[string]cty.Value) (*model.Model, *resolve.Evaluator) {
	tb.Helper()
	m, e, diags := resolveText(tb, text, variables)
	if len(diags) > 0 {
		tb.Fatalf("resolve: %v", diags)
	}
	return m, e
}

func edges(r *model.Resource) []string {
	var to []string
	for _, e := range r.Edges {
		to = append(to, e.To.String())
	}
	return to
}

func object(s string) addr.Object { return addr.MustParseObject(s) }

func TestEdgesAreAsNarrowAsPossible(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
locals {
  shared = network.web["a"].id
  deeper = "x-${local.shared}"
  names  = ["a", "b"]
}
network "web" {
  for_each = toset(local.names)
  name     = each.key
}
subnet "same_key" {
  for_each = toset(local.names)
  name     = each.key
  network  = network.web[each.key]
  cidr     = "10.0.0.0/24"
}
subnet "literal" {
  network = network.web["b"].id
  cidr    = "10.1.0.0/24"
}
subnet "by_local" {
  network = local.shared
  cidr    = "10.2.0.0/24"
  description = local.deeper
}
subnet "all" {
  network = [for n in network.web : n.id][0]
  cidr    = "10.0.0.0/24"
}
subnet "waits" {
  network    = "0b8ce3a8-0c2c-4a0e-9c3e-0b0d2c3f4a5b"
  cidr       = "10.0.0.0/24"
  depends_on = [network.web]
}
`, nil)
	for address, want := range map[string][]string{
		`subnet.same_key["a"]`: {`network.web["a"]`},
		`subnet.same_key["b"]`: {`network.web["b"]`},
		`subnet.literal`:       {`network.web["b"]`},
		`subnet.by_local`:      {`network.web["a"]`},
		`subnet.all`:           {`network.web["a"]`, `network.web["b"]`},
		`subnet.waits`:         {`network.web["a"]`, `network.web["b"]`},
		`network.web["a"]`:     nil,
	} {
		r := m.Resource(object(address))
		if r == nil {
			t.Errorf("there is no %s", address)
			continue
		}
		if got := edges(r); !slices.Equal(got, want) {
			t.Errorf("%s depends on %v, want %v", address, got, want)
		}
	}
}

func TestTwoStages(t *testing.T) {
	_, e := mustResolve(t, reachOnly+`
locals {
  id    = project.dev.id
  label = "of-${local.id}"
}
project "dev" {}
data "network" "public" {
  name = "public"
}
network "web" {
  for_each    = { a = project.dev.id, b = "fixed" }
  name        = "web-${each.key}"
  description = "${local.label}/${each.value}"
  mtu         = data.network.public.mtu
}
subnet "web" {
  network     = network.web["a"]
  cidr        = "10.0.0.0/24"
  description = network.web["a"].name
}
`, nil)
	project, public := object("project.dev"), object("data.network.public")
	early, diags := e.Desired(object(`network.web["a"]`), nil)
	if len(diags) > 0 || early.GetAttr("description").IsKnown() || !early.GetAttr("name").IsKnown() {
		t.Fatalf("without outputs: %#v, %v", early, diags)
	}
	outputs := map[addr.Object]cty.Value{
		project: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("p1"), "name": cty.StringVal("changed by somebody")}),
		public:  cty.ObjectVal(map[string]cty.Value{"mtu": cty.NumberIntVal(1400)}),
	}
	late, diags := e.Desired(object(`network.web["a"]`), outputs)
	if len(diags) > 0 || late.GetAttr("description").AsString() != "of-p1/p1" || !late.GetAttr("mtu").RawEquals(cty.NumberIntVal(1400)) {
		t.Errorf("with outputs: %#v, %v", late, diags)
	}
	if other, _ := e.Desired(object(`network.web["b"]`), outputs); other.GetAttr("description").AsString() != "of-p1/fixed" {
		t.Errorf("the other key: %#v", other)
	}
	subnet, _ := e.Desired(object("subnet.web"), nil)
	if subnet.GetAttr("description").AsString() != "web-a" {
		t.Errorf("what is written in the configuration is known at once: %#v", subnet)
	}

	outputs[public] = cty.ObjectVal(map[string]cty.Value{"mtu": cty.NumberIntVal(5)})
	if _, diags := e.Desired(object(`network.web["a"]`), outputs); !diags.HasErrors() || !strings.Contains(diags[0].Detail, "from 68") {
		t.Errorf("a value that does not fit shows at the second stage: %v", diags)
	}
	if _, diags := e.Desired(object("network.other"), nil); !diags.HasErrors() {
		t.Error("an address that is not there has a desired value")
	}
}

// TestDesiredIsConcurrent is for the race detector: splats and locals keep state in the tree.
func TestDesiredIsConcurrent(t *testing.T) {
	_, e := mustResolve(t, reachOnly+`
locals {
  ids = values(network.web)[*].id
}
network "web" {
  for_each = toset(["a", "b"])
  name     = each.key
}
instance "web" {
  image    = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor   = "f"
  networks = local.ids
  metadata = { all = join(",", [for n in network.web : n.id]) }
}
`, nil)
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			outputs := map[addr.Object]cty.Value{}
			for _, key := range []string{"a", "b"} {
				outputs[object("network.web").WithKey(addr.StringKey(key))] = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(fmt.Sprint(key, n))})
			}
			for range 20 {
				v, diags := e.Desired(object("instance.web"), outputs)
				want := fmt.Sprintf("a%d,b%d", n, n)
				if got := v.GetAttr("metadata").Index(cty.StringVal("all")); len(diags) > 0 || !got.RawEquals(cty.StringVal(want)) {
					t.Errorf("%#v, want %s, %v", got, want, diags)
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestVariables(t *testing.T) {
	const text = reachOnly + `
variable "size" {
  type    = object({ mtu = optional(number, 1450), name = string })
  default = { name = "small" }
}
variable "secret" {
  sensitive = true
  default   = "s3"
}
network "web" {
  name        = var.size.name
  mtu         = var.size.mtu
  description = "x${var.secret}"
}
`
	m, _ := mustResolve(t, text, nil)
	desired := m.Resource(object("network.web")).Desired
	if !desired.GetAttr("mtu").RawEquals(cty.NumberIntVal(1450)) || desired.GetAttr("name").AsString() != "small" {
		t.Errorf("defaults: %#v", desired)
	}
	if !desired.GetAttr("description").HasMark(model.Sensitive) {
		t.Error("what is made from a secret is not marked")
	}
	given := map[string]cty.Value{"size": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("big"), "mtu": cty.StringVal("9000")})}
	m, _ = mustResolve(t, text, given)
	if got := m.Resource(object("network.web")).Desired.GetAttr("mtu"); !got.RawEquals(cty.NumberIntVal(9000)) {
		t.Errorf("a given value: %#v", got)
	}
	_, _, diags := resolveText(t, text, map[string]cty.Value{"siez": cty.StringVal("x")})
	if len(diags) != 1 || !strings.Contains(diags[0].Hint, "size") {
		t.Errorf("a value for no variable: %v", diags)
	}
}

func TestNothingQuotesASecret(t *testing.T) {
	_, _, diags := resolveText(t, reachOnly+`
variable "secret" {
  sensitive = true
}
network "web" {
  mtu         = var.secret
  description = tonumber(var.secret)
  name        = jsondecode("{${var.secret}")
}
subnet "web" {
  for_each = toset([var.secret])
  name     = each.key
  network  = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  cidr     = var.secret
}
subnet "other" {
  network = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  cidr    = "${var.secret}"
}
`, map[string]cty.Value{"secret": cty.StringVal("hunter2")})
	if len(diags) < 4 {
		t.Errorf("only %d mistakes: %v", len(diags), diags)
	}
	for _, d := range diags {
		if strings.Contains(fmt.Sprint(d.Summary, d.Detail, d.Hint), "hunter2") {
			t.Errorf("a secret is quoted: %+v", d)
		}
	}
}

func TestUserDataIsSensitive(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
instance "web" {
  image     = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor    = "f"
  user_data = "password"
}
`, nil)
	if !m.Resource(object("instance.web")).Desired.GetAttr("user_data").HasMark(model.Sensitive) {
		t.Error("user_data is not marked")
	}
}

func TestLayers(t *testing.T) {
	m, _ := mustResolve(t, `
cloud "test" {
  release = "2026.1"
  profile = profile.site
  charts {
    repository = "charts"
  }
  service "nova" {
    replicas = 1
    conf     = { nova = { DEFAULT = { a = "cloud", b = "cloud", list = [1, 2] } } }
  }
  service "keystone" {}
}
profile "base" {
  service "nova" {
    conf = { nova = { DEFAULT = { b = "base", c = "base" } } }
  }
}
profile "site" {
  from = profile.base
  service "nova" {
    replicas = { conductor = 3 }
    conf     = { nova = { DEFAULT = { c = "site", list = [3] } } }
  }
}
profile "gpu" {
  from = profile.base
  service "nova" {
    conf = { nova = { DEFAULT = { d = "gpu" } } }
  }
}
node "plain" {
  roles = ["compute"]
}
node "gpu" {
  roles   = ["compute", "network"]
  profile = profile.gpu
}
`, nil)
	nova := m.Service("nova")
	plain, err := model.Plain(nova.Conf)
	if err != nil {
		t.Fatal(err)
	}
	want := "map[nova:map[DEFAULT:map[a:cloud b:base c:site list:[3]]]]"
	if got := fmt.Sprint(plain); got != want {
		t.Errorf("nova: %s, want %s", got, want)
	}
	if !maps.Equal(nova.Replicas, map[string]int{"osapi": 1, "conductor": 3}) {
		t.Errorf("replicas: %v", nova.Replicas)
	}
	var layers []string
	for _, s := range nova.Settings {
		if s.Range.Start.Line == 0 {
			t.Errorf("%s has no place", s.Name)
		}
		if s.Name == "conf" {
			layers = append(layers, s.Layer)
		}
	}
	if !slices.Equal(layers, []string{"cloud", "profile.base", "profile.site"}) {
		t.Errorf("layers: %v", layers)
	}
	byName := map[string]model.Node{}
	for _, n := range m.Nodes {
		byName[n.Name] = n
	}
	if len(byName["plain"].Services) != 0 || len(byName["gpu"].Services) != 1 {
		t.Errorf("nodes: %+v", m.Nodes)
	}
	plain, _ = model.Plain(byName["gpu"].Services[0].Conf)
	want = "map[nova:map[DEFAULT:map[a:cloud b:base c:site d:gpu list:[3]]]]"
	if got := fmt.Sprint(plain); got != want {
		t.Errorf("gpu: %s, want %s", got, want)
	}
	if !slices.Equal(byName["gpu"].Roles, []string{"compute", "network"}) {
		t.Errorf("roles: %v", byName["gpu"].Roles)
	}
}

func TestPartialConfigurationMissesNothing(t *testing.T) {
	cfg, diags := config.Load(schema.New(), fstest.MapFS{
		"broken.hcl": {Data: []byte("network \"web\" {")},
		"main.hcl":   {Data: []byte(reachOnly + "subnet \"web\" {\n  network = network.web\n  cidr = \"10.0.0.1/8\"\n}\n")},
	}, ".", config.DefaultLimits())
	if len(diags) != 1 {
		t.Fatalf("load: %v", diags)
	}
	if _, _, diags := resolve.Resolve(cfg, nil); len(diags) != 1 || diags[0].Code != "resolve.value" {
		t.Errorf("want the wrong range, and nothing about the network in the broken file: %v", diags)
	}
}

func TestDeterminism(t *testing.T) {
	first, _ := loadExample(t, "demo")
	for range 3 {
		again, _ := loadExample(t, "demo")
		again.Language = first.Language
		if !reflect.DeepEqual(again, first) {
			t.Fatal("the same configuration leads to different models")
		}
	}
}

func TestVariablesThatCannotBeNull(t *testing.T) {
	m, _ := mustResolveTree(t, tree("main.hcl", `
module "m" {
  source = "./m"
  text   = null
}
module "unknown" {
  source = "./m"
  text   = network.a.id
}
network "a" {}
`, "m/m.hcl", `
variable "text" {
  default  = "default"
  nullable = false
}
network "n" {
  description = var.text
}
`))
	if got := m.Resource(object("module.m.network.n")).Desired.GetAttr("description"); !got.RawEquals(cty.StringVal("default")) {
		t.Errorf("got %#v", got)
	}
	if got := m.Resource(object("module.unknown.network.n")).Desired.GetAttr("description"); got.IsKnown() {
		t.Errorf("got %#v", got)
	}
}
