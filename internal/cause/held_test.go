package cause_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
)

func TestHeld(t *testing.T) {
	for want, finalizers := range map[string][]string{
		"": {"foregroundDeletion", "orphan"},
		", and stays until its finalizer example.org/hold is taken off":                     {"example.org/hold", "foregroundDeletion"},
		", and stays until its finalizers example.org/a and example.org/hold are taken off": {"example.org/hold", "example.org/a"},
	} {
		if got := cause.Held(finalizers); got != want {
			t.Errorf("%q: got %q, want %q", finalizers, got, want)
		}
	}
}
