package resolve_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// tree is a configuration of several files: pairs of a name and a text. The root is told how to reach
// its cloud.
func tree(pairs ...string) fs.FS {
	files := fstest.MapFS{"cloud.hcl": {Data: []byte(reachOnly)}}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return files
}

func resolveTree(tb testing.TB, files fs.FS) (*model.Model, *resolve.Evaluator, diag.Diagnostics) {
	tb.Helper()
	cfg, diags := config.Load(schema.New(), files, ".", config.DefaultLimits())
	m, e, more := resolve.Resolve(cfg, nil)
	return m, e, append(diags, more...)
}

func mustResolveTree(tb testing.TB, files fs.FS) (*model.Model, *resolve.Evaluator) {
	tb.Helper()
	m, e, diags := resolveTree(tb, files)
	if len(diags) > 0 {
		tb.Fatalf("%+v", diags)
	}
	return m, e
}

func addresses(m *model.Model) []string {
	var all []string
	for _, r := range m.Resources {
		all = append(all, r.Address.String())
	}
	return all
}

func checkEdges(t *testing.T, m *model.Model, want map[string][]string) {
	t.Helper()
	for address, to := range want {
		if r := m.Resource(object(address)); r == nil {
			t.Errorf("there is no %s among %v", address, addresses(m))
		} else if got := edges(r); !slices.Equal(got, to) {
			t.Errorf("%s depends on %v, want %v", address, got, to)
		}
	}
}

func TestModulesExample(t *testing.T) {
	m, e := loadExample(t, "modules")
	want := []string{
		"flavor.small", "project.edge", "security_group.sites", "data.image.cirros",
		`module.lookout.instance.server["a"]`,
		`module.site["ber"].network.site`, `module.site["ber"].subnet.site`,
		`module.site["ber"].module.servers.instance.server["a"]`,
		`module.site["fra"].network.site`, `module.site["fra"].subnet.site`,
		`module.site["fra"].module.servers.instance.server["a"]`, `module.site["fra"].module.servers.instance.server["b"]`,
	}
	if got := addresses(m); !slices.Equal(got, want) {
		t.Errorf("resources %v\nwant %v", got, want)
	}
	checkEdges(t, m, map[string][]string{
		`module.site["fra"].network.site`: {"project.edge"},
		`module.site["fra"].module.servers.instance.server["b"]`: {
			"flavor.small", "project.edge", "data.image.cirros", `module.site["fra"].network.site`, `module.site["fra"].subnet.site`,
		},
		`module.lookout.instance.server["a"]`: append([]string{"flavor.small", "project.edge", "data.image.cirros"}, want[5:]...),
		"security_group.sites":                {"project.edge"},
	})
	lookout := object(`module.lookout.instance.server["a"]`)
	if r := m.Resource(lookout); r.Desired.GetAttr("networks").IsWhollyKnown() || r.Desired.GetAttr("name").AsString() != "lookout-a" {
		t.Errorf("at load: %#v", r.Desired)
	}
	outputs := map[addr.Object]cty.Value{}
	for _, r := range m.Resources {
		outputs[r.Address] = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("id of " + r.Address.String())})
	}
	late, diags := e.Desired(lookout, outputs)
	if len(diags) > 0 || !late.IsWhollyKnown() {
		t.Fatalf("late: %#v, %v", late, diags)
	}
	networks := cty.ListVal([]cty.Value{cty.StringVal(`id of module.site["ber"].network.site`), cty.StringVal(`id of module.site["fra"].network.site`)})
	if got := late.GetAttr("networks"); !got.RawEquals(networks) {
		t.Errorf("networks: %#v", got)
	}
	if got := late.GetAttr("image"); !got.RawEquals(cty.StringVal("id of data.image.cirros")) {
		t.Errorf("image: %#v", got)
	}
}

