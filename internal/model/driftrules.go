package model

import "github.com/zclconf/go-cty/cty"

// DriftRule names fields of a release's objects that others write.
type DriftRule struct {
	Kind string
	Name string // "" for every object of the kind
	Path string
}

// DriftRulesOf reads the value of the attribute of that name, nil where nothing was written.
func DriftRulesOf(v cty.Value) []DriftRule {
	v, _ = v.UnmarkDeep()
	if v == cty.NilVal || v.IsNull() || !v.IsWhollyKnown() {
		return nil
	}
	var rules []DriftRule
	for _, of := range v.AsValueSlice() {
		rules = append(rules, DriftRule{Kind: textOf(of, "kind"), Name: textOf(of, "name"), Path: textOf(of, "path")})
	}
	return rules
}
