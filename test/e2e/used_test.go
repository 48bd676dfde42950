package e2e_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/program"
)

const (
	// What a daemon may have more: connections that wait for a request come and go, and each has two goroutines.
	spareGoroutines, spareFiles, spareConnections = 2, 2, 4
	// Some watches may have waited to be begun anew as they were counted first.
	spareWatches = 4
	// What a program uses varied by a sixth, and the memory of the process by more.
	spareLive, spareLiveShare = 2.0, 1.25
	spareMiB, spareMiBShare   = 10.0, 1.3
)

// usage is what a daemon has of the machine while it rests.
type usage struct {
	goroutines         int // but for those of connections and of watches that are open
	watches            int // that are open: what the goroutines are counted without
	files, connections int
	live               float64 // MiB of what its program uses, as of the last time that it was looked through
	mib                float64 // MiB that only it has, neither code nor files
}

// least is the lesser of each.
func (u usage) least(other usage) usage {
	return usage{
		min(u.goroutines, other.goroutines), min(u.watches, other.watches), min(u.files, other.files), min(u.connections, other.connections),
		min(u.live, other.live), min(u.mib, other.mib),
	}
}

// within tells whether it is no more than another one, but for what comes and goes. The race detector has memory of its
// own.
func (u usage) within(other usage) bool {
	return u.goroutines <= other.goroutines+spareGoroutines && u.watches <= other.watches+spareWatches && u.files <= other.files+spareFiles && u.connections <= other.connections+spareConnections &&
		u.live <= other.live*spareLiveShare+spareLive && (program.Detecting() || u.mib <= other.mib*spareMiBShare+spareMiB)
}

// TestMoreThanItHad: a daemon that has more of anything than may come and go is told, and one that has less is not.
func TestMoreThanItHad(t *testing.T) {
	had := usage{goroutines: 100, watches: 14, files: 10, connections: 8, live: 10, mib: 30}
	for name, more := range map[string]usage{
		"goroutines": {goroutines: spareGoroutines + 1}, "watches": {watches: spareWatches + 1}, "files": {files: spareFiles + 1},
		"connections": {connections: spareConnections + 1}, "live": {live: 0.25*10 + spareLive + 0.1}, "mib": {mib: 0.3*30 + spareMiB + 0.1},
	} {
		now := usage{
			had.goroutines + more.goroutines, had.watches + more.watches, had.files + more.files, had.connections + more.connections, had.live + more.live, had.mib + more.mib,
		}
		if tells := !now.within(had); tells != (name != "mib" || !program.Detecting()) {
			t.Errorf("more %s is told: %t", name, tells)
		}
		if !had.within(now) || now.least(had) != had || had.least(now) != had {
			t.Errorf("less %s is too much", name)
		}
	}
	if !had.within(had) {
		t.Error("the same is too much")
	}
}