// Modules can use each other's outputs as long as no value needs itself, as only the outputs that an
// expression names are waited for.
func TestModulesOrderByValueNotAsAWhole(t *testing.T) {
	m, _ := mustResolveTree(t, tree(
		"main.hcl", `
module "a" {
  source = "./m"
  first  = "x"
  second = module.b.first
}
module "b" {
  source = "./m"
  first  = module.a.first
  second = "y"
}
project "dev" {
  name = module.a.second
}
`, "m/m.hcl", `
variable "first" {}
variable "second" {}
locals {
  joined = "${var.second}!"
}
output "first" {
  value = "${var.first}+"
}
output "second" {
  value = local.joined
}
`))
	if got := m.Resource(object("project.dev")).Desired.GetAttr("name"); !got.RawEquals(cty.StringVal("x++!")) {
		t.Errorf("name is %#v", got)
	}
}

func TestDependsOnModules(t *testing.T) {
	m, _ := mustResolveTree(t, tree(
		"main.hcl", `
project "first" {}
module "site" {
  source     = "./site"
  for_each   = toset(["a", "b"])
  key        = each.key
  depends_on = [project.first]
}
project "all" {
  depends_on = [module.site]
}
project "one" {
  depends_on = [module.site["b"]]
}
`, "site/site.hcl", `
variable "key" {}
network "n" {
  name = var.key
}
module "inner" {
  source     = "./inner"
  name       = var.key
  depends_on = [network.n]
}
`, "site/inner/inner.hcl", `
variable "name" {}
project "p" {
  for_each = toset(["x"])
  name     = "${var.name}-${each.key}"
}
`))
	inner := func(key string) []string {
		return []string{`module.site["` + key + `"].network.n`, `module.site["` + key + `"].module.inner.project.p["x"]`}
	}
	checkEdges(t, m, map[string][]string{
		"project.first":                                nil,
		`module.site["a"].network.n`:                   {"project.first"},
		`module.site["a"].module.inner.project.p["x"]`: {"project.first", `module.site["a"].network.n`},
		"project.all":                                  append(inner("a"), inner("b")...),
		"project.one":                                  inner("b"),
	})
}

// A path begins at the directory of the configuration, as in Terraform; path.module leads to what lies
// beside a module, and what a caller names means the same to the module.
func TestFilesOfModules(t *testing.T) {
	files := fstest.MapFS{
		"clouds/prod/main.hcl": {Data: []byte(reachOnly + `
module "m" {
  source = "./m"
  given  = file("x.txt")
  named  = "x.txt"
}
module "shared" {
  source = "../../shared"
}
network "n" {
  description = "${path.module} ${path.root} ${file("${path.module}/x.txt")} ${module.m.text} ${module.shared.where}"
}
`)},
		"clouds/prod/x.txt": {Data: []byte("root")},
		"clouds/prod/m/m.hcl": {Data: []byte(`
variable "given" {}
variable "named" {}
network "n" {
  description = "${var.given} ${file("${path.module}/x.txt")} ${network.other.id}"
}
network "other" {
  description = templatefile("${path.module}/x.tpl", { given = file(var.named) })
}
output "text" {
  value = "${var.given} ${file("${path.root}/x.txt")} ${file("${path.module}/x.txt")}"
}
`)},
		"clouds/prod/m/x.txt": {Data: []byte("module")},
		"clouds/prod/m/x.tpl": {Data: []byte("in ${given}")},
		"shared/shared.hcl":   {Data: []byte("output \"where\" {\n  value = \"${path.module} ${path.root} ${join(\",\", fileset(path.module, \"*.hcl\"))}\"\n}\n")},
	}
	cfg, diags := config.Load(schema.New(), files, "clouds/prod", config.DefaultLimits())
	m, e, more := resolve.Resolve(cfg, nil)
	if diags.Append(more...); len(diags) > 0 {
		t.Fatal(diags)
	}
	for address, want := range map[string]string{"network.n": ". . root root root module ../../shared . shared.hcl", "module.m.network.other": "in root"} {
		if got := m.Resource(object(address)).Desired.GetAttr("description"); !got.RawEquals(cty.StringVal(want)) {
			t.Errorf("%s: %#v, want %q", address, got, want)
		}
	}
	late, diags := e.Desired(object("module.m.network.n"), map[addr.Object]cty.Value{
		object("module.m.network.other"): cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("1")}),
	})
	if got := late.GetAttr("description"); len(diags) > 0 || !got.RawEquals(cty.StringVal("root module 1")) {
		t.Errorf("late: %#v, %v", got, diags)
	}
}

