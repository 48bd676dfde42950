package confine_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// TestKernelHoldsMemory takes memory in one step and touches none of it, so that nobody but the kernel
// can see it before it is there. The child is a program of its own, as the kernel does not hold what
// has a race detector.
func TestKernelHoldsMemory(t *testing.T) {
	slow.Test(t)
	limits := confine.Limits{Memory: 128 << 20, CPU: 10 * time.Second, Wall: time.Minute}
	r := &confine.Runner{Limits: limits, Program: program.Build(t, "internal/confine/testdata/leap")}
	for size, want := range map[int64]struct {
		excess confine.Excess
		answer string
	}{
		limits.Memory / 2: {confine.None, "taken"},
		limits.Memory * 2: {confine.Memory, ""},
		8 << 30:           {confine.Memory, ""},
	} {
		outcome, err := r.Run(t.Context(), "leap", tree(), strconv.FormatInt(size, 10))
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Excess != want.excess || string(outcome.Answer) != want.answer {
			t.Errorf("%d MiB at once: %v, %q, want %v, %q", size>>20, outcome.Excess, outcome.Answer, want.excess, want.answer)
		}
	}
}
