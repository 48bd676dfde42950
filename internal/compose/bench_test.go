package compose_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// The limits of the benchmark below, for 500 nodes.
const (
	maxCompose = time.Second
	maxGrowth  = 2.2 // times as long for two times as many nodes
)

// BenchmarkNodes makes the units of many nodes, which have eight profiles of their own between them, in processor time. It counts the best of some rounds, as whatever
// else the machine does can only make it longer. What Helm keeps of the widest release of these is to fit into a Secret; with a
// checkout in OSH_CHARTS the charts are those of OpenStack-Helm.
func BenchmarkNodes(b *testing.B) {
	const nodes, rounds = 500, 5
	source := func(n int) string {
		return composed.Source("ovs", "ceph") + composed.Nodes(n, 8, `["compute"]`, "nova", "neutron")
	}
	best := func(n int) time.Duration {
		m, ev := composed.Text(b, source(n))
		var facts compose.Facts
		for i := range m.Nodes {
			facts.Nodes = append(facts.Nodes, m.Nodes[i].Name)
		}
		least := time.Hour
		for range rounds {
			began := processorTime(b)
			if _, diags := compose.Compose(m, ev, facts); diags.HasErrors() {
				b.Fatal(diags)
			}
			least = min(least, processorTime(b)-began)
		}
		return least
	}
	var half, whole time.Duration
	for b.Loop() {
		half, whole = best(nodes/2), best(nodes)
	}
	name, size := widest(b, source(nodes))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(size)/(1<<10), "KiB/"+name)
	b.ReportMetric(whole.Seconds(), "cpu-s/500-nodes")
	b.ReportMetric(whole.Seconds()/half.Seconds(), "x-half")
	if whole > maxCompose || whole.Seconds()/half.Seconds() > maxGrowth {
		b.Errorf("500 nodes take %v and half of them %v, want at most %v, and %v times as long", whole, half, maxCompose, maxGrowth)
	}
	if size >= charts.LargestRelease {
		b.Errorf("Helm keeps %d bytes of the release %s of 500 nodes, and a Secret holds less than %d", size, name, charts.LargestRelease)
	}
}

// widest renders the releases that have DaemonSets of their own for each slot, and returns of which of them Helm keeps
// most, and how much.
func widest(b *testing.B, source string) (name string, size int) {
	b.Helper()
	m, ev := composed.Text(b, source)
	units := composed.Compose(b, m, ev, compose.Facts{})
	dir := cmp.Or(os.Getenv(charts.CheckoutVariable), charts.Dir())
	for _, service := range []string{"libvirt", "neutron", "nova"} {
		r := composed.Release(b, units, service)
		reveal(r)
		n, err := charts.Rendered(dir, r.Name, r.Namespace, r.Values)
		if err != nil {
			b.Fatal(err)
		}
		if n > size {
			name, size = r.Name, n
		}
	}
	return name, size
}

// reveal puts values that pack as badly as passwords in the places of secret ones.
func reveal(r *unit.Release) {
	for _, s := range r.Secrets {
		below, last := r.Values, len(s.Path)-1
		for _, key := range s.Path[:last] {
			inner, ok := below[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				below[key] = inner
			}
			below = inner
		}
		below[s.Path[last]] = fmt.Sprintf("%x", sha256.Sum256([]byte(s.Key)))[:32]
	}
}

func processorTime(b testing.TB) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
