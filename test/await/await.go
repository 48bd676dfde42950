package await

import (
	"testing"
	"time"
)

// Limit is how long these functions wait.
const Limit = 5 * time.Minute

// Receive returns the next value of a channel, or fails the test with what it waited for.
func Receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Limit):
		t.Fatalf("waited %v for %s", Limit, what)
		panic("unreachable")
	}
}

// Until returns once a condition holds, or fails the test with what it waited for. It polls: it is for
// what has no events.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(Limit); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", Limit, what)
		}
	}
}
