package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
	"github.com/kupenstack/kupenstack-sync/test/process"
)

// dirPattern names the directories of runs below the system's directory for temporary files.
const dirPattern = "kupenstack-testbed-*"

// ownerFile is locked by the living supervisor; the kernel releases it when that dies.
const ownerFile = "owner"

// newDir makes the directory of a run. Its owner is whoever keeps the file open.
func newDir() (dir string, owner *os.File, err error) {
	if dir, err = os.MkdirTemp("", dirPattern); err != nil {
		return "", nil, err
	}
	if owner, err = filelock.Try(filepath.Join(dir, ownerFile)); owner == nil {
		return "", nil, errors.Join(fmt.Errorf("cannot own the new directory %s", dir), err)
	}
	return dir, owner, nil
}

// reap stops what dead supervisors of this user left running and removes their directories.
func reap(ctx context.Context, out io.Writer) error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), dirPattern))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ownedByMe(info) {
			continue
		}
		// A directory without an owner file may just be in the making.
		if _, err := os.Stat(filepath.Join(dir, ownerFile)); err != nil && time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if err := reapOne(ctx, out, dir); err != nil {
			return fmt.Errorf("stop what a killed run left in %s: %w", dir, err)
		}
	}
	return nil
}

func reapOne(ctx context.Context, out io.Writer, dir string) error {
	owner, err := filelock.Try(filepath.Join(dir, ownerFile))
	if owner == nil {
		return err // its supervisor lives
	}
	defer owner.Close()
	running, err := recordDirs(dir)
	if err != nil {
		return err
	}
	orphans, err := orphaned(dir)
	if err != nil {
		return err
	}
	if len(running) == 0 && len(orphans) == 0 && !abandoned(dir) {
		return nil // the logs of a failed run, kept for reading
	}
	fmt.Fprintf(out, "stopping what a killed run left in %s\n", dir)
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for _, pid := range orphans {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile, when its servers did
	}
	if err := stopRecorded(ctx, dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// runVariable tells the command of a run and its descendants from a shell whose user has exported where
// the beds are.
const runVariable = "KUPENSTACK_TESTBED_RUN"

// orphaned are the processes of the command that a supervisor ran.
func orphaned(dir string) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if slices.Contains(strings.Split(string(environment), "\x00"), runVariable+"="+dir) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// abandoned tells whether nobody will read the logs of a failed run any more.
func abandoned(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && time.Since(info.ModTime()) > 24*time.Hour
}

// stopRecorded stops every process that has a record anywhere below dir.
func stopRecorded(ctx context.Context, dir string) error {
	dirs, err := recordDirs(dir)
	if err != nil {
		return err
	}
	var failures []error
	for _, d := range dirs {
		failures = append(failures, process.StopAll(ctx, d, 5*time.Second))
	}
	return errors.Join(failures...)
}

func recordDirs(root string) ([]string, error) {
	seen := map[string]bool{}
	var dirs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a server is still tidying up
		}
		if err != nil {
			return err
		}
		if dir := filepath.Dir(path); process.IsRecord(path) && !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs, err
}

// leftovers lists the processes whose command line or environment names the directory: those
// that the beds started and those that inherited it from a test.
func leftovers(dir string) ([]string, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var left []string
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		command, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		environment, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if bytes.Contains(command, []byte(dir)) || bytes.Contains(environment, []byte(dir)) {
			left = append(left, strconv.Itoa(pid)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return left, nil
}
