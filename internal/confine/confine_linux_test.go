package confine_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
)

func TestChildCannotWrite(t *testing.T) {
	outcome, err := runner().Run(t.Context(), "write", tree(), filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	if string(outcome.Answer) != "refused" && outcome.Excess != confine.Crash { // the kernel's signal may end it first
		t.Errorf("the child wrote a file: %v, %q", outcome.Excess, outcome.Answer)
	}
}

func TestPeakIsTold(t *testing.T) {
	outcome, err := runner().Run(t.Context(), "list", tree())
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Peak < 1<<20 || outcome.Work <= 0 || outcome.CPU <= 0 {
		t.Errorf("peak %d, work %v, processor %v", outcome.Peak, outcome.Work, outcome.CPU)
	}
}

// TestChildHasNoDescriptors leaves one open that ends with no process of its own accord, as what
// started this one may have done.
func TestChildHasNoDescriptors(t *testing.T) {
	secret, err := os.Create(filepath.Join(t.TempDir(), "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = secret.Close() }()
	kept, err := syscall.Dup(int(secret.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(kept) }()
	outcome, err := runner().Run(t.Context(), "descriptors", tree())
	if err != nil {
		t.Fatal(err)
	}
	if len(outcome.Answer) > 0 {
		t.Errorf("the child has %q", outcome.Answer)
	}
}
