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

	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	// calmPolls is how many polls of Git a daemon is looked at for: within them it looks at everything twice.
	calmPolls = 25
	// settles is how long a daemon has to come down to what it had before.
	settles = 4 * time.Minute
	// What a daemon may have more: connections that wait for a request come and go, and each has two goroutines.
	spareGoroutines, spareFiles, spareConnections = 2, 2, 4
	// What a program uses was from 18 to 21 MiB, and the memory of the process half as much again to twice as much.
	spareLive, spareLiveShare = 2.0, 1.25
	spareMiB, spareMiBShare   = 10.0, 1.3
)

// usage is what a daemon has of the machine while it rests.
type usage struct {
	goroutines         int // but for those of connections and of watches that are open
	files, connections int
	live               float64 // MiB of what its program uses, as of the last time that it was looked through
	mib                float64 // MiB that only it has, neither code nor files
}

// least is the lesser of each.
func (u usage) least(other usage) usage {
	return usage{
		min(u.goroutines, other.goroutines), min(u.files, other.files), min(u.connections, other.connections), min(u.live, other.live), min(u.mib, other.mib),
	}
}

// within tells whether it is no more than another one, but for what comes and goes. The race detector has memory of its
// own.
func (u usage) within(other usage) bool {
	return u.goroutines <= other.goroutines+spareGoroutines && u.files <= other.files+spareFiles && u.connections <= other.connections+spareConnections &&
		u.live <= other.live*spareLiveShare+spareLive && (program.Detecting() || u.mib <= other.mib*spareMiBShare+spareMiB)
}

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
	// The next collection is due when there is twice as much as was left by the last one.
	now.live, now.mib = value("go_memstats_next_gc_bytes")/2/(1<<20), anonymousMiB(t, r.daemon.PID)
	// A connection of HTTP/1 has two, one of HTTP/2, which those to Kubernetes are, has one, and a watch has three. Which
	// of them there are says nothing: several connections are left of what was reset, and go when nothing has come by them for
	// a while; a watch that failed is begun anew up to a minute later.
	now.goroutines = int(value("go_goroutines")) - 2*now.connections + r.proxies.Kubernetes.Connections() - 3*r.proxies.Watches()
	return now, int(value("kupenstack_polls_total"))
}

// calm is what the daemon has most of the time while it polls: it has more while it looks at everything.
func (r *rounds) calm(t *testing.T) usage {
	t.Helper()
	var goroutines, files, connections []int
	var live, mib []float64
	_, first := r.use(t)
	world.Await(t, settles, func() (bool, string) {
		now, polls := r.use(t)
		goroutines, files, connections = append(goroutines, now.goroutines), append(files, now.files), append(connections, now.connections)
		live, mib = append(live, now.live), append(mib, now.mib)
		return polls >= first+calmPolls, fmt.Sprintf("it has polled %d times", polls-first)
	})
	return usage{median(goroutines), median(files), median(connections), median(live), median(mib)}
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
