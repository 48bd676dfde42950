package resolve_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// inTime fails a test for an input that takes longer from here until the returned function is called than
// the budget lets anything take, in time of the processor.
func inTime(t *testing.T) func() {
	t.Helper()
	const most = 10 * time.Second
	start := processorTime(t)
	return func() {
		if used := processorTime(t) - start; used > most {
			t.Errorf("used %v", used)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// FuzzResolve feeds one file of any content through both stages: nothing may panic or go on for long, an
// error leaves no model, and without outputs the second stage gives what the first gave.
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
	// What makes much from little: from here a mutation finds what the budget does not see.
	for _, expression := range []string{
		`"${local.a}${local.a}"`, `concat([local.a], [local.a])`, `{ a = local.a, b = [local.a, local.a] }`, `jsonencode(local.a)`,
		`[for x in range(9) : [for y in range(x) : x * y]]`, `{ for x in range(9) : "k" => x... }`, `format("%9d %[1]s", 1)`,
		`replace("aaa", "/(a)/", "$1$1")`, `setproduct([1, 2], ["a", "b"])`, `flatten([[1], [[2]]])`, `yamldecode("a: [1, 2]")`,
		`cidrsubnets("10.0.0.0/8", 8, 8)`, `distinct([1, 1])`, `parseint("zz", 36)`, `"%{ for x in [1] }${x}%{ endfor }"`,
	} {
		f.Add([]byte(reachOnly + "locals {\n  a = \"x\"\n  b = " + expression + "\n  c = local.b\n}\n"))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			t.Skip("larger than what finds anything new")
		}
		defer inTime(t)()
		cfg, _ := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: src}}, ".", config.DefaultLimits())
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
