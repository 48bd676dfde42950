package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// past tells what moved, import and suspended blocks say of a resource.
func (e *explainer) past(a addr.Object) []string {
	var notes []string
	for _, m := range e.m.Moves {
		if from, moved := a.Move(m.To, m.From); moved {
			notes = append(notes, fmt.Sprintf("What was %s becomes this one: %s.", from, place(m.Range)))
		}
	}
	for _, i := range e.m.Imports {
		switch {
		case i.To != a:
		case i.Filter != cty.NilVal:
			notes = append(notes, fmt.Sprintf("It is imported as the one that has %s: %s.", filterText(i.Filter), place(i.Range)))
		default:
			notes = append(notes, fmt.Sprintf("It is imported by the id %q: %s.", i.ID, place(i.Range)))
		}
	}
	for i := range e.m.Suspensions {
		if s := &e.m.Suspensions[i]; s.Target.Contains(a) {
			notes = append(notes, fmt.Sprintf("It is %s: %s.", s, place(s.Range)))
		}
	}
	return notes
}

// filterText says what an object is searched by.
func filterText(filter cty.Value) string {
	var parts []string
	for name, v := range filter.AsValueMap() {
		if !v.IsNull() {
			parts = append(parts, name+" = "+asJSON(unit.Visible(v)))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// became tells what moved and removed blocks say of what is no longer there; "" when they say nothing.
func (e *explainer) became(a addr.Object) string {
	for _, m := range e.m.Moves {
		if to, moved := a.Move(m.From, m.To); moved {
			return fmt.Sprintf("; it is %s now, as %s says", to, place(m.Range))
		}
	}
	for _, r := range e.m.Removals {
		switch {
		case !r.From.Contains(a):
		case r.Destroy:
			return fmt.Sprintf("; it is to be deleted, as %s says", place(r.Range))
		default:
			return fmt.Sprintf("; it is not managed any more, as %s says", place(r.Range))
		}
	}
	return ""
}
