package process_test

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// TestStopMarked: what left the session of a process that was stopped ends all the same: by itself
// when it does so in time, and else by a signal.
func TestStopMarked(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		grace  time.Duration
		fails  bool // it is ended by a signal
	}{
		"ends by itself":   {"echo ready; read line; exit 0", time.Minute, false},
		"has to be killed": {"trap '' TERM HUP; echo ready; sleep 600", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			home := "HOME=" + t.TempDir()
			other := exec.Command("/bin/sleep", "600")
			other.Env = []string{home + "2"} // another one's mark begins with ours
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Process.Kill(); _ = other.Wait() }()

			left := exec.Command("/bin/sh", "-c", c.script)
			left.Env = []string{home, "PATH=" + os.Getenv("PATH")}
			left.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			input, err := left.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			output, err := left.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := left.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if pids, err := process.Marked(home); err != nil || !slices.Contains(pids, left.Process.Pid) || slices.Contains(pids, other.Process.Pid) {
				t.Errorf("marked are %v, error %v", pids, err)
			}
			_ = input.Close()
			if err := process.StopMarked(t.Context(), home, c.grace); err != nil {
				t.Error(err)
			}
			if err := left.Wait(); (err != nil) != c.fails {
				t.Errorf("it ended with %v", err)
			}
			if pids, err := process.Marked(home); err != nil || len(pids) > 0 {
				t.Errorf("left are %v, error %v", pids, err)
			}
		})
	}
}
