package readme_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// TestTryIt runs what a new user is told to type, in a directory with what these lines take from a clone. `make build`
// has a counterpart here that takes less time, and `make demo` a test of its own.
func TestTryIt(t *testing.T) {
	slow.Test(t)
	lines := regexp.MustCompile(`(?m)^    make build\n((?:    .*\n)+)`).FindStringSubmatch(section(t, "Try it"))
	if lines == nil {
		t.Fatal("README.md says no more what comes after make build")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	for _, dir := range []string{"examples", "test/charts/charts"} {
		if err := os.CopyFS(filepath.Join(clone, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	built := program.Build(t, "cmd/kupenstack-sync")
	if err := os.Mkdir(filepath.Join(clone, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(built, filepath.Join(clone, "bin", filepath.Base(built))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	typed := exec.CommandContext(ctx, "sh", "-ec", lines[1])
	typed.Dir = clone
	output, err := typed.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "The configuration is valid: cloud demo, ") {
		t.Errorf("%s\n%v\n%s", lines[1], err, output)
	}
}