// Nothing that modules multiply can be more than the limits allow, and nothing takes long to refuse.
func TestModulesCannotExplode(t *testing.T) {
	slow.Test(t)
	calls := func(n int, source, more string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "module \"m%d\" {\n  source = %q\n%s}\n", i, source, more)
		}
		return b.String()
	}
	tenfold := "  for_each = toset([for i in range(10) : tostring(i)])\n"
	var nested, doubled, deep []string
	for i := range 12 {
		dir := strings.TrimSuffix(strings.Repeat("m/", i), "/")
		nested = append(nested, strings.TrimPrefix(dir+"/a.hcl", "/"), calls(1, "./m", tenfold))
		doubled = append(doubled, strings.TrimPrefix(dir+"/a.hcl", "/"), calls(3, "./m", ""))
	}
	bottom := strings.Repeat("m/", 12) + "a.hcl"
	nested, doubled = append(nested, bottom, "locals {}\n"), append(doubled, bottom, "locals {}\n")
	for i := range 40 {
		deep = append(deep, strings.Repeat("m/", i)+"a.hcl", calls(1, "./m", ""))
	}
	deep = append(deep, strings.Repeat("m/", 40)+"a.hcl", "locals {}\n")
	var parts, few, many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&parts, "locals {\n  l%d = 1\n}\n", i)
	}
	for i := range 30 {
		project := fmt.Sprintf("project \"p%d\" {\n  for_each = { for i in range(1000) : i => i }\n  name = each.key\n}\n", i)
		many.WriteString(project)
		if i == 0 {
			few.WriteString(project)
		}
	}
	hundred := "  for_each = toset([for i in range(100) : tostring(i)])\n"
	var outputs, wholes strings.Builder
	for i := range 100 {
		fmt.Fprintf(&outputs, "output \"o%d\" {\n  value = 1\n}\n", i)
	}
	for i := range 400 {
		fmt.Fprintf(&wholes, "locals {\n  whole%d = length(module.m0)\n}\n", i)
	}
	for name, c := range map[string]struct {
		files   fs.FS
		summary string
	}{
		"ten to the twelfth instances": {tree(nested...), "too many modules"},
		"three to the twelfth calls":   {tree(doubled...), "too many modules"},
		"forty deep":                   {tree(deep...), "modules are nested too deep"},
		"many parts":                   {tree("a.hcl", calls(1, "./m", hundred), "m/m.hcl", parts.String()), "too many modules"},
		"many objects of one block":    {tree("a.hcl", calls(1, "./m", hundred), "m/m.hcl", few.String()), "too many objects"},
		"many objects of many blocks":  {tree("a.hcl", calls(1, "./m", ""), "m/m.hcl", many.String()), "too many objects"},
		"many whole modules":           {tree("a.hcl", calls(1, "./m", hundred)+wholes.String(), "m/m.hcl", outputs.String()), "too many references"},
		"many dependencies": {tree(
			"a.hcl", calls(1, "./m", "")+"project \"n\" {\n  for_each = { for i in range(1000) : i => i }\n  name = each.key\n  depends_on = [module.m0]\n}\n",
			"m/m.hcl", few.String()), "too many dependencies"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, diags := resolveTree(t, c.files)
			if m != nil || !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Summary == c.summary }) {
				t.Errorf("diagnostics are %v, want one that says: %s", diags[:min(len(diags), 3)], c.summary)
			}
			if len(diags) > 25 {
				t.Errorf("%d diagnostics for one cause", len(diags))
			}
		})
	}
}
