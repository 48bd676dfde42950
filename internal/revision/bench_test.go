package revision_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// The limits of the benchmarks below.
const (
	maxGrowth = 2.2     // times as long for two times as many blocks
	maxParse  = 5.0     // times as long as parsing the same bytes
	maxAgain  = 1.0 / 3 // of a cold load, after one file has changed
)

// generated is a configuration of n blocks in a hundred files. Each file has networks with their
// subnets; they refer to locals of a shared file, to each other, and to the file before.
func generated(n int) fstest.MapFS {
	files := fstest.MapFS{
		"cloud.hcl":  {Data: []byte("cloud \"test\" {\n  openstack {\n    cloud = \"test\"\n  }\n}\n")},
		"shared.hcl": {Data: []byte("locals {\n  site  = \"10.0.0.0/8\"\n  owner = \"the network team\"\n}\n")},
	}
	const count = 100
	for file := range count {
		var b strings.Builder
		for i := file * n / count; i < (file+1)*n/count; i += 2 {
			fmt.Fprintf(&b, "network \"n%d\" {\n  description = \"network %d of ${local.owner}\"\n}\n\n", i, i)
			of := i
			if before := i - n/count; i%20 == 0 && before >= 0 {
				of = before
			}
			fmt.Fprintf(&b, "subnet \"s%d\" {\n  network     = network.n%d\n  cidr        = cidrsubnet(local.site, 16, %d)\n  description = \"of ${network.n%d.name}\"\n}\n\n", i, of, i, of)
		}
		files[fmt.Sprintf("f%02d.hcl", file)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

// changed is the configuration after somebody edited one file in the middle.
func changed(files fstest.MapFS, turn int) fstest.MapFS {
	edited := fstest.MapFS{}
	for name, file := range files {
		edited[name] = file
	}
	edited["f50.hcl"] = &fstest.MapFile{Data: append([]byte(fmt.Sprintf("network \"new%d\" {\n  description = local.owner\n}\n\n", turn)), files["f50.hcl"].Data...)}
	return edited
}

// BenchmarkLoad compares, in processor time of both processes and without what it takes to start the
// child: reading and evaluating a configuration, the same for one of half the size, parsing alone,
// and reading it again after one file has changed. Each counts by the best of some rounds, as
// whatever else the machine does can only make it longer.
func BenchmarkLoad(b *testing.B) {
	const blocks, rounds = 10_000, 3
	small, large := generated(blocks/2), generated(blocks)
	parse, half, cold, again := forever, forever, forever, forever
	for b.Loop() {
		for n := range rounds {
			parse = min(parse, used(func() { parseAlone(b, large) }))
			half = min(half, guarded(b, new(revision.Reader), small))
			reader := new(revision.Reader)
			cold = min(cold, guarded(b, reader, large))
			again = min(again, guarded(b, reader, changed(large, n)))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.Logf("parse %v, half %v, cold %v, again %v", parse, half, cold, again)
	for _, c := range []struct {
		unit, what string
		ratio, max float64
	}{
		{"x-half", "loading twice as many blocks", cold.Seconds() / half.Seconds(), maxGrowth},
		{"x-parse", "loading, compared with parsing,", cold.Seconds() / parse.Seconds(), maxParse},
		{"x-cold", "loading again after a change, compared with a cold load,", again.Seconds() / cold.Seconds(), maxAgain},
	} {
		b.ReportMetric(c.ratio, c.unit)
		if c.ratio > c.max {
			b.Errorf("%s takes %.2f times as long, want at most %.2f", c.what, c.ratio, c.max)
		}
	}
}

// furnished is generated with modules, and with statements about what was, each in files of their own.
func furnished(n int) fstest.MapFS {
	files := generated(n)
	var calls, moved, imports strings.Builder
	for i := range 10 {
		fmt.Fprintf(&calls, "module \"m%d\" {\n  source = \"./modules/m%d\"\n  owner  = local.owner\n}\n\n", i, i)
		var inside strings.Builder
		inside.WriteString("variable \"owner\" {}\n\n")
		for k := range n / 100 {
			fmt.Fprintf(&inside, "network \"m%d\" {\n  description = \"network %d of ${var.owner}\"\n}\n\n", k, k)
		}
		files[fmt.Sprintf("modules/m%d/m.hcl", i)] = &fstest.MapFile{Data: []byte(inside.String())}
	}
	for i := 0; i < n; i += n / 100 {
		fmt.Fprintf(&moved, "moved {\n  from = network.old%d\n  to   = network.n%d\n}\n\n", i, i)
		fmt.Fprintf(&imports, "import {\n  to = network.n%d\n  id = \"${local.site}-%d\"\n}\n\n", i, i)
	}
	for name, text := range map[string]string{"calls.hcl": calls.String(), "moved.hcl": moved.String(), "imports.hcl": imports.String()} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// BenchmarkLoadFurnished is the part of BenchmarkLoad about one file that has changed, where there are
// modules and statements in others.
func BenchmarkLoadFurnished(b *testing.B) {
	const blocks, rounds = 10_000, 3
	files := furnished(blocks)
	cold, again := forever, forever
	for b.Loop() {
		for n := range rounds {
			reader := new(revision.Reader)
			cold = min(cold, guarded(b, reader, files))
			again = min(again, guarded(b, reader, changed(files, n)))
		}
	}
	ratio := again.Seconds() / cold.Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratio, "x-cold")
	b.Logf("cold %v, again %v", cold, again)
	if ratio > maxAgain {
		b.Errorf("loading again after a change takes %.2f times as long as a cold load, want at most %.2f", ratio, maxAgain)
	}
}

const forever = time.Hour

// guarded reads a configuration and returns what that takes in both processes. The child's limit
// on time is left out: what makes it longer here is other work of the machine.
func guarded(b *testing.B, reader *revision.Reader, files fs.FS) time.Duration {
	b.Helper()
	limits := confine.DefaultLimits()
	limits.CPU = time.Minute
	reader.Runner, reader.Collector = &confine.Runner{Limits: limits}, new(revision.Collector) // as the commands have them
	var child time.Duration
	reader.Tried = func(o confine.Outcome) { child += o.CPU }
	here := used(func() {
		loaded, found, err := reader.Load(b.Context(), "", files, ".", reading)
		if err != nil || loaded == nil {
			b.Fatalf("%v\n%s", err, found.Text(false))
		}
	})
	b.Logf("child %v, here %v", child, here)
	return child + here
}

func parseAlone(b *testing.B, files fstest.MapFS) {
	b.Helper()
	for name, file := range files {
		if _, diags := hclsyntax.ParseConfig(file.Data, name, hcl.InitialPos); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// used is the processor time that something takes in this process.
func used(f func()) time.Duration {
	runtime.GC() // what was there before is not what is measured
	before := processorTime()
	f()
	return processorTime() - before
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
