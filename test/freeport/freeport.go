// Package freeport finds TCP ports on the loopback interface for servers that
// cannot choose one themselves.
//
// Asking the kernel for port 0 and closing the listener hands out a number that
// any outgoing connection may take a moment later. The ports here come from below
// the kernel's ephemeral range, and each is reserved among the project's own
// processes by a lock on a file until the reserving process ends.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// The range lies below 32768, where Linux begins to take ephemeral ports.
const (
	first = 20000
	last  = 31999
)

// Allocator hands out ports. The zero value is ready to use. It is safe for
// concurrent use. The reservations end with Release or with the process.
type Allocator struct {
	mu    sync.Mutex
	locks []*os.File
}

// Take returns n different ports on which nobody listens on 127.0.0.1 and which no
// other living Allocator on this machine has reserved.
func (a *Allocator) Take(n int) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	dir := filepath.Join(os.TempDir(), "kupenstack-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("reserve ports: %w", err)
	}
	var ports []int
	start := rand.IntN(last - first + 1)
	for i := 0; i <= last-first && len(ports) < n; i++ {
		port := first + (start+i)%(last-first+1)
		lock, err := reserve(filepath.Join(dir, strconv.Itoa(port)))
		if err != nil {
			return nil, fmt.Errorf("reserve port %d: %w", port, err)
		}
		if lock == nil {
			continue
		}
		if !unused(port) {
			_ = lock.Close()
			continue
		}
		a.locks = append(a.locks, lock)
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, fmt.Errorf("only %d of %d ports between %d and %d are free on 127.0.0.1", len(ports), n, first, last)
	}
	return ports, nil
}

// Release gives back every port that was taken.
func (a *Allocator) Release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, lock := range a.locks {
		_ = lock.Close()
	}
	a.locks = nil
}

// reserve returns nil without an error when somebody else holds the lock.
func reserve(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if err == unix.EWOULDBLOCK {
		return nil, nil
	}
	return nil, err
}

func unused(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
