package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func TestFormat(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"spaces", "cloud   \"a\"{\n a=1\n  long =  2 # two\n b=3   # three\n}", "cloud \"a\" {\n  a    = 1\n  long = 2 # two\n  b    = 3 # three\n}\n"},
		{"tabs", "a {\n\tb {\n\t\tc = [1,2 , 3]\n\t}\n}\n", "a {\n  b {\n    c = [1, 2, 3]\n  }\n}\n"},
		{"brackets over lines", "a = [\n1,\n     2,\n]\n", "a = [\n  1,\n  2,\n]\n"},
		{"operators", "a = b?-1:- 2\n", "a = b ? -1 : -2\n"},
		{"empty block", "a \"b\" {   }\n", "a \"b\" {}\n"},
		{"heredoc", "a = <<-EOT\n     text   here\n   EOT\nb=1\n", "a = <<-EOT\n     text   here\n   EOT\nb = 1\n"},
		{"heredoc to the left", "x {\na = <<EOT\n ${ b }\nEOT\n}\n", "x {\n  a = <<EOT\n ${b}\nEOT\n}\n"},
		{"templates", "a = \"  ${ b }  %{ if c }d%{ endif }\"\n", "a = \"  ${b}  %{if c}d%{endif}\"\n"},
		{"windows", "a=1\r\nbc=2\r\n", "a  = 1\r\nbc = 2\r\n"},
		{"comments", "# one\n   // two\na=1 /* three */\n# last", "# one\n// two\na = 1 /* three */\n# last\n"},
		{"empty lines stay", "a = 1\n\n\n\nb = 2\n", "a = 1\n\n\n\nb = 2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, diags := formatted([]byte(tc.in), "main.hcl")
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if string(got) != tc.want {
				t.Errorf("got\n%q\nwant\n%q", got, tc.want)
			}
			same(t, []byte(tc.in), got)
		})
	}
}

func TestFormatLeavesWhatItCannotRead(t *testing.T) {
	for _, tc := range []struct{ name, in, code string }{
		{"syntax", "a   = {\n", "config.syntax"},
		{"not text", "a   = 1\x00\n", "config.syntax"},
		{"nesting", "a   = " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", "config.limit"},
		{"size", "a   = 1\n" + strings.Repeat("#", 256<<10), "config.limit"},
		{"meaning", "a   = b.0 .1\n", "config.format"},
		{"columns", strings.Repeat("a", 20_000) + " = 1\n" + columns(100), "config.format"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, diags := formatted([]byte(tc.in), "main.hcl")
			if string(got) != tc.in {
				t.Errorf("it became %q", got)
			}
			if len(diags) == 0 || string(diags[0].Code) != tc.code || diags[0].Subject == nil || diags[0].Subject.File != "main.hcl" {
				t.Errorf("diagnostics %v, want %s", diags, tc.code)
			}
			if wrong := tc.code != "config.format"; diags.HasErrors() != wrong {
				t.Errorf("errors: %v, want %v", !wrong, wrong)
			}
		})
	}
}

// columns are lines whose equals signs stand below each other.
func columns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d = 1\n", i)
	}
	return b.String()
}

// TestFormatCountsAllFiles wants the limits to hold for the files of one formatter together.
func TestFormatCountsAllFiles(t *testing.T) {
	for name, text := range map[string]string{"blocks": "a {\n  b {}\n}\n", "attributes": "a   = 1\nb = 2\n"} {
		limits := DefaultLimits()
		limits.Blocks, limits.Attributes = 3, 3
		f := NewFormatter(limits)
		if _, diags := f.Format([]byte(text), "one.hcl"); len(diags) > 0 || f.Full() {
			t.Errorf("%s: the first file: %v", name, diags)
		}
		got, diags := f.Format([]byte(text), "two.hcl")
		if !f.Full() || len(diags) != 1 || diags[0].Code != codeLimit || diags[0].Subject.File != "two.hcl" || string(got) != text {
			t.Errorf("%s: the second file: %v, %q", name, diags, got)
		}
	}
}

func formatted(src []byte, name string) ([]byte, diag.Diagnostics) {
	return NewFormatter(DefaultLimits()).Format(src, name)
}

func TestExamplesAreFormatted(t *testing.T) {
	names, err := filepath.Glob("../../examples/*/*.hcl")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, diags := formatted(src, name); len(diags) > 0 || !bytes.Equal(got, src) {
			t.Errorf("%s is not in the canonical layout: run kupenstack-sync fmt; %v", name, diags)
		}
	}
}

