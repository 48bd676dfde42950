package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Relocation tells where the entries of the inventory belong.
type Relocation struct {
	// Entries are the entries as they are once all moves are made, by address; where nothing moves and they are in that
	// order, the very slice that there was.
	Entries []inventory.Entry
	// To has the new address of each record that is at another one.
	To map[addr.Object]addr.Object
	// From has the records that become the entry of an address. Several are one thing that was moved
	// half way.
	From map[addr.Object][]addr.Object
	// Held says why a record cannot move.
	Held map[addr.Object]string
	// Yields are the records of attempts to create something whose addresses other things get. They are among no
	// entries; whether such an attempt came to nothing is to be found out before its record goes.
	Yields map[addr.Object]inventory.Entry

	moves []model.Move
}

// Relocate applies the moves of a configuration to the inventory. Two entries with the same uid are
// one thing in the middle of a move, and become one, with or without the block that began it.
func Relocate(entries []inventory.Entry, moves []model.Move, wanted func(addr.Object) bool) *Relocation {
	r := &Relocation{To: map[addr.Object]addr.Object{}, From: map[addr.Object][]addr.Object{}, Held: map[addr.Object]string{}, Yields: map[addr.Object]inventory.Entry{}}
	r.moves = specific(moves)
	things := thingsOf(entries, r.moves, wanted)
	if len(things) == len(entries) && !slices.ContainsFunc(things, thing.moves) && slices.IsSortedFunc(entries, byAddress) {
		r.Entries = entries // there may be very many, and they are large
		return r
	}
	r.hold(things)
	r.yield(things)
	r.Entries = make([]inventory.Entry, 0, len(things))
	for i := range things {
		t := &things[i]
		if _, yields := r.Yields[t.entry.Address]; yields && !t.moves() {
			continue
		}
		if t.moves() && slices.ContainsFunc(r.moves, func(m model.Move) bool { return m.Stays && m.To.Contains(t.to) }) {
			t.entry.Stays = true
		}
		for _, record := range t.records {
			if record != t.to {
				r.To[record] = t.to
				r.From[t.to] = append(r.From[t.to], record)
			}
		}
		r.Entries = append(r.Entries, *t.entry)
		r.Entries[len(r.Entries)-1].Address = t.to
	}
	for i := range r.Entries {
		r.Entries[i].Edges = r.Edges(r.Entries[i].Edges)
	}
	slices.SortFunc(r.Entries, byAddress)
	return r
}

func byAddress(a, b inventory.Entry) int { return a.Address.Compare(b.Address) }

// Strays tells whether a record at an address would have to move that was not among the entries.
func (r *Relocation) Strays(a addr.Object) bool {
	_, leaves := r.To[a]
	return !leaves && r.Held[a] == "" && follow(r.moves, a) != a
}

// Edges returns edges with their ends where they belong, the same slice when nothing moves.
func (r *Relocation) Edges(edges []inventory.Edge) []inventory.Edge {
	if !slices.ContainsFunc(edges, func(e inventory.Edge) bool { return r.To[e.To] != addr.Object{} }) {
		return edges
	}
	var moved []inventory.Edge
	for _, e := range edges {
		if to, ok := r.To[e.To]; ok {
			e.To = to
		}
		if !slices.Contains(moved, e) {
			moved = append(moved, e)
		}
	}
	return moved
}

// thing is what one or more entries with the same uid stand for.
type thing struct {
	entry   *inventory.Entry // the one that counts
	records []addr.Object
	to      addr.Object
}

// moves tells whether the thing belongs elsewhere than where it is on record.
func (t thing) moves() bool { return t.to != t.entry.Address }

// unborn tells whether the thing stays where it is and all that is known of it is that it was to be created: that may
// have been refused, as when something has its name that is to be moved here.
func (t thing) unborn() bool {
	return !t.moves() && len(t.records) == 1 && Unborn(t.entry)
}

