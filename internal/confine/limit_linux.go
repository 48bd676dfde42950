package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// executable is this program, even when its file was replaced since it was started.
func executable() (string, error) { return "/proc/self/exe", nil }

// limit makes the kernel hold the limits for this process, which may take that much memory.
func limit(limits Limits, room int64) error {
	if err := closeInherited(); err != nil {
		return err
	}
	// The kernel counts what is mapped, of which Go's runtime has much that it never touches. What
	// may be added to that is what there is room for beside what the program holds now.
	mapped, held := memory("VmData:"), memory("RssAnon:")
	seconds := uint64(limits.CPU/time.Second) + 2 //nolint:gosec // positive
	bounds := []struct {
		resource int
		name     string
		value    uint64
	}{
		{unix.RLIMIT_CPU, "RLIMIT_CPU", seconds},
		{unix.RLIMIT_CORE, "RLIMIT_CORE", 0},
		{unix.RLIMIT_FSIZE, "RLIMIT_FSIZE", 0},
		{unix.RLIMIT_DATA, "RLIMIT_DATA", uint64(mapped + max(0, room-held))}, //nolint:gosec // positive
	}
	for _, b := range bounds {
		if b.resource == unix.RLIMIT_DATA && shadowed {
			continue
		}
		if err := unix.Setrlimit(b.resource, &unix.Rlimit{Cur: b.value, Max: b.value}); err != nil {
			return fmt.Errorf("set %s: %w", b.name, err)
		}
	}
	return nil
}

// closeInherited closes what a parent of the parent may have left open, and keeps what Go's
// runtime itself has opened, which has no file.
func closeInherited() error {
	const directory = "/proc/self/fd"
	entries, err := os.ReadDir(directory)
	if err != nil {
		return fmt.Errorf("list open files: %w", err)
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || n <= 2 {
			continue
		}
		if link, err := os.Readlink(filepath.Join(directory, e.Name())); err == nil && !strings.HasPrefix(link, "anon_inode:") {
			_ = unix.Close(n) // the one that listed is closed already
		}
	}
	return nil
}

// processorTime is what all threads of this process have used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// text is how much of the program itself is in memory.
func text() int64 { return memory("RssFile:") }

// peak is the most memory that this process held at once. The kernel's count for a process that
// has ended would hold what the parent had when it started it.
func peak() int64 { return memory("VmHWM:") }

// memory returns a line of what the kernel knows about this process, in bytes; 0 without it.
func memory(line string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for found := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(found, line); is {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}
