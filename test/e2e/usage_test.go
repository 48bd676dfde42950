//go:build beds

package e2e_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	// calmPolls is how many polls of Git a daemon is looked at for: within them it looks at everything twice.
	calmPolls = 25
	// settles is how long a daemon has to come down to what it had before.
	settles = 4 * time.Minute
)

// use asks the daemon and the kernel. It returns how often the daemon has polled Git as well.
func (r *rounds) use(t *testing.T) (now usage, polls int) {
	t.Helper()
	metrics := (&story{daemon: r.daemon}).get(t, "/metrics")
	dir := fmt.Sprintf("/proc/%d/fd", r.daemon.PID)
	descriptors, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range descriptors {
		switch to, err := os.Readlink(filepath.Join(dir, one.Name())); {
		case err != nil: // it is closed again
		case strings.HasPrefix(to, "socket:"):
			now.connections++
		default:
			now.files++
		}
	}
	value := func(name string) (sum float64) {
		found := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(metrics, -1)
		if found == nil {
			t.Fatalf("no %s in\n%s", name, metrics)
		}
		for _, line := range found {
			one, err := strconv.ParseFloat(line[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += one
		}
		return sum
	}
	// The next collection is due when there is so much more than was left by the last one. How much that is our own environment may say.
	now.live = value("go_memstats_next_gc_bytes") / (1 + value("go_gc_gogc_percent")/100) / (1 << 20)
	now.mib = anonymousMiB(t, r.daemon.PID)
	// A connection of HTTP/1 has two, one of HTTP/2, which those to Kubernetes are, has one, and a watch has three. Which
	// of them there are says nothing: several connections are left of what was reset, and go when nothing has come by them for
	// a while; a watch that failed is begun anew up to a minute later.
	now.watches = r.proxies.Watches()
	now.goroutines = int(value("go_goroutines")) - 2*now.connections + r.proxies.Kubernetes.Connections() - 3*now.watches
	return now, int(value("kupenstack_polls_total"))
}

// calm is what the daemon has most of the time while it polls: it has more while it looks at everything.
func (r *rounds) calm(t *testing.T) usage {
	t.Helper()
	var goroutines, watches, files, connections []int
	var live, mib []float64
	_, first := r.use(t)
	world.Await(t, settles, func() (bool, string) {
		now, polls := r.use(t)
		goroutines, watches = append(goroutines, now.goroutines), append(watches, now.watches)
		files, connections = append(files, now.files), append(connections, now.connections)
		live, mib = append(live, now.live), append(mib, now.mib)
		return polls >= first+calmPolls, fmt.Sprintf("it has polled %d times", polls-first)
	})
	return usage{median(goroutines), median(watches), median(files), median(connections), median(live), median(mib)}
}

func median[T cmp.Ordered](of []T) T { return slices.Sorted(slices.Values(of))[len(of)/2] }

// least is what the daemon has once that does not become less any more: what has failed may still wait for its end.
func (r *rounds) least(t *testing.T) usage {
	t.Helper()
	least := r.calm(t)
	for begin := time.Now(); time.Since(begin) < settles; {
		now := r.calm(t)
		if now.goroutines >= least.goroutines && now.files >= least.files {
			break
		}
		least = least.least(now)
	}
	return least
}

// within waits until the daemon has come down to what it had, and returns what it has then. One that does not fails the test.
func (r *rounds) within(t *testing.T, had usage) usage {
	t.Helper()
	for begin := time.Now(); ; {
		switch now := r.calm(t); {
		case now.within(had):
			return now
		case time.Since(begin) > settles:
			t.Fatalf("the daemon has %+v, and had %+v:\n%s", now, had, r.stacks(t))
		}
	}
}

// created is in a dump of goroutines what has begun each of them.
var created = regexp.MustCompile(`(?m)^created by (\S+)`)

// stacks ends the daemon, and counts its goroutines by what has begun them.
func (r *rounds) stacks(t *testing.T) string {
	t.Helper()
	if err := r.daemon.Signal(syscall.SIGQUIT); err != nil {
		return err.Error()
	}
	world.Await(t, settles, func() (bool, string) { return !r.daemon.Alive(), "it is still there" })
	counts := map[string]int{}
	for _, one := range created.FindAllStringSubmatch(r.daemon.LogTail(4<<20), -1) {
		counts[one[1]]++
	}
	var lines []string
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		lines = append(lines, fmt.Sprintf("%4d %s", counts[name], name))
	}
	return strings.Join(lines, "\n")
}
