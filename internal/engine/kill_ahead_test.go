package engine_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// TestKilledWithRecordsAhead kills the process at every point while manifests are on record ahead of their calls, some of
// which the next commit does not want: nothing is made twice, or lost, and no record is left of what was never made.
func TestKilledWithRecordsAhead(t *testing.T) {
	revisions := map[string]string{
		"one": `
manifest.a class=workload objects=a,more
manifest.b class=workload objects=b
manifest.c class=workload objects=c
manifest.d class=workload objects=d needs=manifest.c
manifest.gone class=workload objects=gone`,
		"two": `
manifest.a class=workload objects=a,more
manifest.b class=workload objects=b
manifest.c class=workload objects=c
manifest.d class=workload objects=d needs=manifest.c
manifest.e class=workload objects=e`,
	}
	for name, script := range map[string][]string{
		"with time":    {"parallel 1", "restart", "submit one", "settle", "submit two", "settle"},
		"without time": {"parallel 1", "restart", "submit one", "submit two", "settle"},
		"given up":     {"parallel 1", "restart", "submit one, then submit two", "settle", "submit two", "settle"},
	} {
		t.Run(name, func(t *testing.T) {
			killEveryPoint(t, revisions, script, func(s *scenario) {
				trace := s.world.takeTrace()
				for i, call := range trace {
					if slices.Contains(trace[i+1:], call) {
						s.t.Errorf("it did twice: %s\n%v", call, trace)
					}
				}
				for _, name := range []string{"b", "c", "d", "e"} {
					if got := s.world.sets[addr.MustParseObject("manifest."+name)]; !maps.Equal(got, map[string]bool{name: true}) {
						s.t.Errorf("of manifest.%s there are %v", name, got)
					}
				}
				if got := s.world.sets[addr.MustParseObject("manifest.gone")]; len(got) > 0 {
					s.t.Errorf("of manifest.gone there are %v", got)
				}
				for _, line := range []string{"entries manifest.a:owned manifest.b:owned manifest.c:owned manifest.d:owned manifest.e:owned", "quiet 1h"} {
					if err := s.run(line); err != nil {
						s.t.Errorf("%s: %v\n%s", line, err, s.status())
					}
				}
			})
		})
	}
}
