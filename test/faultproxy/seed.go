package faultproxy

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const (
	// SeedVariable names the environment variable that replays a run.
	SeedVariable = "KUPENSTACK_TEST_SEED"
	// RunsVariable names the one that has more runs than the few of a test; `make soak` sets it.
	RunsVariable = "KUPENSTACK_TEST_RUNS"
)

// Seed returns the seed of this run, from SeedVariable or else a new one, and logs how to
// get the same again.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(SeedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
	}
	t.Logf("seed %d: replay with %s", seed, Replay(seed))
	return seed
}

// Replay is what has a seed do again what it does now: of fewer runs the one that failed may be none.
func Replay(seed uint64) string {
	variables := SeedVariable + "=" + strconv.FormatUint(seed, 10)
	if runs := os.Getenv(RunsVariable); runs != "" {
		variables += " " + RunsVariable + "=" + runs
	}
	return variables
}

// Rand returns a source of chance that depends on the seed and the key alone, so that two
// users of one seed do not disturb each other's decisions.
func Rand(seed uint64, key ...string) *rand.Rand {
	hash := fnv.New128a()
	_, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, seed))
	for _, part := range key {
		_, _ = hash.Write([]byte(part))
		_, _ = hash.Write([]byte{0}) // keeps ("ab", "c") and ("a", "bc") apart
	}
	sum := hash.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:])))
}
