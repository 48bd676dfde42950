package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// listsAtOnce is how many kinds are listed at the same time.
const listsAtOnce = 4

// Observe lists each kind once and finds every target in the lists. What could not be observed is
// unknown, with the error that concerns it as the message.
func (d *Driver) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	d.memory.refresh(targets)
	seen := &sights{states: map[addr.Object]unit.State{}}
	if len(targets) == 0 {
		return seen.states, nil
	}
	targets = d.observeAccounts(ctx, targets, seen)
	if targets = d.observeTests(ctx, targets, seen); len(targets) == 0 {
		return seen.states, errors.Join(seen.failures...)
	}
	s, err := d.connector.session(ctx)
	if err != nil {
		seen.unknown(err, targets...)
		return seen.states, err
	}
	served := slices.DeleteFunc(targets, func(t unit.Target) bool {
		err := s.serves(t)
		if err != nil {
			seen.unknown(err, t)
			seen.failures = append(seen.failures, wrap(t.Address, err))
		}
		return err != nil
	})
	d.lookEverywhere(ctx, s, served, seen)
	return seen.states, errors.Join(seen.failures...)
}

// lookEverywhere finds targets by as few sessions as our user needs for them.
func (d *Driver) lookEverywhere(ctx context.Context, s *session, targets []unit.Target, seen *sights) {
	var shown []unit.Target
	if s.administrates() {
		shown, targets = d.apart(targets)
	}
	if len(targets) == 0 { // what is known is kept for nobody then, and is much where there are many
		d.look(ctx, s, shown, map[addr.Object]cty.Value{}, seen)
		return
	}
	known := map[addr.Object]cty.Value{}
	d.look(ctx, s, shown, known, seen)
	d.lookAround(ctx, s, targets, known, seen)
}

// look finds targets in the lists that a session gets, and may put them in another order. What is known of outputs of others
// is in known, and what is found adds to it.
func (d *Driver) look(ctx context.Context, s *session, targets []unit.Target, known map[addr.Object]cty.Value, seen *sights) {
	targets, orphaned := d.withoutOthers(ctx, s, targets, seen)
	byKind := divided(targets)
	names := slices.Sorted(maps.Keys(byKind))
	lists, failures := d.lists(ctx, s, names, byKind)
	left, unkept := d.joinAll(ctx, targets, lists)
	maps.Copy(left, orphaned)
	matches := map[addr.Object]match{}
	d.match(s, targets, lists, matches, known)
	if d.parts(ctx, s, byKind, lists, failures, known) { // in which places some are is told by what was found
		d.match(s, targets, lists, matches, known)
	}
	matched := map[string][]found{}
	for _, name := range names {
		if failures[name] == nil {
			seen.confirmed(d.confirm(ctx, s, d.kinds[name], byKind[name], matches), byKind[name])
			seen.doubted(name, d.doubt(ctx, s, d.kinds[name], byKind[name], matches), byKind[name])
			matched[name] = d.foundOf(byKind[name], matches)
			d.trails(ctx, s, d.kinds[name], byKind[name], matches, left, unkept)
		}
	}
	incomplete, unread := d.complete(ctx, s, matched)
	maps.Copy(unread, d.belated(ctx, s, targets, lists, matches, known))
	maps.Copy(failures, incomplete)
	for _, name := range names {
		err := failures[name]
		if err != nil { // none of the kind is known then
			seen.failed(name, err, byKind[name]...)
			continue
		}
		for _, t := range byKind[name] {
			m, ok := matches[t.Address]
			if unread[t.Address] != nil {
				seen.failed(name, unread[t.Address])
			}
			if err := unkept[t.Address]; err != nil {
				seen.failed(t.Address.String(), err, t)
				continue
			}
			if ok {
				if m.object == nil && resource(t) != nil && t.Deleted {
					m.begun = t.ID
				}
				st := state(t, m)
				if st.Gone() && resource(t) == nil && left[t.Address] != "" {
					st = leftover(t, left[t.Address])
				}
				if resource(t) == nil {
					st.Outputs = departed(d.kinds[name], m.object)
				}
				if st.Gone() {
					st.Project, st.User = destined(s, d.kinds[name], t), userFor(s, d.kinds[name])
				}
				seen.states[t.Address] = st
			}
		}
	}
}