// Unborn tells whether there may never have been anything of an entry of OpenStack: an attempt to create it is all that
// is on record.
func Unborn(e *inventory.Entry) bool {
	at := e.Locator
	return at.Driver == unit.OpenStack && at.Kind != unit.KindSmokeTest && !at.Keep && e.Phase == inventory.Intent && e.ID == "" && len(e.Former) == 0
}

// thingsOf puts records of the same uid together and finds out where they belong.
func thingsOf(entries []inventory.Entry, moves []model.Move, wanted func(addr.Object) bool) []thing {
	things := make([]thing, 0, len(entries))
	index := make(map[string]int, len(entries))
	for i := range entries {
		entry := &entries[i]
		to := follow(moves, entry.Address)
		before, twice := index[entry.UID]
		if !twice || entry.UID == "" {
			index[entry.UID] = len(things)
			things = append(things, thing{entry: entry, records: []addr.Object{entry.Address}, to: to})
			continue
		}
		t := &things[before]
		t.records = append(t.records, entry.Address)
		// The record that stays is the one that may have been written since.
		if to != t.to && wanted(to) && !wanted(t.to) || to == t.to && to == entry.Address {
			t.entry, t.to = entry, to
		}
	}
	return things
}

// hold finds what cannot move because something else is there, or stays there for the same reason.
func (r *Relocation) hold(things []thing) {
	for again := true; again; {
		again = false
		taken := map[addr.Object]bool{}
		for i := range things {
			t := &things[i]
			if _, held := r.Held[t.entry.Address]; held || !t.moves() && !t.unborn() {
				taken[t.entry.Address] = true
			}
		}
		for i := range things {
			t := &things[i]
			if _, held := r.Held[t.entry.Address]; held || !t.moves() {
				continue
			}
			if taken[t.to] {
				r.Held[t.entry.Address] = Occupied(t.to)
				again = true
				continue
			}
			taken[t.to] = true
		}
	}
}

// Occupied says why nothing can be moved to an address. Advice to remove something would be followed with the wrong one
// of the two, and by deleting it.
func Occupied(a addr.Object) string {
	return fmt.Sprintf("it cannot become %s, which is another object already: take the moved block away; or have the other one "+
		"given up first, without its block, by removed { from = %s  lifecycle { destroy = false } }, which deletes nothing", a, a)
}

// yield has those that cannot move stay, and finds the records that give way to those that can.
func (r *Relocation) yield(things []thing) {
	leads := map[addr.Object]bool{}
	for i := range things {
		t := &things[i]
		if _, held := r.Held[t.entry.Address]; held {
			t.to = t.entry.Address
		} else if t.moves() {
			leads[t.to] = true
		}
	}
	for i := range things {
		if t := &things[i]; leads[t.entry.Address] && t.unborn() {
			r.Yields[t.entry.Address] = *t.entry
		}
	}
}

// specific puts moves of single objects before those of blocks, and these before those of modules.
func specific(moves []model.Move) []model.Move {
	rank := func(m model.Move) int {
		switch from := m.From.(type) {
		case addr.Object:
			if _, keyed := from.Key().Value(); keyed {
				return 0
			}
			return 1
		case addr.Module:
			return 2 + 1000 - len(from.Steps())
		}
		return 2000
	}
	sorted := slices.Clone(moves)
	slices.SortStableFunc(sorted, func(a, b model.Move) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), addr.Compare(a.From, b.From))
	})
	return sorted
}

// follow returns where an address leads along a chain of moves; itself when the chain is a circle.
func follow(moves []model.Move, a addr.Object) addr.Object {
	at := a
	for range len(moves) + 1 {
		next, moved := step(moves, at)
		if !moved {
			return at
		}
		at = next
	}
	return a
}

func step(moves []model.Move, a addr.Object) (addr.Object, bool) {
	for _, m := range moves {
		if next, moved := a.Move(m.From, m.To); moved && next != a {
			return next, true
		}
	}
	return a, false
}
