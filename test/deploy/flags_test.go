package deploy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// flags returns the flags of kupenstackd, with their dashes. They are read from the calls in its
// source that define them, such as set.StringVar(&f.Repo, "repo", ...): to build and run the command
// would tell the same, and take minutes.
func flags(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, name := range []string{"cmd/internal/wire/flags.go", "cmd/kupenstackd/main.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !strings.HasSuffix(method.Sel.Name, "Var") {
				return true
			}
			if literal, ok := call.Args[1].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if flag, err := strconv.Unquote(literal.Value); err == nil {
					found["--"+flag] = true
				}
			}
			return true
		})
	}
	if !found["--repo"] || !found["--interval"] {
		t.Fatalf("the flags are defined in another way than this test knows: it found %v", found)
	}
	return found
}