// What would be a killer without guards is left alone, and what has many small parts is formatted in
// time.
func TestFormatOfHostileFiles(t *testing.T) {
	slow.Test(t)
	const size = 32 << 10
	files := killers(20_000)
	for _, part := range []string{"a=1\n", "a=1 #\n", "a=[1,\n2]\n", "\n", "a b{}\n", "/**/", "#\n", "a = <<E\n\nE\n", "  "} {
		files[part] = strings.Repeat(part, size/len(part))
	}
	files["elements in a line"] = "a=[" + strings.Repeat("1,", size/2) + "]"
	files["a template in a line"] = "a=\"" + strings.Repeat("${ b }", size/6) + "\""
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			within(t, func() {
				got, diags := formatted([]byte(text), "main.hcl")
				if diags.HasErrors() && string(got) != text {
					t.Errorf("with %v it became another text", short(diags))
				}
				if again, _ := formatted(got, "main.hcl"); !bytes.Equal(got, again) {
					t.Error("the second time it becomes another text")
				}
			})
		})
	}
}

// FuzzFormat formats any file twice: the second time changes nothing, and the file means the same.
func FuzzFormat(f *testing.F) {
	for _, text := range killers(30) {
		f.Add([]byte(text))
	}
	f.Add([]byte(valid))
	f.Add([]byte("a = <<-A\n  ${ [for x in y : x\n if z] }\n A\n/* c */b=-1 - -1#x"))
	f.Add([]byte("a = b.0 .1\n\xef\xbb\xbf"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 64<<10 {
			t.Skip("larger than what the bound is about")
		}
		once, diags := formatted(src, "main.hcl")
		if len(diags) > 0 {
			if !bytes.Equal(once, src) {
				t.Fatalf("with %v it became %q", diags, once)
			}
			return
		}
		twice, diags := formatted(once, "main.hcl")
		if len(diags) > 0 || !bytes.Equal(once, twice) {
			t.Fatalf("the second time %q becomes %q, %v", once, twice, diags)
		}
		same(t, src, once)
	})
}

// same compares what two files mean: their trees without the places.
func same(t *testing.T, a, b []byte) {
	t.Helper()
	if before, after := tree(t, a), tree(t, b); !slices.Equal(before, after) {
		t.Errorf("%q means\n%s\nand %q\n%s", a, strings.Join(before, "\n"), b, strings.Join(after, "\n"))
	}
}

// tree lists the nodes of a file with what they hold, in the order of the file.
func tree(t *testing.T, src []byte) []string {
	t.Helper()
	file, diags := hclsyntax.ParseConfig(src, "main.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%q cannot be parsed: %v", src, diags)
	}
	return describe(file.Body.(*hclsyntax.Body), nil)
}

func describe(body *hclsyntax.Body, list []string) []string {
	for _, a := range ordered(body.Attributes) {
		list = append(list, "attribute "+a.Name)
		_ = hclsyntax.VisitAll(a.Expr, func(n hclsyntax.Node) hcl.Diagnostics {
			switch n := n.(type) {
			case *hclsyntax.LiteralValueExpr:
				list = append(list, fmt.Sprintf("literal %#v", n.Val))
			case *hclsyntax.ScopeTraversalExpr:
				list = append(list, "reference "+steps(n.Traversal))
			case *hclsyntax.RelativeTraversalExpr:
				list = append(list, "steps "+steps(n.Traversal))
			case *hclsyntax.FunctionCallExpr:
				list = append(list, fmt.Sprintf("call %s %v", n.Name, n.ExpandFinal))
			case *hclsyntax.BinaryOpExpr:
				list = append(list, fmt.Sprintf("operator %v", n.Op.Impl))
			case *hclsyntax.ForExpr:
				list = append(list, "for "+n.KeyVar+","+n.ValVar)
			default:
				list = append(list, fmt.Sprintf("%T", n))
			}
			return nil
		})
	}
	for _, block := range body.Blocks {
		list = append(list, fmt.Sprintf("block %s %q", block.Type, block.Labels))
		list = append(describe(block.Body, list), "end")
	}
	return list
}

func steps(traversal hcl.Traversal) string {
	var b strings.Builder
	for _, step := range traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			fmt.Fprintf(&b, "[%#v]", step.Key)
		default:
			fmt.Fprintf(&b, "%T", step)
		}
	}
	return b.String()
}
