package codes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tellers are the functions of the packages that make a diagnostic, with the hint as their last argument.
func tellers() []string { return []string{"fail", "failAt", "wrong", "unformatted", "noAddress"} }

// nameOf is the name of a function or type without its package or receiver.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// setsHint tells whether something in a function is given a hint after it was made.
func setsHint(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if assignment, ok := n.(*ast.AssignStmt); ok {
			for _, to := range assignment.Lhs {
				found = found || nameOf(to) == "Hint"
			}
		}
		return !found
	})
	return found
}

// keyed tells whether the fields of a literal are named; else all of them are there.
func keyed(n *ast.CompositeLit) bool {
	_, ok := n.Elts[0].(*ast.KeyValueExpr)
	return ok
}

// parserOwn tells whether a diagnostic is one of HCL, which has no hints.
func parserOwn(n *ast.CompositeLit) bool {
	of, ok := n.Type.(*ast.SelectorExpr)
	return ok && nameOf(of.X) == "hcl"
}

// withoutHint returns the diagnostics of a function that nobody gives a hint.
func withoutHint(f *ast.FuncDecl) []ast.Node {
	var bad []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if nameOf(n.Type) != "Diagnostic" || len(n.Elts) == 0 || !keyed(n) || parserOwn(n) {
				return true
			}
			hints := slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
				pair, ok := e.(*ast.KeyValueExpr)
				return ok && nameOf(pair.Key) == "Hint"
			})
			if !hints && !setsHint(f) {
				bad = append(bad, n)
			}
		case *ast.CallExpr:
			if !slices.Contains(tellers(), nameOf(n.Fun)) || len(n.Args) == 0 {
				return true
			}
			if last, ok := n.Args[len(n.Args)-1].(*ast.BasicLit); ok && last.Value == `""` {
				bad = append(bad, n)
			}
		}
		return true
	})
	return bad
}

// Every diagnostic says what to do. The texts that come of it are looked at where mistakes are tried out;
// this finds those that nobody has tried.
func TestDiagnosticsHaveHints(t *testing.T) {
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, n := range withoutHint(f) {
				t.Errorf("%s: a diagnostic has no hint", files.Position(n.Pos()))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
