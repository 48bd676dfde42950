package plan

import "github.com/kupenstack/kupenstack-sync/internal/diag"

// Crashed is the plan where none could be made, for a mistake of this program: nothing may be applied.
func Crashed(err error) *Plan {
	return &Plan{Refused: diag.Diagnostics{{
		Code: CodeCrash, Summary: "no plan could be made", Detail: err.Error(),
		Hint: "undo what was changed last, and report what leads to this with what the log says of it",
	}}}
}
