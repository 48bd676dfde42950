package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// conflicts tells of attributes that exclude each other, once of all that do. Null counts as not written, so that an expression can choose among them: what is not known to
// have a value yet is looked at again at the second stage.
func (s *scope) conflicts(b *config.Block, def *schema.Block, values map[string]cty.Value) {
	var told []string
	for _, a := range slices.Backward(b.Attributes) { // it is the last one that is too much
		d := def.Attribute(a.Name)
		if d == nil || slices.Contains(told, a.Name) || !hasValue(a, values[a.Name]) {
			continue
		}
		var names, places []string
		both := []*config.Attribute{a}
		for _, other := range b.Attributes {
			o := def.Attribute(other.Name)
			if o == nil || o.Conflicts != a.Name && d.Conflicts != other.Name || !hasValue(other, values[other.Name]) {
				continue
			}
			names, both = append(names, other.Name), append(both, other)
			places = append(places, fmt.Sprintf("%s, which is at %s", other.Name, place(other.NameRange)))
		}
		if len(names) == 0 {
			continue
		}
		told = append(told, names...)
		hint := "take one of them away"
		if len(names) > 1 {
			hint = "keep one of them, and take the others away"
		}
		s.addOf(diag.Diagnostic{
			Code: codeConflict, Subject: &a.NameRange, Summary: "attributes that exclude each other",
			Detail: fmt.Sprintf("%s cannot be written beside %s", a.Name, strings.Join(places, ", and ")), Hint: hint + "; null counts as not written",
		}, both...)
	}
}

// hasValue tells whether an attribute that is written is known to be something else than null.
func hasValue(a *config.Attribute, v cty.Value) bool {
	if v == cty.NilVal {
		return false
	}
	v, _ = v.Unmark()
	if v.IsKnown() {
		return !v.IsNull()
	}
	if a.Schema != nil && a.Schema.Reference != nil && a.Steps > 0 && len(a.References) == 1 {
		if _, is := a.References[0].Object(); is {
			return true // an object has what it is referred to by
		}
	}
	return v.Range().DefinitelyNotNull() || a.Expr.NeverNull()
}
