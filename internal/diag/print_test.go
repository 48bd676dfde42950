package diag_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

const mainHCL = `cloud "prod" {
  release = "2026.1"

  service "keystone" {
    enabled = true

    replica = 3
  }
}
`

// part returns the range of the first occurrence of needle, as HCL would give it.
func part(t testing.TB, file, source, needle string) *diag.Range {
	t.Helper()
	at := strings.Index(source, needle)
	if at < 0 {
		t.Fatalf("%q is not in the source", needle)
	}
	pos := func(at int) diag.Pos {
		line := source[strings.LastIndex(source[:at], "\n")+1 : at]
		return diag.Pos{Line: 1 + strings.Count(source[:at], "\n"), Column: 1 + utf8.RuneCountInString(line), Byte: at}
	}
	return &diag.Range{File: file, Start: pos(at), End: pos(at + len(needle))}
}

func TestPrint(t *testing.T) {
	subject := func(source, needle string) diag.Diagnostic {
		return diag.Diagnostic{Code: "config.test", Summary: "something is wrong", Subject: part(t, "main.hcl", source, needle)}
	}
	with := func(d diag.Diagnostic, change func(*diag.Diagnostic)) diag.Diagnostic {
		change(&d)
		return d
	}
	full := with(subject(mainHCL, "replica"), func(d *diag.Diagnostic) {
		d.Code, d.Summary = "config.unknown-attribute", `unknown attribute "replica"`
		d.Detail = "A service has no attribute of that name. It has:\n- enabled\n- replicas"
		d.Hint = `did you mean "replicas"?`
		d.Context = part(t, "main.hcl", mainHCL, `service "keystone" {`)
		d.Address = addr.MustParseObject("service.keystone")
	})
	long := `  description = "` + strings.Repeat("so many words ", 20) + `" + wrong_reference + "` + strings.Repeat(" and more", 20) + `"`
	wide := "\tname = \"東京 é e\u0301 👩\u200d💻 ❤\ufe0f\" + wrong\t# tab\n"
	tests := []struct {
		name    string
		source  string
		printer diag.Printer
		ds      diag.Diagnostics
	}{
		{"everything", mainHCL, diag.Printer{}, diag.Diagnostics{full}},
		{"color", mainHCL, diag.Printer{Color: true}, diag.Diagnostics{full, {Severity: diag.Warning, Summary: "careful", Hint: "look"}}},
		{"no-place", "", diag.Printer{}, diag.Diagnostics{{Code: "config.no-cloud", Summary: "there is no cloud block", Hint: `add cloud "NAME" { ... }`}}},
		{"only-summary", "", diag.Printer{}, diag.Diagnostics{{Summary: "wrong"}}},
		{"several", mainHCL, diag.Printer{}, diag.Diagnostics{subject(mainHCL, `"prod"`), with(subject(mainHCL, "true"), func(d *diag.Diagnostic) { d.Severity = diag.Warning })}},
		{"context-line-before", mainHCL, diag.Printer{}, diag.Diagnostics{with(subject(mainHCL, "enabled"), func(d *diag.Diagnostic) { d.Context = part(t, "main.hcl", mainHCL, "service") })}},
		{"several-lines", mainHCL, diag.Printer{}, diag.Diagnostics{subject(mainHCL, "service \"keystone\" {\n    enabled = true\n\n    replica = 3\n  }")}},
		{"ends-with-newline", mainHCL, diag.Printer{}, diag.Diagnostics{subject(mainHCL, "3\n")}},
		{"end-of-file", mainHCL, diag.Printer{}, diag.Diagnostics{{Summary: "unclosed block", Subject: &diag.Range{File: "main.hcl", Start: diag.Pos{Line: 10, Column: 1, Byte: len(mainHCL)}, End: diag.Pos{Line: 10, Column: 1, Byte: len(mainHCL)}}}}},
		{"empty-subject", mainHCL, diag.Printer{}, diag.Diagnostics{with(subject(mainHCL, "= 3"), func(d *diag.Diagnostic) { d.Subject.End = d.Subject.Start })}},
		{"carriage-returns", strings.ReplaceAll(mainHCL, "\n", "\r\n"), diag.Printer{}, diag.Diagnostics{subject(strings.ReplaceAll(mainHCL, "\n", "\r\n"), "replica = 3\r\n")}},
		{"wide-characters", wide, diag.Printer{}, diag.Diagnostics{subject(wide, "wrong"), subject(wide, "京 é e\u0301 👩\u200d💻 ❤\ufe0f"), subject(wide, "\t# tab")}},
		{"long-line", long, diag.Printer{}, diag.Diagnostics{subject(long, "wrong_reference"), subject(long, "description"), subject(long, `and more"`), subject(long, strings.Repeat("so many words ", 20))}},
		{"long-line-narrow", long, diag.Printer{Width: 40}, diag.Diagnostics{subject(long, "wrong_reference")}},
		{"hidden-behind", `password = "hunter2"`, diag.Printer{}, diag.Diagnostics{with(subject(`password = "hunter2"`, `password`), func(d *diag.Diagnostic) { d.HideAfter = true })}},
		{"hidden-source", `password = "hunter2"`, diag.Printer{}, diag.Diagnostics{with(subject(`password = "hunter2"`, `"hunter2"`), func(d *diag.Diagnostic) { d.HideSource = true })}},
		{"line-and-column-only", mainHCL, diag.Printer{}, diag.Diagnostics{{Summary: "wrong", Subject: on("main.hcl", 7, 5, 12)}, {Summary: "past the end", Subject: on("main.hcl", 70, 5, 12)}, {Summary: "past the line", Subject: on("main.hcl", 5, 50, 52)}}},
		{"stale-source", "short", diag.Printer{}, diag.Diagnostics{subject(mainHCL, "replica")}},
		{"unknown-file", mainHCL, diag.Printer{}, diag.Diagnostics{{Summary: "wrong", Subject: on("other.hcl", 7, 5, 12)}}},
		{
			"hostile", "a = \"\x1b[2J\u202e\x00\xff\u00a0\" # \x9b\u2066\n",
			diag.Printer{},
			diag.Diagnostics{with(subject("a = \"\x1b[2J\u202e\x00\xff\u00a0\" # \x9b\u2066\n", "#"), func(d *diag.Diagnostic) {
				d.Summary, d.Detail, d.Hint, d.Code = "\x1b[2Jcleared\nforged: line", "\x1b]0;title\a\rover", "\u202ereversed", "c\x1b"
			}), {Summary: "in a file", Subject: on("\x1b[31m.hcl", 1, 1, 1)}},
		},
		{"line-numbers-grow", strings.Repeat("\n", 12344) + "x = 1\n", diag.Printer{}, diag.Diagnostics{subject(strings.Repeat("\n", 12344)+"x = 1\n", "x")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			printer := tt.printer
			printer.Source = func(file string) ([]byte, bool) { return []byte(tt.source), file == "main.hcl" }
			var out bytes.Buffer
			if err := printer.Print(&out, tt.ds); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "print", tt.name+".golden"), out.Bytes())
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\n(go test -update writes %s anew)", got, want, path)
	}
}

