package diag_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// snippet is the form that the package promises.
type snippet struct {
	Context *string `json:"context"`
	Code    string  `json:"code"`
	Line    int     `json:"start_line"`
	From    int     `json:"highlight_start_offset"`
	To      int     `json:"highlight_end_offset"`
}

func snippets(t *testing.T, source string, ds ...diag.Diagnostic) []*snippet {
	t.Helper()
	sourced := diag.Sourced{Diagnostics: ds, Source: func(file string) ([]byte, bool) { return []byte(source), file == "main.hcl" }}
	text, err := json.Marshal(sourced)
	if err != nil {
		t.Fatal(err)
	}
	var read []struct {
		Snippet *snippet `json:"snippet"`
	}
	if err := json.Unmarshal(text, &read); err != nil || len(read) != len(ds) {
		t.Fatalf("%s is read as %v, %v", text, read, err)
	}
	var again diag.Diagnostics
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, diag.Diagnostics(ds)) {
		t.Errorf("read back as %+v, %v", again, err)
	}
	var all []*snippet
	for _, r := range read {
		all = append(all, r.Snippet)
	}
	return all
}

func TestSnippet(t *testing.T) {
	about := func(source, needle string) diag.Diagnostic {
		return diag.Diagnostic{Code: "a.b", Summary: "wrong", Subject: part(t, "main.hcl", source, needle)}
	}
	header := `service "keystone" {`
	within := about(mainHCL, "replica")
	within.Context = part(t, "main.hcl", mainHCL, header)
	hidden := about(mainHCL, "replica")
	hidden.HideSource = true
	behind := about(mainHCL, "replica")
	behind.HideAfter = true
	elsewhere := about(mainHCL, "replica")
	elsewhere.Subject.File = "other.hcl"
	shorter := about(mainHCL, "replica")
	shorter.Subject.Start.Byte, shorter.Subject.End.Byte = 10_000, 10_001
	windows := strings.ReplaceAll(mainHCL, "\n", "\r\n")
	binary := "a = \"\xff\xfe\" + b\n"
	several := about(mainHCL, "service \"keystone\" {\n    enabled = true\n")
	for _, tc := range []struct {
		name   string
		source string
		about  diag.Diagnostic
		want   *snippet
		marked string
	}{
		{"context", mainHCL, within, &snippet{&header, "    replica = 3", 7, 4, 11}, "replica"},
		{"no context", mainHCL, about(mainHCL, `"prod"`), &snippet{nil, `cloud "prod" {`, 1, 6, 12}, `"prod"`},
		{"several lines", mainHCL, several, &snippet{nil, `  service "keystone" {`, 4, 2, 22}, header},
		{"carriage return", windows, about(windows, "replica = 3\r\n"), &snippet{nil, "    replica = 3", 7, 4, 15}, "replica = 3"},
		{"not text", binary, about(binary, "\xfe\""), &snippet{nil, "a = \"\uFFFD\uFFFD\" + b", 1, 8, 12}, "\uFFFD\""},
		{"hidden", mainHCL, hidden, nil, ""},
		{"hidden behind", mainHCL, behind, &snippet{nil, "    replica …", 7, 4, 11}, "replica"},
		{"another file", mainHCL, elsewhere, nil, ""},
		{"another content", mainHCL, shorter, nil, ""},
		{"no place", mainHCL, diag.Diagnostic{Code: "a.b", Summary: "wrong"}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := snippets(t, tc.source, tc.about)[0]
			if !reflect.DeepEqual(got, tc.want) {
				t.Fatalf("got %s, want %s", show(got), show(tc.want))
			}
			if got != nil && got.Code[got.From:got.To] != tc.marked {
				t.Errorf("%q is marked, want %q", got.Code[got.From:got.To], tc.marked)
			}
		})
	}
}

func show(s *snippet) string {
	text, err := json.Marshal(s)
	return fmt.Sprint(string(text), err)
}

// A file of one enormous line does not make enormous snippets.
func TestSnippetOfALongLine(t *testing.T) {
	source := strings.Repeat("é", 100_000) + "wrong" + strings.Repeat("é", 100_000) + "\n"
	long := diag.Diagnostic{Summary: "wrong", Subject: part(t, "main.hcl", source, strings.TrimSuffix(source, "\n"))}
	short := diag.Diagnostic{Summary: "wrong", Subject: part(t, "main.hcl", source, "wrong")}
	for i, s := range snippets(t, source, short, long) {
		if s == nil || len(s.Code) > 10_000 || s.To > len(s.Code) || s.To <= s.From {
			t.Errorf("snippet %d: %s", i, show(s))
		}
		if i == 0 && s.Code[s.From:s.To] != "wrong" {
			t.Errorf("%q is marked", s.Code[s.From:s.To])
		}
	}
}

func TestSourcedWithoutAnything(t *testing.T) {
	if text, err := json.Marshal(diag.Sourced{}); err != nil || string(text) != "[]" {
		t.Errorf("no diagnostics are %s, %v", text, err)
	}
	ds := diag.Diagnostics{{Code: "a.b", Summary: "wrong", Subject: on("main.hcl", 1, 1, 2)}}
	plain, err := json.Marshal(ds)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(diag.Sourced{Diagnostics: ds}); err != nil || string(text) != string(plain) {
		t.Errorf("without sources it is %s, %v, want %s", text, err, plain)
	}
}
