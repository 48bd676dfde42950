package format

import (
	"bytes"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Result is what came of formatting files.
type Result struct {
	// Texts are the new contents of the files whose layout was another one, by the files' numbers.
	Texts       map[int][]byte
	Diagnostics diag.Diagnostics
}

// Layout formats n files, which file returns with their names, each when it is its turn. Should they
// together be beyond the limits, none is formatted.
func Layout(n int, file func(i int) (name string, src []byte), limits config.Limits) Result {
	formatter, result := config.NewFormatter(limits), Result{Texts: map[int][]byte{}}
	for i := range n {
		name, before := file(i)
		after, diags := formatter.Format(before, name)
		result.Diagnostics.Append(diags...)
		if formatter.Full() {
			return Result{Diagnostics: result.Diagnostics}
		}
		if !bytes.Equal(before, after) {
			result.Texts[i] = after
		}
	}
	return result
}
