package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Kinds lists where a source asks of something whether it is of one of some kinds of resources, by its name or by its type in
// a driver. What is true of a kind is in its block and in its file: else a kind to come, of which the same is true,
// would take a change here.
func Kinds(set *token.FileSet, file *ast.File, kinds []string) []string {
	var found []string
	say := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s: asks for %s", set.Position(n.Pos()), what))
	}
	named := func(e ast.Expr) string {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && slices.Contains(kinds, text) {
				return text
			}
		}
		return ""
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for of, e := range map[ast.Expr]ast.Expr{n.X: n.Y, n.Y: n.X} {
				if (n.Op == token.EQL || n.Op == token.NEQ) && isKind(of) && named(e) != "" {
					say(n, named(e))
				}
			}
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					if isKind(n.Tag) && named(e) != "" {
						say(e, named(e))
					}
				}
			}
		case *ast.CallExpr:
			for _, e := range n.Args {
				list, ok := e.(*ast.CompositeLit)
				if ok && slices.ContainsFunc(n.Args, isKind) {
					for _, e := range list.Elts {
						if named(e) != "" {
							say(e, named(e))
						}
					}
				}
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Resource" && named(e) != "" {
					say(e, named(e))
				}
			}
		case *ast.ValueSpec:
			for i, e := range n.Values {
				if named(e) != "" && i < len(n.Names) && strings.HasPrefix(strings.ToLower(n.Names[i].Name), "kind") {
					say(n, named(e))
				}
			}
		case *ast.TypeAssertExpr:
			if of, ok := n.Type.(*ast.Ident); ok && strings.HasSuffix(of.Name, "Kind") {
				say(n, of.Name)
			}
		}
		return true
	})
	return found
}

// isKind tells whether an expression is what tells the kind of something.
func isKind(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		e = call.Fun
	}
	selector, ok := e.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Kind"
}
