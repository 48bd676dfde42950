package openstack

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// parted is a kind whose list leaves out what is in a domain: each domain has a list of its own. What names no domain is in
// none.
type parted interface {
	kind
	// places are the domains that our user sees.
	places(ctx context.Context, s *session) ([]string, error)
	// listIn lists what is in one of them, which may be gone by now.
	listIn(ctx context.Context, s *session, place string) ([]*object, error)
}

const (
	domainAttribute = "domain"
	// noPlace is the scope of what is in no domain, where others of its kind are in one.
	noPlace = "-"
)

// extent is what there is to ask for besides the list of a parted kind.
type extent struct {
	places []string
	ids    []string // of what is looked up by nothing else
	all    bool     // places
}

// add takes in where a target may be, given what is wanted of it. What an attempt left whose end is not on record may be
// anywhere, as nobody knows any more what was written then.
func (x *extent) add(t unit.Target, want cty.Value) {
	written := first(knownText(t.ImportBy, domainAttribute), knownText(want, domainAttribute))
	if place := first(written, knownText(t.Outputs, domainAttribute)); place != "" {
		x.places = append(x.places, place)
	}
	if id := knownText(want, "id"); lookup(t) && written == "" && id != "" {
		x.ids = append(x.ids, id)
	}
	if t.ID == "" && t.Attempted {
		x.all = true
	}
}

// find asks for all of it. have is what the list has.
func (x *extent) find(ctx context.Context, s *session, k parted, have []*object) ([]*object, error) {
	places := slices.Clone(x.places)
	if x.all {
		every, err := k.places(ctx, s)
		if err != nil {
			return nil, err
		}
		places = append(places, every...)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	found := slices.Clone(have)
	for _, got := range abreast(len(places), func(i int) ([]*object, error) { return k.listIn(ctx, s, places[i]) }) {
		if got.err != nil {
			return nil, got.err
		}
		found = append(found, got.value...)
	}
	missing := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(x.ids))), func(id string) bool {
		return slices.ContainsFunc(found, func(o *object) bool { return o.id == id })
	})
	for _, got := range abreast(len(missing), func(i int) (*object, error) { return k.get(ctx, s, missing[i]) }) {
		switch {
		case got.err == nil:
			found = append(found, got.value)
		case !notFound(got.err):
			return nil, got.err
		}
	}
	return found, nil
}

// allParts are all objects of a parted kind that its list leaves out.
func allParts(ctx context.Context, s *session, k parted) ([]*object, error) {
	return (&extent{all: true}).find(ctx, s, k, nil)
}

// parts completes the lists of parted kinds, as far as the targets need it, and tells whether there is more in them now.
func (d *Driver) parts(ctx context.Context, s *session, byKind map[string][]unit.Target, lists map[string][]*object, failures map[string]error, known map[addr.Object]cty.Value) bool {
	more := false
	for name, targets := range byKind {
		k, ok := d.kinds[name].(parted)
		if !ok || failures[name] != nil {
			continue
		}
		var x extent
		for _, t := range targets {
			x.add(t, resolved(t, known))
		}
		objects, err := x.find(ctx, s, k, lists[name])
		if err != nil {
			failures[name] = fmt.Errorf("those of domains: %w", err)
			continue
		}
		if objects = once(objects); len(objects) > len(lists[name]) {
			slices.SortFunc(objects, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
			lists[name], more = objects, true
		}
	}
	return more
}

// listFor lists a kind as far as one target needs it.
func listFor(ctx context.Context, s *session, k kind, t unit.Target, want cty.Value) ([]*object, error) {
	objects, err := k.list(ctx, s)
	by, ok := k.(parted)
	if err != nil || !ok {
		return objects, err
	}
	var x extent
	x.add(t, want)
	return x.find(ctx, s, by, objects)
}

// inPlace tells of a look-up that names no domain whether an object is none of those that are in one.
func inPlace(k kind, want cty.Value, o *object) bool {
	_, ok := k.(parted)
	return !ok || o.scope == noPlace || attribute(want, domainAttribute) != cty.NilVal
}
