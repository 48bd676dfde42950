package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const module = "github.com/kupenstack/kupenstack-sync/"

// Variable names the environment variable that has programs built with the race detector; `make soak` sets it for the
// tests that kill the daemon. Else they are built as they are shipped: tests measure what they take of the machine.
const Variable = "KUPENSTACK_TEST_RACE"

// Detecting tells whether programs are built with the race detector, and so take several times as much of the machine.
func Detecting() bool { return os.Getenv(Variable) != "" }

// Build builds the command at path, which is relative to the module's root, and returns the path of
// the program. In a run with test beds it lies beside these, where go links again only what changed;
// without them it is the test's own, and each process of tests has go look for that once: that takes seconds. A command that does not build
// fails the test.
func Build(t testing.TB, path string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	dir := t.TempDir()
	if bed := os.Getenv(slow.BedVariable); bed != "" {
		dir = filepath.Join(bed, "programs")
	}
	arguments := []string{"build"}
	if Detecting() {
		dir, arguments = filepath.Join(dir, "race"), append(arguments, "-race") // servers know a program by its name
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path)
	lock, err := filelock.Lock(ctx, filepath.Join(dir, name+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	program := filepath.Join(dir, name)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stamp, current := program+".for", fmt.Sprintf("%s, process %d", self, os.Getpid()) // go runs each test binary from a directory of its own
	if had, err := os.ReadFile(stamp); err == nil && string(had) == current {
		return program
	}
	// By Go's own linker, as the tests are: the system's takes longer, and nothing of C is linked here.
	command := exec.CommandContext(ctx, "go", append(arguments, "-ldflags=-s -w -linkmode=internal", "-o", program, module+path)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, output)
	}
	if err := os.WriteFile(stamp, []byte(current), 0o600); err != nil {
		t.Fatal(err)
	}
	return program
}

// Environment returns what a program is to have in its environment beside all else, as the last: a race in it then fails the
// test, however the program ends. It is to be asked for before the program is started.
func Environment(t testing.TB) []string {
	t.Helper()
	if !Detecting() {
		return nil
	}
	report := filepath.Join(t.TempDir(), "race")
	t.Cleanup(func() {
		found, err := filepath.Glob(report + ".*") // of each process that had one
		if err != nil {
			t.Error(err)
		}
		for _, path := range found {
			said, err := os.ReadFile(path)
			t.Errorf("a program that the test has run has a race: %s, %v", said, err)
		}
	})
	return []string{"GORACE=log_path=" + report + " atexit_sleep_ms=0"}
}
