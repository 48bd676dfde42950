package plan

import (
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// A moved block is taken out once it has done its work, and a suspension by command stays for as long as a person
// wants. So the list that the cluster keeps gets the new addresses: first beside the old ones, as a process may end
// before the records are moved, and then in their place.

// Accompany returns a list of suspensions with what leaves alone, at its new address, whatever is about to get one
// and is left alone at its old one: as much as the moved block speaks of, where the suspension speaks of that.
func (r *Relocation) Accompany(list []suspension.Suspension) []suspension.Suspension {
	next := list
	for _, from := range slices.SortedFunc(maps.Keys(r.To), addr.Object.Compare) {
		for i := range list {
			if s := list[i]; s.Target.Contains(from) {
				s.Target = r.accompanied(s.Target, from)
				next = also(next, s)
			}
		}
	}
	return next
}

// accompanied returns what a suspension of target has to name for a record that it names to be named in its new place.
func (r *Relocation) accompanied(target addr.Address, from addr.Object) addr.Address {
	for _, m := range r.moves {
		if to, moved := from.Move(m.From, m.To); !moved || to == from {
			continue
		}
		if target.Contains(m.From) {
			target = m.From
		}
		if led := lead(r.moves, target); led.Contains(r.To[from]) {
			return led
		}
		break
	}
	return r.To[from]
}

// Forwarded returns where moves lead what a suspension names, for those that they lead elsewhere.
func Forwarded(list []suspension.Suspension, moves []model.Move) map[addr.Address]addr.Address {
	moves = specific(moves)
	forwarded := map[addr.Address]addr.Address{}
	for i := range list {
		if to := lead(moves, list[i].Target); to != list[i].Target {
			forwarded[list[i].Target] = to
		}
	}
	return forwarded
}

// Forward returns a list of suspensions with other targets in place of those that are in forwarded.
func Forward(list []suspension.Suspension, forwarded map[addr.Address]addr.Address) []suspension.Suspension {
	var next []suspension.Suspension
	for _, s := range list {
		if forwarded[s.Target] == nil {
			next = append(next, s)
		}
	}
	for _, s := range list {
		if to := forwarded[s.Target]; to != nil {
			s.Target = to
			next = also(next, s)
		}
	}
	return next
}

// also returns a list with one more suspension, unless what it names is left alone for as long anyway.
func also(list []suspension.Suspension, s suspension.Suspension) []suspension.Suspension {
	if slices.ContainsFunc(list, func(other suspension.Suspension) bool {
		return other.Target.Contains(s.Target) && (other.Until.IsZero() || !s.Until.IsZero() && !other.Until.Before(s.Until))
	}) {
		return list
	}
	return suspension.With(list, s)
}

// lead returns where what an address stands for is led along a chain of moves; itself when the chain is a circle.
func lead(moves []model.Move, a addr.Address) addr.Address {
	at := a
	for range len(moves) + 1 {
		i := slices.IndexFunc(moves, func(m model.Move) bool { return led(m, at) != at })
		if i < 0 {
			return at
		}
		at = led(moves[i], at)
	}
	return a
}

// led returns where one move leads what an address stands for.
func led(m model.Move, a addr.Address) addr.Address {
	switch a := a.(type) {
	case addr.Object:
		if to, moved := a.Move(m.From, m.To); moved {
			return to
		}
	case addr.Module:
		if to, moved := (addr.Object{}).In(a).Move(m.From, m.To); moved {
			return to.Module()
		}
	}
	return a
}
