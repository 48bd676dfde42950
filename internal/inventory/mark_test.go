package inventory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

func TestUIDsAndMarks(t *testing.T) {
	key := redact.NewSecret("a key that nobody guesses")
	ours := inventory.NewMarker("ours", key)
	a, b := addr.MustParseObject("network.a"), addr.MustParseObject("network.b")
	if ours.UID(a) != inventory.NewMarker("ours", key).UID(a) {
		t.Error("the same address has another uid in the next process")
	}
	mark := ours.Mark(ours.UID(a))
	if !strings.HasPrefix(mark, "kupenstack:"+ours.UID(a)+".") || len(mark) > 60 {
		t.Errorf("the mark is %q", mark)
	}
	others := map[string]string{
		"another address":      ours.Mark(ours.UID(b)),
		"another installation": inventory.NewMarker("theirs", key).Mark(inventory.NewMarker("theirs", key).UID(a)),
		// Who reads the uid, but has no key, cannot make the rest.
		"another key": inventory.NewMarker("ours", redact.NewSecret("some other key")).Mark(ours.UID(a)),
		// Nor does the mark of one object help with another.
		"moved": strings.Replace(mark, ours.UID(a), ours.UID(b), 1),
	}
	if uid, ok := ours.Own(mark); !ok || uid != ours.UID(a) {
		t.Errorf("%q is taken for the mark of %q: %t", mark, uid, ok)
	}
	for _, text := range []string{"", "kupenstack:", "kupenstack:" + ours.UID(a), mark + "x", strings.ToUpper(mark), others["another installation"], others["another key"], others["moved"]} {
		if _, ok := ours.Own(text); ok {
			t.Errorf("%q is taken for a mark of ours", text)
		}
	}
	for why, forged := range others {
		if forged == mark || forged == ours.Mark(ours.UID(b)) && why != "another address" {
			t.Errorf("%s: %q passes for ours", why, forged)
		}
	}
}

func TestUIDsOfAnAddress(t *testing.T) {
	m := inventory.NewMarker("ours", redact.NewSecret("a key that nobody guesses"))
	a := addr.MustParseObject("network.a")
	used := map[string]bool{}
	all := m.UIDs(a, nil)
	for range 6 {
		uids := m.UIDs(a, func(uid string) bool { return used[uid] })
		if len(uids) != len(all) || slices.ContainsFunc(uids, func(uid string) bool { return used[uid] }) || len(used) == 0 && uids[0] != m.UID(a) {
			t.Errorf("with %d in use, the others are %q", len(used), uids)
		}
		if n := len(used); n < len(all) && uids[0] != all[n] {
			t.Errorf("the next one is %s, and not the first that is free", uids[0])
		}
		used[uids[0]] = true
	}
}
