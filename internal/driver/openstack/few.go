package openstack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A cloud may have very many objects of a kind that are none of ours. A list that has one page is read as it is: no
// other question takes fewer requests. Of a longer one, a few that are on record are asked for by what they are known by,
// so that neither time nor memory follows what others have there. What is not on record yet takes the whole list: it may
// bear our mark under another name, and nothing but the list tells which objects have the name that it is to have.

// mostSought is how many targets are few: so many ids fit into the address of a request with room to spare, and where a
// service takes one mark at a time, asking for each is still less work for it than some pages of everything.
const mostSought = 20

// seeker is a kind whose service can be asked for some objects in place of all. Of the others, most have short lists on any
// cloud, such as flavors and roles; of Nova's key pairs and server groups, of users and role assignments, and of what volumes
// are attached to there is no list by several of what they are known by, and much of that bears no mark.
type seeker interface {
	// seek returns what has one of the ids or names, and what bears one of the marks as far as the service finds that.
	// It may return others, too.
	seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error)
	read(raw map[string]any) *object
}

// pageless is a seeker whose service has no pages: its list is always of everything.
type pageless interface {
	pageless()
}

// sought is what a few targets are known by.
type sought struct {
	ids      []string // of what is on record, and of what is looked up by it
	names    []string // of what is looked up
	recorded []string // those of the ids that are on record
	signed   []signature
}

// signature is what else may bear the mark of something on record is found by: see [twins].
type signature struct {
	mark                string
	names, descriptions []string // the wanted one, and the one that was seen last
}

// errUnaskable says that a service cannot be asked for something as it is called.
var errUnaskable = errors.New("no filter takes that")

// soughtOf returns what to ask for, nil where that takes the whole list. Who is no administrator sees a project
// or two, and may not use all filters.
func soughtOf(s *session, k kind, targets []unit.Target) *sought {
	if _, ok := k.(seeker); !ok || len(targets) == 0 || len(targets) > mostSought || !s.administrates() {
		return nil
	}
	if _, ok := k.(unsigned); ok { // what was there before has to be known of these
		return nil
	}
	few := &sought{}
	for _, t := range targets {
		switch {
		case lookup(t):
			want := desiredOf(t)
			id, name := knownText(want, "id"), knownText(want, "name")
			switch {
			case id != "":
				few.ids = append(few.ids, id)
			case name != "":
				few.names = append(few.names, name)
			default:
				return nil
			}
		case t.ID == "":
			return nil
		default:
			few.ids, few.recorded = append(few.ids, t.ID), append(few.recorded, t.ID)
			if k.marks() && t.Mark != "" {
				few.signed = append(few.signed, signatureOf(t))
			}
		}
	}
	return few
}

func signatureOf(t unit.Target) signature {
	sign := signature{mark: t.Mark, descriptions: []string{""}}
	add := func(texts []string, text string) []string {
		if slices.Contains(texts, text) {
			return texts
		}
		return append(texts, text)
	}
	if resource(t) != nil {
		sign.names = add(sign.names, first(knownText(desiredOf(t), "name"), t.Address.Name()))
		sign.descriptions = add(sign.descriptions, knownText(desiredOf(t), keyDescription))
	}
	if name := knownText(t.Outputs, "name"); name != "" {
		sign.names = add(sign.names, name)
	}
	sign.descriptions = add(sign.descriptions, knownText(t.Outputs, keyDescription))
	return sign
}

// knownText is a text that is written and known, else "".
func knownText(v cty.Value, name string) string {
	return textOf(unmarked(attribute(v, name)))
}

// listed lists a kind as far as targets of it need that: all of it without any.
func listed(ctx context.Context, s *session, k kind, targets []unit.Target) ([]*object, error) {
	few := soughtOf(s, k, targets)
	s = s.picking(needed(k, targets))
	if few == nil {
		return k.list(ctx, s)
	}
	if _, ok := k.(pageless); !ok {
		objects, err := k.list(ctx, s.single())
		if !errors.Is(err, errMorePages) {
			return objects, err
		}
	} else if len(few.names) > 0 { // each takes a request
		return k.list(ctx, s)
	}
	objects, err := few.find(ctx, s, k.(seeker))
	switch {
	case errors.Is(err, errUnaskable) || statusIs(err, http.StatusBadRequest): // not every release has the filters
	case err != nil:
		return nil, err
	case few.complete(objects):
		return objects, nil
	}
	return k.list(ctx, s) // what is not there by its id may be so by its mark
}

func (f *sought) find(ctx context.Context, s *session, k seeker) ([]*object, error) {
	objects, err := readAll(k.read)(k.seek(ctx, s, f))
	return once(objects), err
}

// complete tells whether all that is on record was found.
func (f *sought) complete(objects []*object) bool {
	return !slices.ContainsFunc(f.recorded, func(id string) bool {
		return !slices.ContainsFunc(objects, func(o *object) bool { return o.id == id })
	})
}

// signedNames are those that what bears the marks may have.
func (f *sought) signedNames() []string {
	var all []string
	for _, sign := range f.signed {
		all = append(all, sign.names...)
	}
	return all
}

// oneByOne asks some questions, and then for each id that no answer has. What there is not is left out.
func oneByOne[T any](f *sought, questions []T, ask func(T) ([]map[string]any, error), get func(id string) (map[string]any, error)) ([]map[string]any, error) {
	var all []map[string]any
	for _, got := range abreast(len(questions), func(i int) ([]map[string]any, error) { return ask(questions[i]) }) {
		if got.err != nil {
			return nil, got.err
		}
		all = append(all, got.value...)
	}
	missing := slices.DeleteFunc(slices.Clone(f.ids), func(id string) bool {
		return slices.ContainsFunc(all, func(raw map[string]any) bool { return textAt(raw, "id") == id })
	})
	for _, got := range abreast(len(missing), func(i int) (map[string]any, error) { return get(missing[i]) }) {
		switch {
		case got.err == nil:
			all = append(all, got.value)
		case !notFound(got.err):
			return nil, got.err
		}
	}
	return all, nil
}

// longestQuery bounds the texts that go into one address.
const longestQuery = 4000

// portions divides texts so that each portion fits into an address.
func portions(texts []string) [][]string {
	var all [][]string
	length := longestQuery
	for _, text := range texts {
		size := len(url.QueryEscape(text)) + 16 // and what is around it
		if length+size > longestQuery {
			all, length = append(all, nil), 0
		}
		all[len(all)-1] = append(all[len(all)-1], text)
		length += size
	}
	return all
}
