package resolve_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// generated is a configuration of n resources in files of a hundred, each with references.
func generated(n int) fs.FS {
	files := fstest.MapFS{"cloud.hcl": {Data: []byte(reachOnly)}}
	var b strings.Builder
	for i := 0; i < n; i += 2 {
		fmt.Fprintf(&b, "network \"n%d\" {\n  description = \"network %d\"\n}\n\nsubnet \"s%d\" {\n  network     = network.n%d\n  cidr        = cidrsubnet(\"10.0.0.0/8\", 16, %d)\n  description = \"of ${network.n%d.name}\"\n}\n\n", i, i, i, i, i, i)
		if (i+2)%100 == 0 || i+2 >= n {
			files[fmt.Sprintf("f%d.hcl", i)] = &fstest.MapFile{Data: []byte(b.String())}
			b.Reset()
		}
	}
	return files
}

func BenchmarkLoadAndResolve(b *testing.B) {
	for _, c := range []struct {
		name string
		fsys fs.FS
		dir  string
	}{
		{"demo", examples.FS, "demo"},
		{"resources=1000", generated(1000), "."},
		{"resources=10000", generated(10_000), "."},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cfg, diags := config.Load(schema.New(), c.fsys, c.dir, config.DefaultLimits())
				if len(diags) > 0 {
					b.Fatal(diags)
				}
				if _, _, diags := resolve.Resolve(cfg, nil); len(diags) > 0 {
					b.Fatal(diags)
				}
			}
		})
	}
}

func BenchmarkDesired(b *testing.B) {
	_, e := loadExample(b, "demo")
	address := object(`instance.web["a"]`)
	for b.Loop() {
		if _, diags := e.Desired(address, nil); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
}
