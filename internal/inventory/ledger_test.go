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

// What was admitted since the inventory was opened is still on record once somebody has deleted that, whoever writes it
// again: else a process that begins without Git would go back to the revision with which the one before began. And all
// else on record is, although a revision is admitted before anybody has noticed.
func TestLedgerIsRestored(t *testing.T) {
	deployment := inventory.Deployment{Cloud: "demo"}
	for name, again := range map[string]func(*testing.T, *inventory.Inventory, inventory.Ledger){
		"by who keeps it": func(t *testing.T, i *inventory.Inventory, _ inventory.Ledger) {
			if restored, err := i.Restore(t.Context()); err != nil || len(restored) != 1 {
				t.Errorf("restored are %q: %v", restored, err)
			}
		},
		"by a write beside it": func(t *testing.T, i *inventory.Inventory, _ inventory.Ledger) {
			if err := i.SetHome(t.Context(), inventory.Home{Project: "p"}); err != nil {
				t.Error(err)
			}
		},
		"by the next revision": func(t *testing.T, i *inventory.Inventory, l inventory.Ledger) {
			for _, id := range []string{"three", "two"} {
				if err := l.Admit(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
			if restored, err := i.Restore(t.Context()); err != nil || len(restored) > 0 {
				t.Errorf("restored are %q: %v", restored, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore()
			if err := (inventory.Ledger{Store: s, Path: "prod"}).Admit(t.Context(), "one"); err != nil { // by a process before
				t.Fatal(err)
			}
			i := open(t, s)
			if err := i.SetDeployment(t.Context(), deployment); err != nil {
				t.Fatal(err)
			}
			ledger := inventory.Ledger{Store: s, Path: "prod", Live: func() *inventory.Inventory { return i }}
			if err := ledger.Admit(t.Context(), "two"); err != nil {
				t.Fatal(err)
			}
			delete(s.shards, "deployment")
			again(t, i, ledger)
			if id, err := ledger.Admitted(t.Context()); err != nil || id != "two" {
				t.Errorf("on record is %q, %v; admitted last was two", id, err)
			}
			if got := open(t, s).Deployment(); got == nil || *got != deployment {
				t.Errorf("the deployment on record is %v", got)
			}
		})
	}
}