// divided puts targets in the order of their kinds, and returns those of each. There may be very many, and they are large.
func divided(targets []unit.Target) map[string][]unit.Target {
	slices.SortStableFunc(targets, func(a, b unit.Target) int { return cmp.Compare(kindOf(a), kindOf(b)) })
	byKind := map[string][]unit.Target{}
	for from := 0; from < len(targets); {
		kind, to := kindOf(targets[from]), from+1
		for to < len(targets) && kindOf(targets[to]) == kind {
			to++
		}
		byKind[kind] = targets[from:to:to]
		from = to
	}
	return byKind
}

// sights are the results of one look at the cloud.
type sights struct {
	states   map[addr.Object]unit.State
	failures []error
}

// unknown says why targets could not be observed.
func (s *sights) unknown(err error, targets ...unit.Target) {
	message := brief(err.Error(), longestReason)
	for _, t := range targets {
		s.states[t.Address] = unit.State{Existence: unit.Unknown, Message: message}
	}
}

// failed takes the error of an observation. One that stands against all of them, such as credentials that
// are refused, comes back from each, and is told once.
func (s *sights) failed(what string, err error, targets ...unit.Target) {
	if !unit.IsBlocked(err) {
		err = fmt.Errorf("observe %s: %w", what, err)
	}
	s.unknown(err, targets...)
	if !slices.ContainsFunc(s.failures, func(told error) bool { return told.Error() == err.Error() }) {
		s.failures = append(s.failures, err)
	}
}

// confirmed takes the errors of targets that could not be asked for once more.
func (s *sights) confirmed(failures map[addr.Object]error, targets []unit.Target) {
	for _, t := range targets {
		if err := failures[t.Address]; err != nil {
			s.failed(t.Address.String(), err, t)
		}
	}
}

// doubted takes why targets of a kind may be there although they were not found, which mostly is the same for all.
func (s *sights) doubted(kind string, reasons map[addr.Object]error, targets []unit.Target) {
	for _, t := range targets {
		if err := reasons[t.Address]; err != nil {
			s.failed(kind, err, t)
		}
	}
}

// lists returns the objects of each kind, as far as its targets need them, or all where there are none; a kind that could
// not be listed is not in the map.
func (d *Driver) lists(ctx context.Context, s *session, names []string, targets map[string][]unit.Target) (lists map[string][]*object, failures map[string]error) {
	lists, failures = map[string][]*object{}, map[string]error{}
	var mu sync.Mutex
	group := contain.AtOnce(listsAtOnce)
	for _, name := range names {
		k := d.kinds[name]
		if k == nil {
			mu.Lock()
			failures[name] = errors.New("it is no kind of objects inside OpenStack that is known here")
			mu.Unlock()
			continue
		}
		group.Go(func() {
			objects, err := listed(ctx, s, k, targets[name])
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures[name] = err
				return
			}
			slices.SortFunc(objects, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
			lists[name] = objects
		})
	}
	group.Wait()
	return lists, failures
}

// match finds the targets in the lists. What a target is searched by may depend on the outputs of
// others, which are known once those are found: hence the rounds, as many as references are deep.
func (d *Driver) match(s *session, targets []unit.Target, lists map[string][]*object, matches map[addr.Object]match, known map[addr.Object]cty.Value) {
	listings := make(map[string]*listing, len(lists))
	for name, objects := range lists {
		listings[name] = indexed(objects)
	}
	for open := targets; len(open) > 0; {
		var later []unit.Target
		for _, t := range open {
			objects, ok := listings[kindOf(t)]
			if !ok {
				continue
			}
			want := resolved(t, known)
			m, done := find(d.kinds[kindOf(t)], s, d.tried(d.kinds[kindOf(t)], t), want, objects)
			if m.object != nil && resource(t) != nil {
				seen := outputsOf(t, m)
				known[t.Address] = unfinished(d.kinds[kindOf(t)], t, m.object, seen)
				if !completed(d.kinds[kindOf(t)], want, m.object) {
					m.outputs = seen
				}
			}
			matches[t.Address] = m
			if !done {
				later = append(later, t)
			}
		}
		if len(later) == len(open) {
			break
		}
		open = later
	}
	for _, t := range targets { // by its id something is found before what it refers to
		if m := matches[t.Address]; m.object != nil && m.want != cty.NilVal && !m.want.IsWhollyKnown() {
			m.want = resolved(t, known)
			matches[t.Address] = m
		}
	}
}

