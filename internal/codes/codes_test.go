package codes_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/codes"
)

var update = flag.Bool("update", false, "write the generated page")

const (
	root = "../.."
	page = root + "/schema/reference/diagnostics.md"
)

// codeType tells whether an expression is the type of codes, inside of package diag or outside.
func codeType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "Code"
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return ok && of.Name == "diag" && e.Sel.Name == "Code"
	default:
		return false
	}
}

// codesIn returns the codes that a file defines: as constants, by conversions, or in place.
func codesIn(file *ast.File) []string {
	var found []string
	add := func(e ast.Expr) {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				found = append(found, text)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if codeType(n.Type) {
				for _, value := range n.Values {
					add(value)
				}
			}
		case *ast.CallExpr:
			if len(n.Args) == 1 && codeType(n.Fun) {
				add(n.Args[0])
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
				add(n.Value)
			}
		}
		return true
	})
	return found
}

// defined returns all codes of the project with the file that defines each.
func defined(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range []string{"internal", "cmd", "schema"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, code := range codesIn(file) {
				all[code] = strings.TrimPrefix(filepath.ToSlash(name), root+"/")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestEveryCodeIsExplained(t *testing.T) {
	all := defined(t)
	for _, e := range codes.Entries() {
		delete(all, string(e.Code))
	}
	for _, code := range slices.Sorted(maps.Keys(all)) {
		t.Errorf("the code %q of %s is not explained: write an entry here and run `make generate`", code, all[code])
	}
}

func TestEveryEntryIsACode(t *testing.T) {
	all := defined(t)
	if len(all) < 30 {
		t.Fatalf("only %d codes were found in the sources", len(all))
	}
	form := regexp.MustCompile(`^[a-z]+\.[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	before := ""
	for _, e := range codes.Entries() {
		code := string(e.Code)
		area, _, _ := strings.Cut(code, ".")
		switch {
		case all[code] == "":
			t.Errorf("the code %s is explained, and nothing defines it", code)
		case seen[code]:
			t.Errorf("the code %s is explained twice", code)
		case !form.MatchString(code):
			t.Errorf("the code %s is not an area and words with dashes", code)
		case strings.HasPrefix(before, area+".") && before > code:
			t.Errorf("the code %s stands after %s", code, before)
		case len(e.Text) < 80 || !strings.HasSuffix(e.Text, "."):
			t.Errorf("the code %s is explained by %q", code, e.Text)
		}
		seen[code], before = true, code
	}
}

func TestCodesAreFound(t *testing.T) {
	const source = `package p
const (
	one  diag.Code = "a.constant"
	two, three Code = "a.two", "a.three"
	other string = "a.string"
)
var four = diag.Code("a.conversion")
var five = diag.Diagnostic{Code: "a.field", Summary: "a.summary"}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codesIn(file), []string{"a.constant", "a.two", "a.three", "a.conversion", "a.field"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestPage(t *testing.T) {
	text := codes.Page()
	for _, e := range codes.Entries() {
		if !bytes.Contains(text, []byte("### `"+string(e.Code)+"`\n\n"+e.Text+"\n")) {
			t.Errorf("the page does not explain %s", e.Code)
		}
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatalf("%v: run `make generate`", err)
	}
	if !bytes.Equal(got, text) {
		t.Error("schema/reference/diagnostics.md is not what the list says: run `make generate`")
	}
}
