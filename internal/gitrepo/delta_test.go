package gitrepo_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestLargeFilesToldAsChanges has two files of more than a mebibyte of which the server tells one as a change of the other, with
// parts of it in another order: the library reads such a one wrong when it streams it.
func TestLargeFilesToldAsChanges(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	chance := rand.New(rand.NewPCG(1, 2))
	part := func(size int) string {
		var text strings.Builder
		for text.Len() < size {
			fmt.Fprintf(&text, "%x: %x\n", chance.Uint64(), chance.Uint64())
		}
		return text.String()
	}
	first, second, third, last := part(5000), part(5000), part(700_000), part(700_000)
	content := map[string]string{"one.yaml": first + second + third + last, "two.yaml": second + first + last + third}
	b.repo.Commit(t, content, "Describe much")
	repack := exec.CommandContext(t.Context(), "git", "repack", "-a", "-d", "-f", "-q") // as whoever pushes packs it
	repack.Dir = b.repo.Dir
	if said, err := repack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	fsys := files(t, pull(t, b.open(t)), ".")
	for name, want := range content {
		if got, err := fs.ReadFile(fsys, name); err != nil || string(got) != want {
			t.Errorf("of %s there are %d bytes of %d: %v", name, len(got), len(want), err)
		}
	}
}
