package resolve

import (
	"cmp"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// takenNames tells of names that are given to two objects and that OpenStack takes for one only: the
// second one could never be made, or would be taken for the first.
func (r *resolver) takenNames(m *model.Model) {
	type name struct{ kind, name, within string }
	owners := map[name]*model.Resource{}
	for i := range m.Resources {
		o := &m.Resources[i]
		def := r.kinds[o.Kind].schema
		if o.Address.Mode() == addr.Data || def == nil || !def.OneName {
			continue
		}
		own := name{kind: o.Kind}
		var known, hidden bool
		if own.name, hidden, known = knownText(o.Desired, "name"); !known || own.name == "" {
			continue
		}
		if def.Attribute("domain") != nil {
			if own.within, _, known = knownText(o.Desired, "domain"); !known {
				continue
			}
		}
		first := owners[own]
		if first == nil {
			owners[own] = o
			continue
		}
		if isBehind(namedAt(first), namedAt(o)) {
			first, o = o, first
		}
		where, before, named := namedAt(o), namedAt(first), fmt.Sprintf("the name %q", own.name)
		if _, hiddenBefore, _ := knownText(first.Desired, "name"); hidden || hiddenBefore {
			hidden, named = true, "this name, which is sensitive,"
		}
		r.scope.add(diag.Diagnostic{
			Code: codeConflict, Subject: &where, Context: &o.Range, Address: o.Address, Summary: "name is taken",
			Detail: fmt.Sprintf("%s has %s as well, at %s, and %s", first.Address, named, place(before), def.Unique),
			Hint:   "give one of the two another name, or take one of them away", HideAfter: hidden,
		})
	}
}

// knownText is the text of an attribute that is known, "" for null, and whether it is sensitive.
func knownText(object cty.Value, attribute string) (text string, hidden, known bool) {
	v := object.GetAttr(attribute)
	hidden = v.IsMarked()
	v, _ = v.Unmark()
	switch {
	case !v.IsKnown():
		return "", hidden, false
	case v.IsNull():
		return "", hidden, true
	}
	return v.AsString(), hidden, true
}

// isBehind tells whether a place comes after another one, in the order that files are read in.
func isBehind(a, b diag.Range) bool {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start.Byte, b.Start.Byte)) > 0
}

// namedAt is where an object was given its name.
func namedAt(o *model.Resource) diag.Range {
	if at, ok := o.Ranges["name"]; ok {
		return at
	}
	return o.Range
}
