package program_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func TestBuild(t *testing.T) {
	t.Setenv(slow.Variable, "")
	own := program.Build(t, "test/program/testdata/hello")
	if said, err := exec.CommandContext(t.Context(), own).Output(); string(said) != "hello\n" || err != nil {
		t.Errorf("it said %q, %v", said, err)
	}
	bed := t.TempDir()
	t.Setenv(slow.Variable, bed)
	first := program.Build(t, "test/program/testdata/hello")
	before := stat(t, first)
	second := program.Build(t, "test/program/testdata/hello")
	if first != second || !os.SameFile(before, stat(t, second)) {
		t.Errorf("%s was built again as %s", first, second)
	}
	if said, err := exec.CommandContext(t.Context(), first).Output(); string(said) != "hello\n" || err != nil {
		t.Errorf("it said %q, %v", said, err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
