package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// everything has a change of each kind.
func everything() *plan.Plan {
	field := unit.Field{Path: "size", Before: "1", After: "2"}
	change := func(address string, a unit.Action, fields ...unit.Field) plan.Change {
		u := of(address, "")
		return plan.Change{Address: u.Address, Class: u.Class, Kind: u.Spec.Locator().Kind, Action: a, Fields: fields}
	}
	p := &plan.Plan{Changes: []plan.Change{
		change(`resource.a["x"]`, unit.ActionAdopt),
		change("resource.b", unit.ActionCreate, unit.Field{Path: "name", After: "web"}, unit.Field{Path: "id", After: unit.TextUnknown}),
		change("resource.c", unit.ActionUpdate, field, unit.Field{Path: "description", Before: "a\x1b[31mred\nline"}),
		change("resource.d", unit.ActionRestart, field),
		change("resource.e", unit.ActionReplace, unit.Field{Path: "image", Before: "1", After: "2", Effect: unit.Replace}),
		change("resource.f", unit.ActionDelete, unit.Field{Path: "name", Before: "old"}),
		change("resource.g", unit.ActionForget),
		change("resource.h", unit.ActionDeferred),
		change("resource.i", unit.ActionBlocked, unit.Field{Path: "region", Before: "1", After: "2", Effect: unit.Refused}),
		change("resource.j", unit.ActionUnknown),
		change("resource.k", unit.ActionNone, field),
		change("resource.l", unit.ActionNone),
	}}
	p.Changes[4].Cost = "the instance's disk is lost"
	p.Changes[5].Reason = "it is no longer in the configuration"
	p.Changes[8].Wanted, p.Changes[8].Reason = unit.ActionUpdate, "prevent_destroy forbids that"
	p.Changes[10].Drift, p.Changes[10].Wanted = true, unit.ActionUpdate
	return p
}

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s", path, got)
	}
}

func plans() map[string]*plan.Plan {
	refused := everything()
	refused.Changes = refused.Changes[:1]
	refused.Refused = diag.Diagnostics{{Code: plan.CodeEmpty, Summary: "the configuration asks for nothing", Detail: "Nothing is deleted for that.", Hint: "check the path"}}
	nothing := everything()
	nothing.Changes = nothing.Changes[11:]
	moved := everything()
	moved.Changes = moved.Changes[:3]
	moved.Changes[0].Action, moved.Changes[0].From = unit.ActionMove, at("resource.old")
	moved.Changes[1].Action, moved.Changes[1].Fields = unit.ActionImport, []unit.Field{{Path: "name", Before: "theirs", After: "web"}}
	moved.Changes[2].From = at("module.m.resource.c")
	warned := everything()
	warned.Changes = warned.Changes[1:2]
	warned.Warnings = diag.Diagnostics{{
		Severity: diag.Warning, Code: plan.CodeQuota, Summary: "the plan needs more than a quota allows",
		Detail: "project.shop: of networks the quota allows 3, 3 are in use, and the plan makes 1 more", Hint: "raise it",
	}}
	return map[string]*plan.Plan{"warned": warned, "everything": everything(), "refused": refused, "nothing": nothing, "moved": moved}
}

func TestText(t *testing.T) {
	for name, p := range plans() {
		var b strings.Builder
		if err := p.Text(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", []byte(b.String()))
	}
}

func TestTextSaysWhatTheWriterSays(t *testing.T) {
	full := errors.New("the disk is full")
	if err := everything().Text(failing{full}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestJSON(t *testing.T) {
	for name, p := range plans() {
		text, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", append(text, '\n'))
	}
}

// With the files at hand, what is refused and what is warned of shows their lines.
func TestJSONWithSources(t *testing.T) {
	at := diag.Range{File: "main.hcl", Start: diag.Pos{Line: 2, Column: 3, Byte: 17}, End: diag.Pos{Line: 2, Column: 9, Byte: 23}}
	p := &plan.Plan{Refused: diag.Diagnostics{{Code: plan.CodeImmutable, Summary: "region cannot change", Subject: &at}}}
	found := diag.Sourced{
		Diagnostics: diag.Diagnostics{{Severity: diag.Warning, Code: "a.b", Summary: "careful", Subject: &at}},
		Source:      func(string) ([]byte, bool) { return []byte("cloud \"prod\" {\n  region = \"x\"\n}\n"), true },
	}
	text, err := p.JSON(found, nil)
	if err != nil {
		t.Fatal(err)
	}
	type finding struct {
		Code    string
		Snippet struct{ Code string }
	}
	var read struct{ Refused, Diagnostics []finding }
	if err := json.Unmarshal(text, &read); err != nil || len(read.Refused) != 1 || len(read.Diagnostics) != 1 {
		t.Fatalf("%s, %v", text, err)
	}
	for _, f := range append(read.Refused, read.Diagnostics...) {
		if f.Snippet.Code != `  region = "x"` {
			t.Errorf("the snippet of %s is %q", f.Code, f.Snippet.Code)
		}
	}
	if plain, err := json.Marshal(p); err != nil || bytes.Contains(plain, []byte("snippet")) || bytes.Contains(plain, []byte("diagnostics")) {
		t.Errorf("without the files it is %s, %v", plain, err)
	}
}
