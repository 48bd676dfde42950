package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// Goroutines tells where a file starts goroutines by itself, or with something that would let a panic in one end the
// process with its value told: functions of package contain start them, and what [time.AfterFunc] and [context.AfterFunc] call is made
// by one. It goes by what is written, and so knows nothing of the goroutines of libraries.
func Goroutines(set *token.FileSet, file *ast.File) []string {
	var found []string
	say := func(at token.Pos, what, instead string) {
		position := set.Position(at)
		found = append(found, fmt.Sprintf("%s:%d: %s: %s", position.Filename, position.Line, what, instead))
	}
	const starts = "contain.Go, contain.Group or contain.Background starts goroutines"
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "golang.org/x/sync/errgroup" {
			say(spec.Pos(), path, starts)
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			say(n.Pos(), "a go statement", starts)
		case *ast.SelectorExpr:
			if isOf(n, "sync", "WaitGroup") {
				say(n.Pos(), "a sync.WaitGroup", starts)
			}
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "AfterFunc" && !isOf(called(n.Args), "contain", "Callback") {
				say(n.Pos(), "an AfterFunc", "contain.Callback makes what it calls")
			}
		}
		return true
	})
	return found
}

// called is what makes the last of some arguments, nil where no call does.
func called(arguments []ast.Expr) ast.Expr {
	if len(arguments) == 0 {
		return nil
	}
	if call, ok := arguments[len(arguments)-1].(*ast.CallExpr); ok {
		return call.Fun
	}
	return nil
}

// isOf tells whether an expression is a name of a package.
func isOf(e ast.Expr, in, name string) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := selector.X.(*ast.Ident)
	return ok && of.Name == in && selector.Sel.Name == name
}
