package program_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func TestBuild(t *testing.T) {
	t.Setenv(slow.BedVariable, "")
	own := program.Build(t, "test/program/testdata/hello")
	if said, err := exec.CommandContext(t.Context(), own).Output(); string(said) != "hello\n" || err != nil {
		t.Errorf("it said %q, %v", said, err)
	}
	bed := t.TempDir()
	t.Setenv(slow.BedVariable, bed)
	first := program.Build(t, "test/program/testdata/hello")
	before := stat(t, first)
	t.Setenv("PATH", t.TempDir()) // go is not asked again
	second := program.Build(t, "test/program/testdata/hello")
	if first != second || !os.SameFile(before, stat(t, second)) {
		t.Errorf("%s was built again as %s", first, second)
	}
	if said, err := exec.CommandContext(t.Context(), first).Output(); string(said) != "hello\n" || err != nil {
		t.Errorf("it said %q, %v", said, err)
	}
}

// TestRaces: a race in a program that was built to tell of it fails the test that has run it, and only then.
func TestRaces(t *testing.T) {
	slow.Test(t) // the standard library is built once more
	t.Setenv(slow.BedVariable, t.TempDir())
	plain := program.Build(t, "test/program/testdata/racy")
	for _, variable := range []string{"", "1"} {
		t.Setenv(program.Variable, variable)
		r := &recorder{TB: t}
		racy := program.Build(t, "test/program/testdata/racy")
		command := exec.CommandContext(t.Context(), racy)
		command.Env = append(os.Environ(), program.Environment(r)...)
		said, err := command.CombinedOutput()
		for _, f := range r.cleanups {
			f()
		}
		if variable == "" && (racy != plain || err != nil || len(r.failures) > 0) {
			t.Errorf("%s: %v, %q, %q", racy, err, said, r.failures)
		}
		if variable != "" && (racy == plain || filepath.Base(racy) != filepath.Base(plain) || err == nil || len(r.failures) != 1 || !strings.Contains(r.failures[0], "DATA RACE")) {
			t.Errorf("%s: %v, %q, %q", racy, err, said, r.failures)
		}
	}
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
