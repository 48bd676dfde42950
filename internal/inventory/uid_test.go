package inventory_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

func TestUsesUID(t *testing.T) {
	s := newStore()
	i, err := inventory.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := addr.MustParseObject("network.a"), addr.MustParseObject("network.b")
	check := func(step string, uid string, want bool) {
		t.Helper()
		again, err := inventory.Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if i.UsesUID(uid) != want || again.UsesUID(uid) != want {
			t.Errorf("%s: %s is used: %t, in the next process: %t", step, uid, i.UsesUID(uid), again.UsesUID(uid))
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check("empty", "one", false)
	do(i.Put(t.Context(), inventory.Entry{UID: "one", Address: a}))
	do(i.Put(t.Context(), inventory.Entry{UID: "one", Address: b}))
	do(i.Remove(t.Context(), a))
	check("in the middle of a move", "one", true)
	do(i.Put(t.Context(), inventory.Entry{UID: "two", Address: b}))
	check("under another uid", "one", false)
	check("under another uid", "two", true)
	do(i.Remove(t.Context(), b))
	check("removed", "two", false)
}
