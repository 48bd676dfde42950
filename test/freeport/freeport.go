package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
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
	if n > last-first+1 {
		return nil, fmt.Errorf("%d ports are more than there are between %d and %d", n, first, last)
	}
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
		lock, err := filelock.Try(filepath.Join(dir, strconv.Itoa(port)))
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

func unused(port int) bool {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	// A child that another goroutine is just forking holds a copy of the socket until it
	// executes its program. Shutting it down ends the listening for all copies.
	raw, err := listener.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RD) })
	}
	return errors.Join(err, listener.Close()) == nil
}
