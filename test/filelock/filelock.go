package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock takes the exclusive lock on the file at path, which it creates when it is missing, and
// waits for it as long as ctx allows. Close the file to release the lock.
func Lock(ctx context.Context, path string) (*os.File, error) {
	// flock(2) cannot be bound by a context, so ask again and again.
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		file, err := Try(path)
		if file != nil || err != nil {
			return file, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lock %s: %w", path, ctx.Err())
		case <-tick.C:
		}
	}
}

// Try is Lock without waiting: it returns neither a file nor an error while somebody else has
// the lock.
func Try(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}
