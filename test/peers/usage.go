package peers

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tick is what the kernel counts the time of processes in: USER_HZ is 100 wherever Go runs on Linux.
const tick = 10 * time.Millisecond

// ProcessorTime is what processes have used so far, with children of theirs that have ended.
func ProcessorTime(t testing.TB, pids []int) time.Duration {
	t.Helper()
	var total time.Duration
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		used, err := usedIn(string(text))
		if err != nil {
			t.Fatal(err)
		}
		total += used
	}
	return total
}

// usedIn reads utime, stime, cutime and cstime, the fields 14 to 17 of a process's stat. The name before them may have
// spaces, and ends with the last parenthesis.
func usedIn(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return 0, fmt.Errorf("%q is not what the kernel says of a process", stat)
	}
	var used time.Duration
	for _, field := range fields[11:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		used += time.Duration(n) * tick
	}
	return used, nil
}

var anonymousLine = regexp.MustCompile(`(?m)^RssAnon:\s+([0-9]+) kB$`)

// Anonymous is the memory in MiB that only these processes have: neither their code nor files.
func Anonymous(t testing.TB, pids []int) float64 {
	t.Helper()
	total := 0.0
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		found := anonymousLine.FindSubmatch(text)
		if found == nil {
			t.Fatalf("no anonymous memory in\n%s", text)
		}
		kib, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		total += float64(kib) / 1024
	}
	return total
}
