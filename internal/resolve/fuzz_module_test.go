package resolve_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// FuzzModules feeds a root and two modules of any content through both stages: nothing may panic or
// go on for ever, an error leaves no model, and no two objects have one address.
func FuzzModules(f *testing.F) {
	mistakes, _ := filepath.Glob("testdata/mistakes/module-*")
	for _, dir := range mistakes {
		texts := [3][]byte{}
		files, _ := filepath.Glob(dir + "/*/*.hcl")
		for i, file := range append([]string{dir + "/main.hcl"}, files...) {
			text, err := os.ReadFile(file)
			if err != nil || i >= len(texts) {
				f.Fatal(file, err)
			}
			texts[i] = text
		}
		f.Add(texts[0], texts[1], texts[2])
	}
	f.Add([]byte(reachOnly+"module \"a\" {\n  source = \"./edge\"\n  for_each = toset([\"x\"])\n  name = each.key\n}\nmoved {\n  from = module.b\n  to = module.a[\"x\"]\n}\nimport {\n  to = module.a[\"x\"].network.n\n  id = \"1\"\n}\n"),
		[]byte("variable \"name\" {}\nnetwork \"n\" {\n  name = var.name\n}\nmoved {\n  from = module.inner.network.m\n  to = network.n\n}\nremoved {\n  from = network.o\n  lifecycle {\n    destroy = var.name == \"x\"\n  }\n}\n"), []byte(""))
	f.Add([]byte(reachOnly+"module \"a\" {\n  source = \"./edge\"\n  for_each = { x = network.n.id }\n  name = each.value\n}\nnetwork \"n\" {}\nnetwork \"m\" {\n  description = module.a[\"x\"].id\n}\n"),
		[]byte("variable \"name\" {}\nmodule \"b\" {\n  source = \"../b\"\n  name = var.name\n}\noutput \"id\" {\n  value = module.b.id\n}\n"),
		[]byte("variable \"name\" {}\nnetwork \"n\" {\n  name = \"x\"\n  description = var.name\n}\noutput \"id\" {\n  value = network.n.description\n  sensitive = true\n}\n"))
	f.Fuzz(func(t *testing.T, root, edge, b []byte) {
		if len(root)+len(edge)+len(b) > 16<<10 {
			t.Skip("larger than what finds anything new")
		}
		defer inTime(t)()
		cfg, _ := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: root}, "edge/edge.hcl": {Data: edge}, "b/b.hcl": {Data: b}}, ".", config.DefaultLimits())
		m, e, diags := resolve.Resolve(cfg, nil)
		if (m == nil) != (cfg.Faulty || diags.HasErrors()) || (m == nil) != (e == nil) {
			t.Fatalf("model %v, evaluator %v, diagnostics %v", m != nil, e != nil, diags)
		}
		if m == nil {
			return
		}
		seen := map[addr.Object]bool{}
		for _, r := range m.Resources {
			if seen[r.Address] {
				t.Errorf("%s is there twice", r.Address)
			}
			seen[r.Address] = true
			late, _ := e.Desired(r.Address, map[addr.Object]cty.Value{})
			if !late.RawEquals(r.Desired) {
				t.Errorf("%s: %#v at the second stage without outputs, want %#v", r.Address, late, r.Desired)
			}
		}
	})
}
