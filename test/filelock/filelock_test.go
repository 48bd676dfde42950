package filelock_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := filelock.Try(path); second != nil || err != nil {
		t.Errorf("a second lock at once gives %v, %v", second, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := filelock.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock with a deadline gives %v", err)
	}
	waiting := make(chan error, 1)
	go func() {
		file, err := filelock.Lock(t.Context(), path)
		if file != nil {
			_ = file.Close()
		}
		waiting <- err
	}()
	_ = held.Close()
	if err := <-waiting; err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestLockInMissingDirectory(t *testing.T) {
	if _, err := filelock.Lock(t.Context(), filepath.Join(t.TempDir(), "none", "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
