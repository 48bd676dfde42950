//go:build beds

package supervisor_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/slow"
	"github.com/kupenstack/kupenstack-sync/test/supervisor"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// start starts a supervisor without beds, whose directory is the test's own.
func start(t *testing.T) (*supervisor.Beds, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	beds, err := supervisor.Start(t.Context(), supervisor.Options{Cache: t.TempDir(), Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	return beds, &out
}

func TestCommandFindsTheBedsAndItsExitCodeIsKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	beds, _ := start(t)
	err := beds.Run(t.Context(), []string{"/bin/sh", "-c", `test -d "$` + testbed.DirVariable + `" && test "$` + slow.Variable + `" = 1 && exit 7`})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("got %v, want exit code 7", err)
	}
	if err := beds.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := beds.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(beds.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestStopEndsWhatTestsRecordedAndLost(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	beds, out := start(t)
	lost, err := process.Start(filepath.Join(beds.Dir, testbed.PrivateDir, "x"), process.Spec{Name: "server", Args: []string{"/bin/sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lost.Signal(syscall.SIGKILL) })
	if err := beds.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lost.Alive() {
		t.Error("it still runs")
	}
	if !strings.Contains(out.String(), "nothing left running") {
		t.Errorf("the supervisor said %q", out)
	}
}

func TestStopNamesWhatEscaped(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	beds, _ := start(t)
	// A process that no record knows: only its inherited environment tells where it comes from.
	pidFile := filepath.Join(t.TempDir(), "pid")
	if err := beds.Run(t.Context(), []string{"/bin/sh", "-c", `setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >` + pidFile}); err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exec.Command("kill", strings.TrimSpace(string(pid))).Run() })
	for { // until it has become the program that it is to be: in between /proc has no environment for it
		command, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "cmdline"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(command, []byte("sleep")) {
			break
		}
	}
	// Less than a killed process is given to go: this one will not.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err = beds.Stop(ctx)
	if err == nil || !strings.Contains(err.Error(), "sleep 1000") {
		t.Fatalf("got %v, want an error that names the process", err)
	}
}

func TestStartStopsWhatAKilledSupervisorLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, err := os.MkdirTemp("", "kupenstack-testbed-")
	if err != nil {
		t.Fatal(err)
	}
	left, err := process.Start(filepath.Join(dead, testbed.ClusterDir), process.Spec{Name: "etcd", Args: []string{"/bin/sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = left.Signal(syscall.SIGKILL) })
	// The command that it ran, and a shell that has exported where the beds are.
	command, shell := exec.Command("/bin/sleep", "1000"), exec.Command("/bin/sleep", "1000")
	command.Env = []string{"KUPENSTACK_TESTBED=" + dead, "KUPENSTACK_TESTBED_RUN=" + dead}
	shell.Env = []string{"KUPENSTACK_TESTBED=" + dead}
	ended := map[*exec.Cmd]chan error{}
	for _, c := range []*exec.Cmd{command, shell} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		end := make(chan error, 1)
		go func() { end <- c.Wait() }()
		ended[c] = end
	}
	// The owner's file is there, but nobody holds its lock.
	if err := os.WriteFile(filepath.Join(dead, "owner"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	living, _ := start(t)
	if left.Alive() {
		t.Error("what the dead one left still runs")
	}
	select {
	case <-ended[command]:
	case <-time.After(time.Minute):
		t.Error("the command of the dead one still runs")
	}
	select {
	case err := <-ended[shell]:
		t.Errorf("a shell that names the directory was ended: %v", err)
	default:
	}
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory is still there: %v", err)
	}

	// A living supervisor's servers are left alone.
	kept, err := process.Start(filepath.Join(living.Dir, testbed.ClusterDir), process.Spec{Name: "etcd", Args: []string{"/bin/sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Stop(t.Context(), time.Second) })
	other, _ := start(t)
	if !kept.Alive() {
		t.Error("another start stopped a living supervisor's server")
	}
	for _, beds := range []*supervisor.Beds{other, living} {
		if err := beds.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestInterruptedCommandLeavesNoDescendants(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	beds, _ := start(t)
	ready := filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ran := make(chan error, 1)
	// A child that ignores SIGTERM, as a test binary does whose parent was told to stop.
	go func() {
		ran <- beds.Run(ctx, []string{"/bin/sh", "-c", `sh -c 'trap "" TERM; : >` + ready + `; while :; do sleep 1000; done' & wait`})
	}()
	for { // the shell says nothing but by the file
		if _, err := os.Stat(ready); err == nil {
			break
		}
		select {
		case err := <-ran:
			t.Fatalf("the command ended by itself: %v", err)
		default:
		}
	}
	cancel()
	if err := <-ran; err == nil {
		t.Error("an interrupted command counts as a success")
	}
	if err := beds.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBedThatTheMachineCannotHave(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("OS_CLOUD", "")
	var out bytes.Buffer
	options := supervisor.Options{
		OpenStack: true, Cache: t.TempDir(), Out: &out,
		Unsupported: func() string { return "no apt-get here; set OS_CLOUD" },
	}
	beds, err := supervisor.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1 || !strings.Contains(out.String(), "set OS_CLOUD") {
		t.Errorf("the supervisor said %q, want one line with the reason", out.String())
	}
	t.Setenv(testbed.DirVariable, beds.Dir)
	skipped := false
	t.Run("a test that asks for it", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		testbed.OpenStack(t)
	})
	if !skipped {
		t.Error("the test was not skipped")
	}
	if err := beds.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	options.RequireAll = true
	if _, err := supervisor.Start(t.Context(), options); err == nil || !strings.Contains(err.Error(), "set OS_CLOUD") {
		t.Errorf("in CI: got %v, want the reason as an error", err)
	}
}

func TestPrepareTools(t *testing.T) {
	if err := supervisor.Prepare(t.Context(), supervisor.Options{Out: t.Output()}); err != nil {
		t.Errorf("with all programs at hand: %v", err)
	}
	programs := t.TempDir() // all but the compiler, and no package manager
	for _, name := range []string{"git", "ssh", "ssh-keygen"} {
		if err := os.Symlink("/bin/true", filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs)
	err := supervisor.Prepare(t.Context(), supervisor.Options{Out: t.Output()})
	if err == nil || !strings.HasPrefix(err.Error(), "missing gcc, libc6-dev: this needs ") {
		t.Errorf("without a compiler: %v; want the packages that are missing", err)
	}
	t.Setenv("PATH", t.TempDir())
	err = supervisor.Prepare(t.Context(), supervisor.Options{Out: t.Output()})
	if err == nil || !strings.HasPrefix(err.Error(), "missing gcc, git, libc6-dev, openssh-client: this needs ") {
		t.Errorf("without any program: %v; want each package once", err)
	}
}

func TestChoose(t *testing.T) {
	both, err := supervisor.Choose("cluster,openstack", "true")
	if err != nil || !both.Cluster || !both.OpenStack || !both.RequireAll {
		t.Errorf("in CI: %+v, %v; want both beds, and none left out", both, err)
	}
	one, err := supervisor.Choose("cluster", "")
	if err != nil || !one.Cluster || one.OpenStack || one.RequireAll {
		t.Errorf("by hand: %+v, %v; want the cluster, and what cannot be had left out", one, err)
	}
	for ci, want := range map[string]bool{"": false, "false": false, "0": false, "true": true, "1": true, "yes": true} {
		if options, err := supervisor.Choose("openstack", ci); err != nil || options.RequireAll != want {
			t.Errorf("CI=%s: %+v, %v", ci, options, err)
		}
	}
	if _, err := supervisor.Choose("cluster,ceph", ""); err == nil {
		t.Error("an unknown bed is taken")
	}
}
