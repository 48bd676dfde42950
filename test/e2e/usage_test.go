//go:build beds

package e2e_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// usage is what a daemon has of the machine while it rests.
type usage struct {
	goroutines, descriptors int
	mib                     float64 // that only it has, neither code nor files
}

var goroutinesLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// use asks the daemon and the kernel.
func (r *rounds) use(t *testing.T) usage {
	t.Helper()
	metrics := (&story{daemon: r.daemon}).get(t, "/metrics")
	descriptors, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.daemon.PID))
	if err != nil {
		t.Fatal(err)
	}
	found := goroutinesLine.FindStringSubmatch(metrics)
	if found == nil {
		t.Fatalf("no goroutines in\n%s", metrics)
	}
	goroutines, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return usage{goroutines: goroutines, descriptors: len(descriptors), mib: anonymousMiB(t, r.daemon.PID)}
}
