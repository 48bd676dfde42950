package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Marked lists the living processes whose environment has the entry, NAME=value. A process that
// has ended and is not reaped yet has no environment.
func Marked(entry string) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && isMarked(pid, entry) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func isMarked(pid int, entry string) bool {
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+entry+"\x00"))
}

// StopMarked waits until no process has the entry in its environment, and kills those that are left
// after the grace or when ctx ends. It is for what leaves the session that [Process.Stop] ends, as
// the ports of Erlang do, which end by themselves once they notice that nobody listens.
func StopMarked(ctx context.Context, entry string, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	const killed = 10 * time.Second
	deadline := time.Now().Add(grace + killed)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		pids, err := Marked(entry)
		if err != nil || len(pids) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v with %s do not end", pids, entry)
		}
		if ctx.Err() != nil {
			for _, pid := range pids {
				kill(pid, entry)
			}
		}
		<-tick.C
	}
}

// kill holds the process before it looks once more, so that no other one which was given the same id
// meanwhile is killed.
func kill(pid int, entry string) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if isMarked(pid, entry) {
		_ = p.Signal(syscall.SIGKILL)
	}
}
