package resolve_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
)

// FuzzResolve feeds one file of any content through both stages: nothing may panic, an error leaves
// no model, and without outputs the second stage gives what the first gave.
func FuzzResolve(f *testing.F) {
	seeds, _ := filepath.Glob("testdata/mistakes/*/main.hcl")
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, name := range []string{"demo/cloud.hcl", "demo/nodes.hcl", "demo/resources.hcl", "demo/variables.hcl", "minimal/cloud.hcl"} {
		text, err := fs.ReadFile(examples.FS, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			t.Skip("larger than what finds anything new")
		}
		cfg, _ := config.Load(fstest.MapFS{"main.hcl": {Data: src}}, ".", config.DefaultLimits())
		m, e, diags := resolve.Resolve(cfg, nil)
		if (m == nil) != (cfg.Faulty || diags.HasErrors()) || (m == nil) != (e == nil) {
			t.Fatalf("model %v, evaluator %v, diagnostics %v", m != nil, e != nil, diags)
		}
		if m == nil {
			return
		}
		for _, r := range m.Resources {
			late, _ := e.Desired(r.Address, map[addr.Object]cty.Value{})
			if !late.RawEquals(r.Desired) {
				t.Errorf("%s: %#v at the second stage without outputs, want %#v", r.Address, late, r.Desired)
			}
		}
	})
}
