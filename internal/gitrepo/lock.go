package gitrepo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Several processes may use one cache, such as two runs of a script on one machine. What they share is kept
// together by two kinds of locks, which the kernel takes back from whoever dies: one over the cache, held for
// the moment in which its files are written or looked through, and one in each repository, shared by all
// stores that read it or write it.
const (
	lockFile = "lock"
	useFile  = "in-use"

	// lockWait is how long the moments of others are waited for. They take milliseconds, so that longer
	// means a process that was stopped in the midst of one.
	lockWait = 20 * time.Second
	lockPoll = 5 * time.Millisecond
)

// alone does something while no other process does: looking through the files of the cache, or writing them.
// The cache comes to be when it is not there.
func (c *cache) alone(do func() error) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	path := filepath.Join(c.dir, lockFile)
	for until := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		file, err := tryLock(path, unix.LOCK_EX)
		switch {
		case errors.Is(err, errInUse) && time.Now().Before(until):
			continue
		case errors.Is(err, errInUse):
			return fmt.Errorf("%w: another process has locked %s for more than %s; end it, or give each a cache of its own", err, path, lockWait)
		case err != nil:
			return fmt.Errorf("locking the cache: %w", err)
		}
		return errors.Join(do(), file.Close())
	}
}

// errInUse says that another process, or another store of this one, has a lock.
var errInUse = errors.New("the cache is in use")

// tryLock takes a lock at once, and holds it until the file is closed.
func tryLock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
	}
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		err = errInUse
	}
	return nil, errors.Join(err, file.Close())
}

// removeUnused removes a repository unless a store has it open, in whichever process.
func removeUnused(dir string) {
	file, err := tryLock(filepath.Join(dir, useFile), unix.LOCK_EX)
	if err != nil {
		return // it is in use, or is tried again next time
	}
	defer func() { _ = file.Close() }() // nothing was written
	_ = os.RemoveAll(dir)               // as above
}
