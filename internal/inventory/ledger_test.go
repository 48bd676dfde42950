package inventory_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// Processes that know nothing of each other leave word what is in force, and lose nothing that others
// have written beside it.
func TestLedger(t *testing.T) {
	s := newStore()
	ledger := inventory.Ledger{Store: s, Path: "clouds/prod"}
	admitted := func(l inventory.Ledger, want string) {
		t.Helper()
		if got, err := l.Admitted(t.Context()); err != nil || got != want {
			t.Errorf("admitted is %q, %v; want %q", got, err, want)
		}
	}
	admitted(ledger, "")
	i := open(t, s) // as the engine has it all the time
	for _, id := range []string{"one", "two"} {
		if err := ledger.Admit(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		admitted(ledger, id)
	}
	deployment := inventory.Deployment{Cloud: "demo"}
	if err := i.SetDeployment(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	admitted(ledger, "two")
	admitted(inventory.Ledger{Store: s, Path: "clouds/test"}, "") // of another configuration
	before := s.puts
	if err := ledger.Admit(t.Context(), "two"); err != nil || s.puts != before {
		t.Errorf("%v, %d writes of what is stored", err, s.puts-before)
	}
	if got := open(t, s).Deployment(); got == nil || *got != deployment {
		t.Errorf("the deployment is %v", got)
	}
}
