package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// Languages lists where a source makes a definition of the language of its own. A program makes one, at its top, and hands
// it down: else what is written in a kind that only that one has is unknown further down.
func Languages(set *token.FileSet, file *ast.File) []string {
	name := ""
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == Module+"/schema" {
			name = "schema"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == "New" && name != "" {
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == name {
				found = append(found, fmt.Sprintf("%s: a language of its own, where it is to be handed one", set.Position(n.Pos())))
			}
		}
		return true
	})
	return found
}
