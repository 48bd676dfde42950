//go:build beds

package e2e_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/composed"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// The limits of the benchmarks below.
const (
	maxIdleMiB   = 60
	maxPlan      = 2.0 // seconds
	maxConverges = 1.3 // times what the graph and the processors allow
)

// BenchmarkDemo measures the demo's cloud: how long it takes to converge, to be planned once the
// clone is there, and how much memory its daemon keeps when nothing happens. All happen in one
// world, as each needs what the one before it made.
func BenchmarkDemo(b *testing.B) {
	testbed.Dir(b)
	w := world.New(b)
	commit := w.Push(b, "Describe the cloud")
	first := converge(b, w, commit) // once, however often a benchmark is repeated
	b.Run("Converge", first.report)
	b.Run("FirstPlan", func(b *testing.B) { benchmarkFirstPlan(b, w) })
	b.Run("IdleMemory", func(b *testing.B) { benchmarkIdleMemory(b, w, commit) })
}

// BenchmarkServices measures how long it takes until every service there is has converged.
func BenchmarkServices(b *testing.B) {
	testbed.Dir(b)
	w := world.New(b)
	w.Describe(b, "cloud.hcl", composed.Without(composed.WithBackends("lvm", 2, `    anti_affinity = "required"`, mirror, outside), "ceph-adapter-rook")+nodes) // there is no Rook
	commit := w.Push(b, "Describe the cloud")
	all := converge(b, w, commit) // once, however often a benchmark is repeated
	b.Run("Converge", all.report)
}

// convergence is what the first pass took: by the clock, and of each processor of the machine, which
// servers and commands share; and what the longest chain of its units takes alone.
type convergence struct{ wall, chain, busy time.Duration }

func converge(b *testing.B, w *world.World, commit string) convergence {
	b.Helper()
	busy := processorTime(b)
	began := time.Now()
	r, lines := w.Follow(b, converges)
	wall := time.Since(began)
	busy = (processorTime(b) - busy) / time.Duration(runtime.NumCPU())
	if r.Code != 0 {
		b.Fatalf("the pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	status, _ := w.ReadStatus(b)
	if status.Verdict != "converged" || status.Applied.Hash != commit {
		b.Fatalf("the status branch says %s of %s", status.Verdict, status.Applied.Hash)
	}
	chain, path := longestChain(status, lines)
	own := spans(lines)
	for _, address := range path {
		b.Logf("%s took %v, and was installed after %v", address, own[address].ready, own[address].installed)
	}
	b.Logf("the longest chain took %v beside the others; the command used %v of a processor", chain, r.CPU)
	return convergence{wall: wall, chain: alone(b, w, path), busy: busy}
}

// alone takes a chain of services and instances away and measures how long it takes to come back
// while everything else is there already.
func alone(b *testing.B, w *world.World, path []string) time.Duration {
	b.Helper()
	for _, address := range path {
		kind, name, _ := strings.Cut(address, ".")
		if kind == "service" {
			w.Uninstall(b, namespace, name)
		}
	}
	if last := path[len(path)-1]; strings.HasPrefix(last, "instance.") {
		status, _ := w.ReadStatus(b)
		w.DeleteServer(b, status.Unit(last).ID)
	}
	began := time.Now()
	r, lines := w.Follow(b, converges)
	took := time.Since(began)
	if r.Code != 0 {
		b.Fatalf("the pass for the chain alone ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	own := spans(lines)
	for _, address := range path {
		b.Logf("alone %s took %v, and was installed after %v", address, own[address].ready, own[address].installed)
	}
	return took
}

// report compares the pass with what it could not do without.
func (c convergence) report(b *testing.B) {
	ratio := c.wall.Seconds() / max(c.chain, c.busy).Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(c.wall.Seconds(), "wall-s")
	b.ReportMetric(c.chain.Seconds(), "chain-s")
	b.ReportMetric(c.busy.Seconds(), "cpu-s/core")
	b.ReportMetric(ratio, "ratio")
	if ratio > maxConverges {
		b.Errorf("the pass took %.2f times as long as it must, want at most %v", ratio, maxConverges)
	}
}

// benchmarkFirstPlan runs plan from its start to its end; the clone is in the cache.
func benchmarkFirstPlan(b *testing.B, w *world.World) {
	var wall, cpu time.Duration
	n := 0
	for b.Loop() {
		began := time.Now()
		r := w.Run(b, reacts, "plan")
		wall += time.Since(began)
		cpu += r.CPU
		n++
		if r.Code != 0 {
			b.Fatalf("plan ended with %d, want 0:\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(wall.Seconds()/float64(n), "s/plan")
	b.ReportMetric(cpu.Seconds()/float64(n), "cpu-s/plan")
	if took := wall.Seconds() / float64(n); took > maxPlan {
		b.Errorf("a plan took %.2f s, want at most %v", took, maxPlan)
	}
}

// benchmarkIdleMemory looks at the daemon when it has polled and observed some times.
func benchmarkIdleMemory(b *testing.B, w *world.World, commit string) {
	daemon := w.StartDaemon(b, "idle", "--resync", "5s")
	w.AwaitVerdict(b, converges, "converged", commit)
	polled := w.Git.Requests()["cloud"].ListRefs
	world.Await(b, reacts, func() (bool, string) {
		now := w.Git.Requests()["cloud"].ListRefs
		return now >= polled+30, fmt.Sprint(now)
	})
	anonymous := anonymousMiB(b, daemon.PID)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(anonymous, "MiB")
	if anonymous > maxIdleMiB {
		b.Errorf("the daemon keeps %.1f MiB, want at most %d", anonymous, maxIdleMiB)
	}
}

var anonymousLine = regexp.MustCompile(`(?m)^Anonymous: +([0-9]+) kB$`)

// anonymousMiB is the memory that only this process has: neither its code nor files.
func anonymousMiB(t testing.TB, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := anonymousLine.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no anonymous memory in\n%s", text)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return float64(kib) / 1024
}

// processorTime is how long the machine's processors have worked since it was started, added up.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq ...
	if len(fields) < 8 || fields[0] != "cpu" {
		b.Fatalf("/proc/stat begins with %q", line)
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Go runs on Linux
	var total time.Duration
	for _, i := range []int{1, 2, 3, 6, 7} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += time.Duration(n) * tick
	}
	return total
}
