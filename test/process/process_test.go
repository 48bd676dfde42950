package process_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// startShell runs a shell script that prints "up" once it is ready, and waits for that.
func startShell(t *testing.T, dir, name, script string) *process.Process {
	t.Helper()
	fifo := filepath.Join(dir, name+".fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(dir, process.Spec{Name: name, Args: []string{"/bin/sh", "-c", script}, Env: []string{"READY=" + fifo, "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background(), time.Second) })
	ready, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	if line, _ := bufio.NewReader(ready).ReadString('\n'); line != "up\n" {
		t.Fatalf("the script said %q, log: %s", line, p.LogTail(1000))
	}
	return p
}

func TestStopEndsDescendantsToo(t *testing.T) {
	dir := t.TempDir()
	p := startShell(t, dir, "parent", `sleep 1000 & echo $! >"$READY.child"; echo up >$READY; wait`)
	if !p.Alive() {
		t.Fatal("not alive after start")
	}
	if err := p.Stop(t.Context(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if p.Alive() {
		t.Error("still alive after Stop")
	}
	child, err := os.ReadFile(filepath.Join(dir, "parent.fifo.child"))
	if err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(child)) + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("the child outlived Stop: %s", state)
	}
	if _, err := process.Load(dir, "parent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the record is still there: %v", err)
	}
}

func TestStopKillsWhatIgnoresSIGTERM(t *testing.T) {
	p := startShell(t, t.TempDir(), "stubborn", `trap '' TERM; echo up >$READY; while :; do sleep 1000; done`)
	if err := p.Stop(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if p.Alive() {
		t.Error("still alive")
	}
}

// The shell goes on starting processes until it is killed itself, so that some are in no list made before.
func TestStopKillsWhatIsForkedMeanwhile(t *testing.T) {
	p := startShell(t, t.TempDir(), "parent", `trap '' TERM; echo up >$READY; i=0; while [ $i -lt 2000 ]; do sleep 300 & i=$((i+1)); done; wait`)
	if err := p.Stop(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}

func TestStopAfterLeaderDied(t *testing.T) {
	dir := t.TempDir()
	p := startShell(t, dir, "leader", `sleep 1000 & echo up >$READY; wait`)
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for p.Alive() {
		time.Sleep(time.Millisecond) // polls /proc: nothing tells when a process that is not a child ends
	}
	if err := p.Stop(t.Context(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
}

func TestRecycledProcessIDIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	p := startShell(t, dir, "bystander", `echo up >$READY; exec sleep 1000`)
	stale := *p
	stale.StartTicks-- // as if the record had been written for an earlier process with this id
	if stale.Alive() {
		t.Error("a process with another start time counts as alive")
	}
	if err := stale.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !p.Alive() {
		t.Fatal("the bystander was killed")
	}
}

func TestSecondStartOfOneNameIsRefused(t *testing.T) {
	dir := t.TempDir()
	startShell(t, dir, "once", `echo up >$READY; exec sleep 1000`)
	if _, err := process.Start(dir, process.Spec{Name: "once", Args: []string{"/bin/true"}}); err == nil {
		t.Fatal("want an error")
	}
}

func TestStopAllAndLogTail(t *testing.T) {
	dir := t.TempDir()
	a := startShell(t, dir, "a", `echo spoken; echo up >$READY; exec sleep 1000`)
	b := startShell(t, dir, "b", `echo up >$READY; exec sleep 1000`)
	if tail := a.LogTail(100); tail != "spoken\n" {
		t.Errorf("log is %q", tail)
	}
	all, err := process.LoadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" {
		t.Fatalf("records are %v", all)
	}
	if err := process.StopAll(t.Context(), dir, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if a.Alive() || b.Alive() {
		t.Error("still alive after StopAll")
	}
}

func TestStartOfMissingProgram(t *testing.T) {
	if _, err := process.Start(t.TempDir(), process.Spec{Name: "x", Args: []string{"/nonexistent/program"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

// TestBoundEndsWithItsStarter starts a program that starts two processes and ends, as a test does that is cut off.
func TestBoundEndsWithItsStarter(t *testing.T) {
	const variable = "TEST_PROCESS_STARTS_IN"
	if dir := os.Getenv(variable); dir != "" {
		for name, bound := range map[string]bool{"bound": true, "lasting": false} {
			if _, err := process.Start(dir, process.Spec{Name: name, Args: []string{"/bin/sleep", "1000"}, Bound: bound}); err != nil {
				t.Fatal(err)
			}
		}
		panic("cut off")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	starter := exec.CommandContext(t.Context(), own, "-test.run=^TestBoundEndsWithItsStarter$")
	starter.Env = append(os.Environ(), variable+"="+dir)
	if output, err := starter.CombinedOutput(); err == nil || !strings.Contains(string(output), "panic: cut off") {
		t.Fatalf("%v\n%s", err, output)
	}
	load := func(name string) *process.Process {
		p, err := process.Load(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Stop(context.Background(), time.Second) })
		return p
	}
	bound, lasting := load("bound"), load("lasting")
	deadline := time.Now().Add(time.Minute)
	for bound.Alive() && time.Now().Before(deadline) {
		runtime.Gosched() // the kernel has killed it, and needs a processor to end it
	}
	if bound.Alive() {
		t.Error("what was bound to it still runs")
	}
	if !lasting.Alive() {
		t.Error("what was not bound to it has ended")
	}
}

// TestBoundIsLeftAloneMeanwhile: goroutines and threads of the starter come and go.
func TestBoundIsLeftAloneMeanwhile(t *testing.T) {
	started := make(chan *process.Process)
	go func() { // whose thread ends with it
		runtime.LockOSThread()
		p, err := process.Start(t.TempDir(), process.Spec{Name: "bound", Args: []string{"/bin/sleep", "1000"}, Bound: true})
		if err != nil {
			t.Error(err)
		}
		started <- p
	}()
	p := <-started
	if p == nil {
		t.FailNow()
	}
	for range 100 {
		done := make(chan struct{})
		go func() { runtime.LockOSThread(); close(done) }()
		<-done
	}
	if !p.Alive() {
		t.Error("it was killed with a thread")
	}
	if err := p.Stop(t.Context(), 5*time.Second); err != nil {
		t.Error(err)
	}
}
