package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// Goroutines tells where a file starts goroutines by itself, or with something that would let a panic in one end the
// process with its value told: in drivers [contain.Group] and [contain.Background] start them. It goes by what is written,
// and so knows nothing of the goroutines of libraries.
func Goroutines(set *token.FileSet, file *ast.File) []string {
	var found []string
	say := func(at token.Pos, what string) {
		position := set.Position(at)
		found = append(found, fmt.Sprintf("%s:%d: %s: in drivers contain.Group or contain.Background starts goroutines", position.Filename, position.Line, what))
	}
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "golang.org/x/sync/errgroup" {
			say(spec.Pos(), path)
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			say(n.Pos(), "a go statement")
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "sync" && n.Sel.Name == "WaitGroup" {
				say(n.Pos(), "a sync.WaitGroup")
			}
		}
		return true
	})
	return found
}