// resolved is what is wanted of a target, given outputs of others.
func resolved(t unit.Target, known map[addr.Object]cty.Value) cty.Value {
	want := desiredOf(t)
	if r := resource(t); r != nil && r.Resolve != nil && !want.IsWhollyKnown() {
		if late, diags := r.Resolve(known); len(diags) == 0 {
			return late
		}
	}
	return want
}

// confirm asks once more for objects that we know and the list lacks.
func (d *Driver) confirm(ctx context.Context, s *session, k kind, targets []unit.Target, matches map[addr.Object]match) map[addr.Object]error {
	var mu sync.Mutex
	group := contain.AtOnce(listsAtOnce)
	failures := map[addr.Object]error{}
	for _, t := range targets {
		mu.Lock()
		m, ok := matches[t.Address]
		mu.Unlock()
		id := first(t.ID, t.Import)
		if !ok || m.object != nil || len(m.candidates) > 0 || id == "" {
			continue
		}
		group.Go(func() {
			o, err := d.getFor(ctx, s, k, t, id)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				m.object, m.owned = o, t.ID != "" || o.mark != "" && o.mark == t.Mark
				matches[t.Address] = m
			case !notFound(err):
				delete(matches, t.Address) // not known
				failures[t.Address] = err
			}
		})
	}
	group.Wait()
	return failures
}

// foundOf returns what was found of targets.
func (d *Driver) foundOf(targets []unit.Target, matches map[addr.Object]match) []found {
	var objects []found
	for _, t := range targets {
		if m := matches[t.Address]; m.object != nil {
			if lookup(t) { // others may look it up as well, or manage it
				own := *m.object
				own.values = slices.Clone(own.values)
				m.object = &own
				matches[t.Address] = m
			}
			objects = append(objects, d.found(t, m))
		}
	}
	return objects
}

func (d *Driver) found(t unit.Target, m match) found {
	return found{object: m.object, want: m.want, address: t.Address, unserved: unserved(t), set: t.Set, memory: d.memory, looked: lookedUpBy(t)}
}

// completed tells whether the list of a kind lacks something of an object that [Driver.complete] fills in.
func completed(k kind, want cty.Value, o *object) bool {
	if by, ok := k.(seldom); ok {
		return by.completes(want, o)
	}
	_, completes := k.(completer)
	_, owns := k.(portOwner)
	return completes || owns
}

// complete fills in what the lists of kinds lack: the ports of all objects that have some come from one
// list. It returns why that failed: for a kind, by its name, and for single targets.
func (d *Driver) complete(ctx context.Context, s *session, objects map[string][]found) (map[string]error, map[addr.Object]error) {
	failures, unread := map[string]error{}, map[addr.Object]error{}
	var devices []string
	var owners []*object
	for name, list := range objects {
		if c, ok := d.kinds[name].(completer); ok && len(list) > 0 {
			maps.Copy(unread, c.complete(ctx, s, list))
		}
		if _, ok := d.kinds[name].(portOwner); ok {
			for _, f := range list {
				devices, owners = append(devices, f.object.id), append(owners, f.object)
			}
		}
	}
	ports, err := portsOf(ctx, s, devices)
	if err == nil {
		err = s.vouchForPorts(ctx, owners, ports)
	}
	for name, list := range objects {
		owner, ok := d.kinds[name].(portOwner)
		switch {
		case !ok || len(list) == 0:
		case err != nil:
			failures[name] = err
		default:
			for _, f := range list {
				owner.join(f, ports[f.object.id])
				if by, ok := owner.(halfway); ok {
					if err := by.adrift(ctx, s, f); err != nil {
						unread[f.address] = err
					}
				}
			}
		}
	}
	return failures, unread
}
