package inventory_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestSucceed has things of one address take each other's place: each can be told from all that are
// left, none is lost, and there is an end to it.
func TestSucceed(t *testing.T) {
	m := inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))
	a := addr.MustParseObject("network.web")
	first := inventory.Entry{
		Address: a, UID: m.UID(a), Phase: inventory.Owned, ID: "id0", Applied: "x", Imported: true, Triggers: []string{"t"}, Set: map[string][]string{"tags": {"a"}},
		Locator: unit.Locator{Driver: unit.OpenStack, Kind: "network", Project: "p"},
	}
	e := first
	seen := map[string]bool{e.UID: true}
	for n := range 3 {
		next, ok := e.Succeed(m, nil, "id"+string(rune('0'+n)))
		if !ok || seen[next.UID] {
			t.Fatalf("%d: %t %+v", n, ok, next)
		}
		seen[next.UID] = true
		if next.Phase != inventory.Intent || next.ID != "" || next.Applied != "" || next.Imported || next.Triggers != nil || next.Set != nil {
			t.Errorf("the new one has something of the old one: %+v", next)
		}
		if last := next.Former[n]; len(next.Former) != n+1 || last.UID != e.UID || last.Locator.Project != "p" || last.ID == "" {
			t.Errorf("the old one is on record as %+v", next.Former)
		}
		if had := next.Former[n].Set; had == nil || len(had) != len(e.Set) || !slices.Equal(had["tags"], e.Set["tags"]) {
			t.Errorf("of the old one %v is on record, want %v, and never nil as an older program has it", had, e.Set)
		}
		e = next
	}
	if _, ok := e.Succeed(m, nil, "id3"); ok {
		t.Error("more than can be told apart")
	}
	if first.Former != nil || first.ID != "id0" {
		t.Errorf("the entry itself was changed: %+v", first)
	}
	e.Former = e.Former[1:] // the oldest is gone: its uid is free
	if again, ok := e.Succeed(m, nil, "id3"); !ok || again.UID != first.UID {
		t.Errorf("got %+v", again)
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back inventory.Entry
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, e) {
		t.Errorf("stored as %s, read as %+v %v", data, back, err)
	}
}

func TestDigestsTellNothing(t *testing.T) {
	key := redact.NewSecret("a key that is long enough")
	m := inventory.NewMarker("ours", key)
	if inventory.NewMarker("ours", key).Digest("a") != m.Digest("a") || m.Digest("a") == m.Digest("b") {
		t.Error("a digest does not tell values apart")
	}
	if m.Digest("a") == inventory.NewMarker("ours", redact.NewSecret("another key, as long")).Digest("a") {
		t.Error("without the key, who reads a digest can try values")
	}
}

// TestFormatKeepsOlderProgramsFromFormerThings: one that knows nothing of them would drop them.
func TestFormatKeepsOlderProgramsFromFormerThings(t *testing.T) {
	store := newStore()
	i, err := inventory.Open(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	e := inventory.Entry{Address: addr.MustParseObject("network.web"), UID: "u", Phase: inventory.Owned}
	format := func() (format int) {
		stored, err := store.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, shard := range stored {
			var c struct{ Format int }
			if err := json.Unmarshal(shard.Data, &c); err != nil {
				t.Fatal(err)
			}
			format = max(format, c.Format)
		}
		return format
	}
	for _, former := range [][]inventory.Former{nil, {{UID: "v", ID: "id"}}, nil} {
		e.Former = former
		if err := i.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if want := 1 + len(former); format() != want {
			t.Errorf("with %d former ones the format is %d, want %d", len(former), format(), want)
		}
	}
}

// TestFormatKeepsOlderProgramsFromWhatTheyForget: one that does not know a field writes the entry without it.
func TestFormatKeepsOlderProgramsFromWhatTheyForget(t *testing.T) {
	user := unit.Locator{User: "somebody else's"}
	for what, e := range map[string]inventory.Entry{
		"an import":            {ByImport: true},
		"a user":               {Locator: user},
		"a user of the former": {Former: []inventory.Former{{UID: "v", ID: "id", Locator: user}}},
		"an import that stays": {ByImport: true, Stays: true},
	} {
		e.Address, e.UID, e.Phase = addr.MustParseObject("keypair.web"), "u", inventory.Owned
		s := newStore()
		put(t, open(t, s), e)
		for name, shard := range s.shards {
			if !strings.Contains(string(shard.Data), `"format":5`) {
				t.Errorf("%s: %s is %s", what, name, shard.Data)
			}
		}
	}
}

// TestLostIDs has a thing deleted by somebody else, again and again.
func TestLostIDs(t *testing.T) {
	owned := inventory.Entry{Phase: inventory.Owned, ID: "id1", Applied: "x", Lost: []string{"id0"}}
	with := func(change func(e *inventory.Entry)) inventory.Entry {
		e := owned
		change(&e)
		return e
	}
	for _, test := range []struct {
		name  string
		entry inventory.Entry
		want  []string
	}{
		{"deleted outside", owned, []string{"id0", "id1"}},
		{"an attempt was cut off", with(func(e *inventory.Entry) { e.Phase, e.ID, e.Applied = inventory.Intent, "", "" }), []string{"id0"}},
		{"it was never made", inventory.Entry{Phase: inventory.Intent}, nil},
		{"our own deletion was cut off", with(func(e *inventory.Entry) { e.Phase = inventory.Deleting }), nil},
		{"another one is wanted by now", with(func(e *inventory.Entry) { e.Applied = "y" }), nil},
		{"its id is not known", with(func(e *inventory.Entry) { e.ID = "" }), nil},
	} {
		if got := test.entry.LostIDs("x"); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if !reflect.DeepEqual(owned.Lost, []string{"id0"}) {
		t.Errorf("the entry itself was changed: %v", owned.Lost)
	}
	if anew := owned.Anew(); anew.Lost != nil {
		t.Errorf("what we replace is followed, and yet %v are lost", anew.Lost)
	}
	again := owned.Anew()
	if !again.Again || !again.Anew().Again || (inventory.Entry{Phase: inventory.Intent}).Anew().Again || !(inventory.Entry{Phase: inventory.Deleting}).Anew().Again {
		t.Error("what is made again is not known by its record, or what was never there is")
	}
	e := inventory.Entry{Phase: inventory.Owned, Applied: "x"}
	for n := range 100 {
		e.ID = strconv.Itoa(n)
		e.Lost = e.LostIDs("x")
	}
	if len(e.Lost) > 8 || e.Lost[len(e.Lost)-1] != "99" {
		t.Errorf("there is no end to it: %v", e.Lost)
	}
}
