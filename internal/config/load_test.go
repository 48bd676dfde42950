package config

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const valid = `
cloud "prod" {
  release = "2026.1"
  profile = profile.base
  charts {
    repository = "charts"
  }
  service "keystone" {
    replicas = 2
  }
}
profile "base" {
  service "nova" {
    conf = { nova = { DEFAULT = { a = local.one } } }
  }
}
node "node-1" {
  roles = ["compute"]
}
variable "site" {
  type = string
}
locals {
  one = 1
}
network "web" {
  for_each   = toset(["a", "b"])
  name       = "web-${each.key}"
  depends_on = [service.keystone, data.network.public]
  lifecycle {
    prevent_destroy = true
  }
}
subnet "web" {
  network = network.web["a"].id
  cidr    = cidrsubnet(var.site, 8, local.one)
}
data "network" "public" {
  name = "public"
}
`

func files(pairs ...string) fs.FS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

func TestLoad(t *testing.T) {
	cfg, diags := loadText(valid)
	if len(diags) > 0 {
		t.Fatalf("diagnostics: %v", diags)
	}
	if cfg.Cloud == nil || cfg.Cloud.Label() != "prod" || len(cfg.Cloud.Nested("service")) != 1 {
		t.Fatalf("cloud: %+v", cfg.Cloud)
	}
	if len(cfg.Profiles) != 1 || len(cfg.Nodes) != 1 || len(cfg.Resources) != 2 || len(cfg.Data) != 1 || len(cfg.Variables) != 1 || len(cfg.Locals) != 1 {
		t.Errorf("blocks: %+v", cfg)
	}
	network, subnet := cfg.Resources[0], cfg.Resources[1]
	if network.ForEach == nil || len(network.DependsOn) != 2 || network.Lifecycle == nil || network.Attribute("for_each") != nil {
		t.Errorf("the arguments of the language: %+v", network)
	}
	if where, ok := cfg.Defined(addr.MustParseObject("service.keystone")); !ok || where.Start.Line == 0 {
		t.Error("a service of the cloud has no place")
	}

	reference := subnet.Attribute("network").References[0]
	if reference.Target.String() != `network.web["a"]` || reference.Attribute != "id" {
		t.Errorf("reference: %+v", reference)
	}
	var targets []string
	for _, r := range subnet.Attribute("cidr").References {
		targets = append(targets, r.Target.String())
	}
	if !slices.Equal(targets, []string{"var.site", "local.one"}) {
		t.Errorf("targets: %v", targets)
	}
	if got := network.DependsOn[1].Target.String(); got != "data.network.public" {
		t.Errorf("depends_on: %s", got)
	}
}

func TestComputedKeys(t *testing.T) {
	cfg, diags := loadText(valid + `
subnet "each" {
  for_each = toset(["a"])
  name     = each.key
  network  = network.web[each.key].id
  cidr     = [for k in ["a"] : network.web[k].id][0]
}
`)
	if len(diags) > 0 {
		t.Fatalf("diagnostics: %v", diags)
	}
	block := cfg.Resources[2]
	for _, r := range block.Attribute("network").References {
		if o, ok := r.Object(); ok && (r.Key.IsZero() || r.Attribute != "id" || o.String() != "network.web") {
			t.Errorf("a computed key: %+v", r)
		}
	}
	for _, r := range block.Attribute("cidr").References {
		if !r.Key.IsZero() {
			t.Errorf("a key that differs from turn to turn was taken for one: %+v", r)
		}
	}
}

func TestOrderOfFilesMeansNothing(t *testing.T) {
	cfg, diags := Load(schema.New(), files(
		"z.hcl", `cloud "a" {}`,
		"sub/b.hcl", `project "b" {}`,
		"a.hcl", `project "a" {}`,
		".hidden/c.hcl", `nonsense {}`,
		".c.hcl", `nonsense {}`,
		"readme.md", `nonsense {}`,
	), ".", DefaultLimits())
	if len(diags) > 0 {
		t.Fatalf("diagnostics: %v", diags)
	}
	if len(cfg.Resources) != 2 || cfg.Resources[0].Label() != "a" || len(cfg.sources) != 3 {
		t.Errorf("resources %+v of %d files", cfg.Resources, len(cfg.sources))
	}
	if cfg, _ := Load(schema.New(), files("a.hcl", `cloud "a" {}`, "sub/b.hcl", `cloud "b" {}`), "sub", DefaultLimits()); cfg.Cloud.Label() != "b" {
		t.Error("a directory above the chosen one was read")
	}
}

