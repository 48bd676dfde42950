package compose_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// The limits of the benchmark below, for 500 nodes.
const (
	maxCompose = time.Second
	maxGrowth  = 2.2 // times as long for two times as many nodes
)

// BenchmarkNodes makes the units of many nodes, which have eight profiles of their own between them, in processor time. It counts the best of some rounds, as whatever
// else the machine does can only make it longer. How large a release gets by that is for test/charts to look at.
func BenchmarkNodes(b *testing.B) {
	const nodes, rounds = 500, 5
	best := func(n int) time.Duration {
		m, ev := composed.Text(b, composed.Source("ovs", "ceph")+composed.Nodes(n, 8, `["compute"]`, "nova", "neutron"))
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
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(whole.Seconds(), "cpu-s/500-nodes")
	b.ReportMetric(whole.Seconds()/half.Seconds(), "x-half")
	if whole > maxCompose || whole.Seconds()/half.Seconds() > maxGrowth {
		b.Errorf("500 nodes take %v and half of them %v, want at most %v, and %v times as long", whole, half, maxCompose, maxGrowth)
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
