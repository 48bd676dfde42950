package faultproxy

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// SeedVariable names the environment variable that replays a run.
const SeedVariable = "KUPENSTACK_TEST_SEED"

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
	t.Logf("seed %d: replay with %s=%d", seed, SeedVariable, seed)
	return seed
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
