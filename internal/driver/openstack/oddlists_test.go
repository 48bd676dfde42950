package openstack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestOddLists has each part of what a list answers be something else in turn, as a service in a hurry or one of another
// release may have it: nothing panics or goes on for ever, no object is absent that the list tells of by its id, and what
// exists can be compared.
func TestOddLists(t *testing.T) {
	odd := []any{nil, true, "", "x", -1, 1e40, []any{}, []any{nil}, []any{"x"}, []any{map[string]any{}}, map[string]any{}, map[string]any{"id": nil}}
	for _, l := range fuzzedLists() {
		t.Run(l.kind, func(t *testing.T) {
			answers := whole()
			seed := []byte(l.answer)
			if l.answer == "" {
				var err error
				if seed, err = json.Marshal(answers[l.path](nil)); err != nil {
					t.Fatal(err)
				}
			}
			var body []byte
			var asked atomic.Int64 // lists of several places are asked for at once
			tried := 0
			answers[l.path] = func(r *http.Request) any {
				if r.URL.Query().Has("marker") {
					return map[string]any{l.key: []any{}}
				}
				asked.Add(1)
				return body
			}
			d := answering(t, answers)
			wanted := target(t, l.kind, "known", values{})
			wanted.ID = l.id
			try := func(name string) {
				tried++
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s: %v", name, r)
					}
				}()
				if live, _, err := d.Live(t.Context(), []string{l.kind}); err != nil && live != nil {
					t.Errorf("%s: a list that failed told of %d objects", name, len(live))
				}
				states, err := d.Observe(t.Context(), []unit.Target{wanted})
				st := states[wanted.Address]
				if st.Existence == unit.Unknown && (err == nil || st.Message == "") {
					t.Errorf("%s: unknown without a reason: %v, %q", name, err, st.Message)
				}
				if st.Existence == unit.Absent && !isList(body, l.key) {
					t.Errorf("%s: absent by %s", name, body)
				}
				if st.Existence == unit.Absent && tellsOf(body, l) {
					t.Errorf("%s: absent, and the list has it: %s", name, body)
				}
				d.Compare(wanted, wantedOf(wanted), st)
			}
			var tree any
			if err := json.Unmarshal(seed, &tree); err != nil {
				t.Fatal(err)
			}
			replaced(tree, "", func(any) {}, func(path string, put func(any), had any) {
				for _, v := range odd {
					put(v)
					var err error
					if body, err = json.Marshal(tree); err != nil {
						t.Fatal(err)
					}
					try(fmt.Sprintf("%s = %v", path, v))
				}
				put(had)
			})
			if asked.Load() < int64(2*tried) {
				t.Errorf("%d answers were asked for %d times", tried, asked.Load())
			}
		})
	}
}

// tellsOf tells whether a list has an object by its id.
func tellsOf(answer []byte, l fuzzedList) bool {
	var fields map[string]json.RawMessage
	var objects []map[string]any
	return json.Unmarshal(answer, &fields) == nil && json.Unmarshal(fields[l.key], &objects) == nil &&
		slices.ContainsFunc(objects, func(o map[string]any) bool { return o["id"] == l.id })
}

// replaced calls with each part of a tree but for the whole, and with what puts another one in its place.
func replaced(at any, path string, put func(any), call func(path string, put func(any), had any)) {
	if path != "" {
		call(path, put, at)
	}
	switch at := at.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(at)) {
			replaced(at[key], path+"."+key, func(v any) { at[key] = v }, call)
		}
	case []any:
		for n := range at {
			replaced(at[n], fmt.Sprintf("%s[%d]", path, n), func(v any) { at[n] = v }, call)
		}
	}
}