func TestLimitsOfSize(t *testing.T) {
	limits := DefaultLimits()
	limits.Files, limits.TotalBytes, limits.FileBytes, limits.Blocks, limits.Attributes = 2, 60, 40, 3, 3
	for name, fsys := range map[string]fs.FS{
		"files":      files("a.hcl", "", "b.hcl", "", "c.hcl", ""),
		"one file":   files("a.hcl", strings.Repeat("#", 41)),
		"all files":  files("a.hcl", strings.Repeat("#", 40), "b.hcl", strings.Repeat("#", 40)),
		"blocks":     files("a.hcl", "locals {}\nlocals {}\n", "b.hcl", "locals {}\nlocals {}\n"),
		"attributes": files("a.hcl", "locals {\na=1\nb=1\nc=1\nd=1\n}\n"),
		"depth":      files("a.hcl", "", strings.Repeat("d/", 70)+"b.hcl", ""),
	} {
		cfg, diags := Load(schema.New(), fsys, ".", limits)
		if !hasCode(diags, codeLimit) {
			t.Errorf("%s: %v", name, diags)
		}
		if name == "all files" && !cfg.Partial {
			t.Error("a configuration without its last file is not called partial")
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	link := fstest.MapFS{"a.hcl": {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}, "b.hcl": {Data: []byte(`cloud "a" {}`)}}
	for name, c := range map[string]struct {
		fsys fs.FS
		dir  string
	}{
		"nothing":           {fstest.MapFS{}, "."},
		"no such directory": {files("a.hcl", ""), "clouds/prod"},
		"no configuration":  {files("a.tf", ""), "."},
		"outside":           {files("a.hcl", ""), "../other"},
		"link":              {link, "."},
		"JSON":              {files("a.hcl", `cloud "a" {}`, "sub/b.hcl.json", "{}"), "."},
		"nothing but JSON":  {files("a.hcl.json", "{}"), "."},
		"submodule":         {fstest.MapFS{"edge": {Mode: fs.ModeIrregular}, "b.hcl": {Data: []byte(`cloud "a" {}`)}}, "."},
		"linked directory":  {fstest.MapFS{"conf/edge": {Data: []byte("../shared"), Mode: fs.ModeSymlink}, "shared/a.txt": {}, "conf/b.hcl": {Data: []byte(`cloud "a" {}`)}}, "conf"},
		"linked submodule":  {fstest.MapFS{"conf/edge": {Data: []byte("../shared"), Mode: fs.ModeSymlink}, "shared": {Mode: fs.ModeIrregular}, "conf/b.hcl": {Data: []byte(`cloud "a" {}`)}}, "conf"},
		"pipe":              {fstest.MapFS{"a.hcl": {Mode: fs.ModeNamedPipe}}, "."},
		"device":            {fstest.MapFS{"sub/a.hcl": {Mode: fs.ModeDevice | fs.ModeCharDevice}, "b.hcl": {Data: []byte(`cloud "a" {}`)}}, "."},
	} {
		if _, diags := Load(schema.New(), c.fsys, c.dir, DefaultLimits()); len(diags) != 1 || diags[0].Code != codeFiles {
			t.Errorf("%s: %v", name, diags)
		}
	}
	// What leads nowhere, or to a file of another kind, holds no configuration.
	passed := fstest.MapFS{
		"gone": {Data: []byte("elsewhere"), Mode: fs.ModeSymlink}, "notes": {Data: []byte("README.md"), Mode: fs.ModeSymlink}, "README.md": {},
		".hidden": {Mode: fs.ModeIrregular}, "b.hcl": {Data: []byte(`cloud "a" {}`)},
	}
	if _, diags := Load(schema.New(), passed, ".", DefaultLimits()); len(diags) != 0 {
		t.Errorf("what is passed over: %v", diags)
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, diags := loadText(`
cloud "prod" {
  relase = "2026.1"
  charts {}
}
nettwork "web" {}
subnet "web" {
  network = netwrk.web
}
flavor "small" { vcpus = 1 }
`)
	want := []string{`did you mean "release"?`, "repository", `did you mean "network"?`, `did you mean "network"?`, "ram"}
	if len(diags) != len(want) {
		t.Fatalf("%d diagnostics, want %d: %v", len(diags), len(want), diags)
	}
	for i, d := range diags {
		if text := d.Detail + d.Hint; !strings.Contains(text, want[i]) || d.Subject == nil {
			t.Errorf("%d: %+v, want %q in it", i, d, want[i])
		}
	}
}

func TestNearest(t *testing.T) {
	kinds := schema.New().Kinds()
	for name, want := range map[string]string{
		"nettwork": "network", "Network": "network", "sg": "", "flavour": "flavor", "instnce": "instance", "completely-else": "",
	} {
		if got := Nearest(name, kinds); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
