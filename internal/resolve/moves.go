package resolve

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// moves takes the moved blocks.
func (r *resolver) moves(m *model.Model, moved, removed []*stated) {
	sources, targets := map[addr.Address]*stated{}, map[addr.Address]*stated{}
	var taken []*stated
	for _, s := range moved {
		if s.from == nil || s.to == nil || !r.movable(s) {
			continue
		}
		leave := r.scope.enter(s.module, s.Block)
		switch first, again := sources[s.from], targets[s.to]; {
		case first != nil:
			r.scope.fail(codeMoved, s.From.Range, "moved twice", fmt.Sprintf("%s is also moved at %s", s.name(s.from), place(first.Range)), "keep one of the two blocks")
		case again != nil:
			r.scope.fail(codeMoved, s.To.Range, "two objects under one address", fmt.Sprintf("%s is also what %s becomes, at %s", s.name(s.to), s.name(again.from), place(again.Range)), "give one of them another address")
		default:
			sources[s.from], targets[s.to] = s, s
			taken = append(taken, s)
			_, ruled := r.ruling(s.to)
			m.Moves = append(m.Moves, model.Move{From: s.from, To: s.to, Stays: ruled, Range: s.Range})
		}
		leave()
	}
	circular := r.circles(taken, sources)
	passes := func(s *stated) bool {
		return sources[s.to] != nil || slices.ContainsFunc(removed, func(other *stated) bool { return other.from != nil && other.from.Contains(s.to) })
	}
	for _, s := range taken {
		if !circular[s] {
			r.checkMove(s, passes(s), removed)
		}
	}
	for _, s := range moved {
		if s.from == nil && s.to != nil {
			r.checkTarget(s, passes(s))
		}
	}
}

// movable tells whether what a moved block names can be moved at all, and into each other.
func (r *resolver) movable(s *stated) bool {
	defer r.scope.enter(s.module, s.Block)()
	for _, p := range []*config.Place{s.From, s.To} {
		o, ok := p.Address.(addr.Object)
		switch {
		case !ok || r.definition.Resource(o.Kind()) != nil:
		case o.Kind() == nodeKind && s.module.path.IsRoot() && o.Module().IsRoot():
		case o.Kind() == nodeKind:
			r.scope.fail(codeMoved, p.Range, "no node here", "nodes stand at the root of the configuration, and are moved there", "move the block to a file of the root, and name the nodes as they are there")
			return false
		default:
			r.scope.fail(codeMoved, p.Range, "cannot be moved", fmt.Sprintf("%s is a %s, and only resources, nodes and modules can be moved", o, o.Kind()), "take the block away: what is no resource is changed where its own block stands")
			return false
		}
	}
	from, to := what(s.from), what(s.to)
	switch {
	case s.from == s.to:
		r.scope.fail(codeMoved, s.To.Range, "moved to itself", fmt.Sprintf("%s is where it was before", s.name(s.to)), "take the block away, or write the new address")
	case from == to:
		return true
	case to == moduleKind:
		r.scope.fail(codeMoved, s.To.Range, "different kinds", fmt.Sprintf("a %s cannot become a %s", from, to),
			fmt.Sprintf("to move it into the module, write the address that it has there: to = %s.%s", s.name(s.to), s.from.(addr.Object).In(addr.Module{})))
	default:
		r.scope.fail(codeMoved, s.To.Range, "different kinds", fmt.Sprintf("a %s cannot become a %s", from, to), "write an address of the same kind")
	}
	return false
}

const moduleKind = "module"

// what is the kind of thing that an address names.
func what(a addr.Address) string {
	if o, ok := a.(addr.Object); ok {
		return o.Kind()
	}
	return moduleKind
}

// circles reports moves that lead back to where they begin, and returns what is part of one.
func (r *resolver) circles(moved []*stated, sources map[addr.Address]*stated) map[*stated]bool {
	circular, followed := map[*stated]bool{}, map[*stated]bool{}
	for _, s := range moved {
		var path []string
		at := s
		for ; at != nil && !followed[at]; at = sources[at.to] {
			followed[at] = true
			path = append(path, s.name(at.from))
		}
		if at != s || len(path) == 0 { // no two moves lead to one address, so a circle is closed where it began
			continue
		}
		for {
			circular[at] = true
			if at = sources[at.to]; at == s {
				break
			}
		}
		leave := r.scope.enter(s.module, s.Block)
		r.scope.fail(codeMoved, s.From.Range, "moves in a circle", "these lead back to where they begin: "+config.Circle(path, nil), "take one of the blocks away")
		leave()
	}
	return circular
}

// checkMove wants the old address to be free and the new one to be there, unless it is one that the
// object only passes.
func (r *resolver) checkMove(s *stated, passes bool, removed []*stated) {
	leave := r.scope.enter(s.module, s.Block)
	whole := !keyed(s.from) && !keyed(s.to)
	if old := r.standing(s.module, s.from, whole); old.there {
		detail, hint := fmt.Sprintf("%s is in the configuration, at %s, so nothing of it can become %s", s.name(s.from), place(old.where), s.name(s.to)), "take one of the two blocks away"
		if i := slices.IndexFunc(removed, func(other *stated) bool { return other.from == s.from }); i >= 0 {
			detail += fmt.Sprintf("; it is also removed, at %s", place(removed[i].Range))
			hint = "keep one of the three: the block itself, the moved block, or the removed block"
		}
		r.scope.fail(codeMoved, s.From.Range, "what is moved is still there", detail, hint)
	}
	leave()
	r.checkTarget(s, passes)
}

// checkTarget wants the new address to be there. Without an old one, what was written there is none, which
// was told.
func (r *resolver) checkTarget(s *stated, passes bool) {
	defer r.scope.enter(s.module, s.Block)()
	whole := (s.from == nil || !keyed(s.from)) && !keyed(s.to)
	to := r.standing(s.module, s.to, whole)
	if to.there || to.told || to.open || passes || r.config.Partial {
		return
	}
	switch {
	case s.from == nil && to.lacks != lacksIt:
		return // whether it needs a key depends on what it comes from
	case s.from == nil:
	case to.lacks == lacksKey:
		to.detail += fmt.Sprintf(", and %s is one", s.name(s.from))
	case to.lacks == lacksIt:
		to.detail += fmt.Sprintf(", so %s would be deleted", s.name(s.from))
	}
	r.scope.fail(codeMoved, s.To.Range, "moved to nowhere", to.detail, orHint(to.advice(), "add it, or correct the address"))
}
