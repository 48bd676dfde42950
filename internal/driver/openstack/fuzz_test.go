package openstack_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fuzzedList is a list of objects, one of them that was seen before, and an answer for it besides that of [whole].
type fuzzedList struct{ kind, path, key, id, answer string }

// TestEveryListIsFuzzed has none of the kinds forgotten, nor one whose object is not found in what it is seeded with.
func TestEveryListIsFuzzed(t *testing.T) {
	var kinds []string
	for _, l := range fuzzedLists() {
		t.Run(l.kind, func(t *testing.T) {
			kinds = append(kinds, l.kind)
			answers := whole()
			if l.answer != "" {
				answers[l.path] = func(r *http.Request) any {
					if r.URL.Query().Has("marker") {
						return map[string]any{l.key: []any{}}
					}
					return []byte(l.answer)
				}
			}
			wanted := target(t, l.kind, "known", values{})
			wanted.ID = l.id
			if st := (&bench{Driver: answering(t, answers)}).look(t, wanted); st.Existence != unit.Present {
				t.Errorf("%s: %s", st.Existence, st.Message)
			}
		})
	}
	if slices.Sort(kinds); !slices.Equal(kinds, slices.Sorted(slices.Values(export.Kinds(language())))) {
		t.Errorf("the lists of %q are fuzzed", kinds)
	}
}

// FuzzLists has a list of a cloud answered with anything. Whatever it is, nothing panics or goes on for ever, and an
// object that was there before is absent only when a whole list says so.
func FuzzLists(f *testing.F) {
	lists := fuzzedLists()
	answers := whole()
	for i, l := range lists {
		if answers[l.path] == nil {
			f.Fatalf("there is no list %s", l.path)
		}
		whole, err := json.Marshal(answers[l.path](nil))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), whole)
		f.Add(uint8(i), []byte(l.answer))
		f.Add(uint8(i), whole[:len(whole)/2])
		for _, empty := range []string{`[]`, `[null]`, `[{}]`, `null`, `{}`, `[],"next":"%"`, `[],"next":"?marker=1"`, `[],"truncated":true`, `[],"links":{"next":"/"}`} {
			f.Add(uint8(i), []byte(`{"`+l.key+`":`+empty+`}`))
		}
	}
	f.Add(uint8(0), []byte(``))
	f.Add(uint8(0), []byte(`{"networks":[]} {"networks":[]}`))
	var path string
	var body []byte
	for p, answer := range answers {
		answers[p] = func(r *http.Request) any {
			if p == path {
				return body
			}
			return answer(r)
		}
	}
	d := answering(f, answers)
	f.Fuzz(func(t *testing.T, n uint8, answer []byte) {
		l := lists[int(n)%len(lists)]
		path, body = l.path, answer
		if live, _, err := d.Live(t.Context(), export.Kinds(language())); err != nil && live != nil {
			t.Errorf("a list that failed told of %d objects", len(live))
		}
		wanted := target(t, l.kind, "known", values{})
		wanted.ID = l.id
		states, err := d.Observe(t.Context(), []unit.Target{wanted})
		st := states[wanted.Address]
		if st.Existence == unit.Unknown && (err == nil || st.Message == "") {
			t.Errorf("unknown without a reason: %v, %q", err, st.Message)
		}
		if st.Existence == unit.Absent && !isList(answer, l.key) {
			t.Errorf("%s is absent by %q", l.kind, answer)
		}
	})
}

// isList tells whether an answer has nothing but objects below a key, and is the last page.
func isList(answer []byte, key string) bool {
	var fields map[string]json.RawMessage
	var objects []map[string]any
	if json.Unmarshal(answer, &fields) != nil || json.Unmarshal(fields[key], &objects) != nil || objects == nil {
		return false
	}
	for _, o := range objects {
		if o == nil {
			return false
		}
	}
	var all struct {
		Next      any            `json:"next"`
		Links     map[string]any `json:"links"`
		Truncated any            `json:"truncated"`
	}
	if json.Unmarshal(answer, &all) != nil {
		return true // links of another form lead nowhere
	}
	last := func(next any) bool { return next == nil || next == "" }
	return last(all.Next) && last(all.Links["next"]) && all.Truncated != true
}
