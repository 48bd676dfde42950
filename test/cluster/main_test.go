//go:build beds

package cluster_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/process"
)

// TestMain lets the test binary play the programs that the package runs, under their names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "go":
		os.Exit(fakeGo(os.Args[1:]))
	case "etcd":
		fmt.Fprintln(os.Stderr, "fake server: cannot start")
		os.Exit(1)
	case "kube-apiserver":
		<-time.After(10 * time.Minute) // stays until it is stopped, and not for ever if nobody does
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// cpuTime returns what the servers of a cluster have used so far, from /proc.
func cpuTime(t testing.TB, c *cluster.Cluster) time.Duration {
	t.Helper()
	all, err := process.LoadAll(c.LogDir)
	if err != nil {
		t.Fatal(err)
	}
	var ticks int
	for _, p := range all {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		// After the name: fields 14 and 15 of proc_pid_stat(5), of which the third comes first here.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		for _, field := range fields[11:13] {
			n, err := strconv.Atoi(string(field))
			if err != nil {
				t.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100 on every Linux
}