func TestPrintWithoutSources(t *testing.T) {
	var out strings.Builder
	if err := (diag.Printer{}).Print(&out, diag.Diagnostics{{Summary: "wrong", Subject: on("a.hcl", 2, 3, 4)}}); err != nil {
		t.Fatal(err)
	}
	if want := "error: wrong\n  --> a.hcl:2:3\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestPrintReturnsTheWritersError(t *testing.T) {
	broken := errors.New("broken")
	if err := (diag.Printer{}).Print(failing{broken}, diag.Diagnostics{{Summary: "wrong"}}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// FuzzPrint checks that no source and no position, however wrong, makes the printer panic, send
// anything that a terminal acts on, or write lines without end.
func FuzzPrint(f *testing.F) {
	f.Add([]byte(mainHCL), "summary", 10, 20, 1, 1, 2, 5)
	f.Add([]byte("\t東\u0301\x1b\xff"), "\x1b\n", 1, 4, 0, 0, 0, 0)
	f.Add([]byte("a\r\n\r\nb"), "", -1, 1<<40, -5, -5, 9, 9)
	f.Fuzz(func(t *testing.T, source []byte, text string, from, to, line, column, endLine, endColumn int) {
		subject := diag.Range{File: text, Start: diag.Pos{Line: line, Column: column, Byte: from}, End: diag.Pos{Line: endLine, Column: endColumn, Byte: to}}
		context := diag.Range{File: text, Start: diag.Pos{Line: endLine, Column: endColumn, Byte: to}}
		d := diag.Diagnostic{Code: diag.Code(text), Summary: text, Detail: text, Hint: text, Subject: &subject, Context: &context}
		var out strings.Builder
		printer := diag.Printer{Source: func(string) ([]byte, bool) { return source, true }, Width: 60}
		if err := printer.Print(&out, diag.Diagnostics{d}); err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(out.String()) || strings.ContainsAny(out.String(), "\x00\x1b\a\b\r\t\u009b\u202e\u2066") {
			t.Fatalf("the text has control characters: %q", out.String())
		}
		if text == "" && utf8.RuneCountInString(out.String()) > 8*60+2*len(source) {
			t.Fatalf("the text has %d bytes", out.Len())
		}
	})
}

func BenchmarkPrint1000(b *testing.B) {
	var source strings.Builder
	var ds diag.Diagnostics
	for i := range 1000 {
		fmt.Fprintf(&source, "node \"worker-%d\" {\n", i)
		from := source.Len()
		source.WriteString("  replica = 3\n}\n")
		ds.Append(diag.Diagnostic{Code: "a.b", Summary: "wrong", Hint: "do", Subject: &diag.Range{
			File: "main.hcl", Start: diag.Pos{Line: 3*i + 2, Column: 3, Byte: from + 2}, End: diag.Pos{Line: 3*i + 2, Column: 10, Byte: from + 9},
		}})
	}
	text := []byte(source.String())
	printer := diag.Printer{Source: func(string) ([]byte, bool) { return text, true }}
	b.ReportAllocs()
	for b.Loop() {
		if err := printer.Print(&strings.Builder{}, ds.Sorted()); err != nil {
			b.Fatal(err)
		}
	}
}
