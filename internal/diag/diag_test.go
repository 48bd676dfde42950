package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// on returns a range of one line.
func on(file string, line, from, to int) *diag.Range {
	return &diag.Range{File: file, Start: diag.Pos{Line: line, Column: from}, End: diag.Pos{Line: line, Column: to}}
}

func TestErr(t *testing.T) {
	var ds diag.Diagnostics
	if ds.HasErrors() || ds.Err() != nil {
		t.Error("an empty list is an error")
	}
	ds.Append(diag.Diagnostic{Severity: diag.Warning, Summary: "careful"})
	if ds.HasErrors() || ds.Err() != nil {
		t.Error("a warning is an error")
	}
	ds.Append(diag.Diagnostic{Code: "a.b", Summary: "wrong", Subject: on("a.hcl", 2, 3, 4)})
	err := fmt.Errorf("load: %w", ds.Err())
	var found diag.Diagnostics
	if !errors.As(err, &found) || len(found) != 2 {
		t.Fatalf("in %v there is %v", err, found)
	}
	if want := "load: a.hcl:2:3: wrong [a.b]"; err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
}

func TestErrorText(t *testing.T) {
	wrong, careful := diag.Diagnostic{Summary: "wrong"}, diag.Diagnostic{Severity: diag.Warning, Summary: "careful"}
	tests := []struct {
		ds   diag.Diagnostics
		want string
	}{
		{nil, "no errors, 0 warnings"},
		{diag.Diagnostics{careful}, "no errors, 1 warning"},
		{diag.Diagnostics{careful, wrong}, "wrong"},
		{diag.Diagnostics{wrong, careful, wrong}, "wrong (and 1 more error)"},
		{diag.Diagnostics{wrong, wrong, wrong}, "wrong (and 2 more errors)"},
		{diag.Diagnostics{{Summary: "a\x1b[31m\nb"}}, "a<U+001B>[31m b"},
	}
	for _, tt := range tests {
		if got := tt.ds.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSorted(t *testing.T) {
	want := diag.Diagnostics{
		{Summary: "without a place"},
		{Summary: "without a place", Address: addr.MustParseObject("network.a")},
		{Summary: "without a place", Address: addr.MustParseObject("network.b")},
		{Summary: "a", Subject: on("a.hcl", 2, 1, 2)},
		{Summary: "b", Subject: on("a.hcl", 2, 5, 6), Code: "a"},
		{Summary: "a", Subject: on("a.hcl", 2, 5, 6), Code: "b"},
		{Summary: "a", Subject: on("a.hcl", 2, 5, 6), Code: "b", Severity: diag.Warning},
		{Summary: "a", Subject: on("a.hcl", 2, 5, 7), Code: "a"},
		{Summary: "a", Subject: on("a.hcl", 10, 1, 2)},
		{Summary: "a", Subject: on("b.hcl", 1, 1, 2)},
		{Summary: "a", Subject: on("b.hcl", 1, 1, 2), Context: on("b.hcl", 1, 1, 1)},
		{Summary: "a", Subject: on("b.hcl", 1, 1, 2), Detail: "more"},
		{Summary: "a", Subject: on("b.hcl", 1, 1, 2), Detail: "more", Hint: "do", HideSource: true},
		{Summary: "a", Subject: on("b.hcl", 1, 1, 2), Detail: "more", Hint: "so", HideAfter: true},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		mixed := append(append(diag.Diagnostics{}, want...), want...) // everything twice
		last := want[len(want)-1]
		last.HideAfter = false
		mixed.Append(last)
		last = want[len(want)-2]
		last.HideSource = false
		last.Subject = on("b.hcl", 1, 1, 2) // equal, at another place in memory
		mixed.Append(last)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := mixed.Sorted(); !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%v\nwant\n%v", got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	in := diag.Diagnostics{
		{Code: "a.b", Summary: "wrong", HideAfter: true},
		{
			Severity: diag.Warning, Code: "a.c", Summary: "s", Detail: "d", Hint: "h",
			Subject: &diag.Range{File: "a.hcl", Start: diag.Pos{Line: 1, Column: 2, Byte: 1}, End: diag.Pos{Line: 1, Column: 4, Byte: 3}},
			Context: on("a.hcl", 1, 1, 2), Address: addr.MustParseObject(`instance.web["a"]`), HideSource: true,
		},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"severity":"error","code":"a.b","summary":"wrong","hide_after":true},` +
		`{"severity":"warning","code":"a.c","summary":"s","detail":"d","hint":"h",` +
		`"subject":{"file":"a.hcl","start":{"line":1,"column":2,"byte":1},"end":{"line":1,"column":4,"byte":3}},` +
		`"context":{"file":"a.hcl","start":{"line":1,"column":1,"byte":0},"end":{"line":1,"column":2,"byte":0}},` +
		`"address":"instance.web[\"a\"]","hide_source":true}]`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	var out diag.Diagnostics
	if err := json.Unmarshal(text, &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("read back as %+v, %v", out, err)
	}
	if text, err := json.Marshal(diag.Diagnostics(nil)); err != nil || string(text) != "[]" {
		t.Errorf("no diagnostics are %s, %v", text, err)
	}
	for _, bad := range []string{`[{"severity":"fatal"}]`, `[{"severity":"error","address":"x"}]`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), &out); err == nil {
			t.Errorf("%s is read without an error", bad)
		}
	}
	if _, err := json.Marshal(diag.Diagnostic{Severity: 9}); err == nil {
		t.Error("an unknown severity is written")
	}
	if got := fmt.Sprint(diag.Error, diag.Warning, diag.Severity(9)); got != "error warning Severity(9)" {
		t.Errorf("severities are %s", got)
	}
}
