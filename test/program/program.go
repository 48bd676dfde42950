package program

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const module = "github.com/kupenstack/kupenstack-sync/"

// Build builds the command at path, which is relative to the module's root, and returns the path of
// the program. In a run with test beds it lies beside these, where go links again only what changed;
// without them it is the test's own. A command that does not build fails the test.
func Build(t testing.TB, path string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	dir := t.TempDir()
	if bed := os.Getenv(slow.Variable); bed != "" {
		dir = filepath.Join(bed, "programs")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Base(path)
	lock, err := filelock.Lock(ctx, filepath.Join(dir, name+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	program := filepath.Join(dir, name)
	// By Go's own linker, as the tests are: the system's takes longer, and nothing of C is linked here.
	command := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w -linkmode=internal", "-o", program, module+path)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, output)
	}
	return program
}
