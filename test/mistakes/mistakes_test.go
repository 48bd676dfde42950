package mistakes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/codes"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/mistakes"
)

var update = flag.Bool("update", false, "write the golden texts and the table anew")

// least is how many mistakes the table has at least.
const least = 200

// together is the directory of the cases that are outside of the table.
const together = "together"

// secret is a value that no message may show where it is one.
const secret = "hunter2"

// cases returns the names of all cases below testdata.
func cases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		name, ok := strings.CutSuffix(filepath.ToSlash(file), ".txtar")
		if !ok {
			t.Errorf("%s is no case", file)
			continue
		}
		names = append(names, strings.TrimPrefix(name, "testdata/"))
	}
	return names
}

func TestMistakes(t *testing.T) {
	explained := map[diag.Code]bool{}
	for _, e := range codes.Entries() {
		explained[e.Code] = true
	}
	for _, name := range cases(t) {
		t.Run(name, func(t *testing.T) {
			m := readCase(t, name)
			got := m.tell(t)
			m.golden(t, got.text)
			errors, warnings := 0, 0
			for _, d := range got.Diagnostics {
				if d.Severity == diag.Error {
					errors++
				} else {
					warnings++
				}
				if !explained[d.Code] {
					t.Errorf("the code %q is not explained", d.Code)
				}
				checkTexts(t, d)
				m.checkPlace(t, d, got.text)
			}
			if errors != m.errors || warnings != m.warnings {
				t.Errorf("told %d errors and %d warnings, want %d and %d", errors, warnings, m.errors, m.warnings)
			}
			document := checkJSON(t, got)
			place, kind, _ := strings.Cut(name, "/")
			switch {
			case place == together:
			case kind == "misspelt" && !strings.Contains(got.text, "did you mean "):
				t.Error("nothing is offered for a misspelt name")
			case kind == "sensitive" && (strings.Contains(got.text, secret) || bytes.Contains(document, []byte(secret))):
				t.Error("the secret is shown")
			}
		})
	}
}

// checkTexts wants what is wrong, what was expected and what to do, in the form that all of them have.
func checkTexts(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	for what, text := range map[string]string{"summary": d.Summary, "detail": d.Detail, "hint": d.Hint} {
		if text == "" {
			t.Errorf("%v: it has no %s", d, what)
		}
		if what == "detail" && strings.HasPrefix(d.Summary, "invalid value of the variable ") {
			continue // the configuration says it
		}
		if strings.HasSuffix(text, ".") && !strings.Contains(text, ". ") {
			t.Errorf("%v: a single sentence with a full stop: %q", d, text)
		}
		if len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && 'a' <= text[1] && text[1] <= 'z' {
			t.Errorf("%v: a capital in front: %q", d, text)
		}
		for _, wrong := range []string{"a image", "a instance", "a output", "a openstack", "(s)", "tuple", "  ", "%!"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%v: %q in %q", d, wrong, text)
			}
		}
	}
}

// checkPlace wants a line of a file, which is shown unless it may hold a secret.
func (m *mistake) checkPlace(t *testing.T, d diag.Diagnostic, text string) {
	t.Helper()
	switch commandLine := strings.HasPrefix(d.Detail, "--var"); {
	case d.Subject == nil && !m.nowhere && !commandLine:
		t.Errorf("%v: it has no place", d)
	case d.Subject != nil && m.nowhere:
		t.Errorf("%v: it has a place", d)
	}
	if d.Subject == nil {
		return
	}
	line, err := m.line(d.Subject)
	if err != nil {
		t.Errorf("%v: %v", d, err)
	}
	if !strings.Contains(text, "--> "+d.Subject.String()+"\n") {
		t.Errorf("%v: the text does not name the place", d)
	}
	if d.HideAfter { // the name alone
		if d.Subject.Start.Line == d.Subject.End.Line {
			line = string([]rune(line)[:d.Subject.End.Column-1])
		}
		line += " …"
	}
	const long = 80 // lines that are longer are cut, and tabs become blanks
	if shown := strings.Contains(text, "| "+line+"\n"); !d.HideSource && !shown && len(line) < long && !strings.Contains(line, "\t") {
		t.Errorf("%v: the line %q is not shown", d, line)
	}
}

// checkJSON compares what programs get with what people are told, and returns it.
func checkJSON(t *testing.T, got told) []byte {
	t.Helper()
	document, err := json.Marshal(got.Sourced)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Severity, Code, Summary, Detail, Hint string
		Subject                               *diag.Range
		HideSource                            bool `json:"hide_source"`
		Snippet                               *struct{ Code string }
	}
	if err := json.Unmarshal(document, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(got.Diagnostics) {
		t.Fatalf("the JSON has %d diagnostics, and the text %d", len(list), len(got.Diagnostics))
	}
	for i, j := range list {
		d := got.Diagnostics[i]
		if j.Severity != d.Severity.String() || j.Code != string(d.Code) || j.Summary != d.Summary || j.Detail != d.Detail || j.Hint != d.Hint {
			t.Errorf("%v: the JSON says %+v", d, j)
		}
		switch {
		case d.Subject == nil:
		case j.Subject == nil || *j.Subject != *d.Subject:
			t.Errorf("%v: the place in the JSON is %v", d, j.Subject)
		case (j.Snippet == nil) != d.HideSource:
			t.Errorf("%v: the JSON has a snippet: %t", d, j.Snippet != nil)
		}
	}
	return document
}

// Every cell has its case or a reason why there is none, and every case has its cell.
func TestTableIsComplete(t *testing.T) {
	there := map[string]bool{}
	for _, name := range cases(t) {
		there[name] = true
	}
	count, cells := 0, map[string]bool{}
	for _, c := range mistakes.Cells() {
		name := c.Place + "/" + c.Kind
		switch {
		case c.Reason == "?":
			t.Errorf("%s has neither a case nor a reason why it has none", name)
		case c.Reason == "" && !there[name]:
			t.Errorf("%s has no case in testdata", name)
		case c.Reason == "":
			count++
		case there[name]:
			t.Errorf("%s has a case, and the table says why it has none: %s", name, c.Reason)
		case c.Stands() != "" && !there[c.Stands()]:
			t.Errorf("there is no case %q, which is said to stand for %s", c.Stands(), name)
		}
		cells[name] = true
	}
	for name := range there {
		if !cells[name] && !strings.HasPrefix(name, together+"/") {
			t.Errorf("the case %s has no cell in the table", name)
		}
	}
	if count < least {
		t.Errorf("the table has %d mistakes, and should have %d", count, least)
	}
}

// Names in the table that are none would go unnoticed.
func TestTableNamesWhatThereIs(t *testing.T) {
	var kinds, places []string
	for _, k := range mistakes.Kinds() {
		kinds = append(kinds, k.Name)
	}
	for _, p := range mistakes.Places() {
		places = append(places, p.Name)
		for _, kind := range strings.Fields(p.Cases) {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s has a case of the kind %q, which there is not", p.Name, kind)
			}
		}
	}
	for _, k := range mistakes.Kinds() {
		for _, r := range k.Without {
			for _, place := range strings.Fields(r.Places) {
				if !slices.Contains(places, place) {
					t.Errorf("%s gives a reason for %q, which is no place", k.Name, place)
				}
			}
		}
	}
}

func TestTableIsWritten(t *testing.T) {
	if *update {
		if err := os.WriteFile("README.md", mistakes.Page(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, mistakes.Page()) {
		t.Error("README.md is not what table.go says: run `make generate`")
	}
}
