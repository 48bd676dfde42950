package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// shown evaluates an attribute whose value everybody sees, in plans, reports and errors, so that it cannot
// be sensitive.
func (r *resolver) shown(a *config.Attribute) (cty.Value, bool) {
	v, _, ok := r.scope.decode(a)
	if !ok || r.tooSensitive(a, v) {
		return cty.NilVal, false
	}
	return v, true
}

// tooSensitive tells that something in a value is sensitive which everybody would see.
func (r *resolver) tooSensitive(a *config.Attribute, v cty.Value) bool {
	if !v.ContainsMarked() {
		return false
	}
	r.scope.wrong(codeValue, a, "sensitive value", fmt.Sprintf("%s is shown in plans and reports, and this value is sensitive", a.Name), unsealHint(v, "use nonsensitive() if it is no secret"))
	return true
}

// hidesKeys tells that conf or values has a map which is sensitive as a whole: its values could be hidden,
// but its keys go to the chart, and stand in plans, reports and errors, as those of every map do.
func (r *resolver) hidesKeys(a *config.Attribute, v cty.Value) bool {
	path, hides := sensitiveMap(v, false, nil)
	if !hides {
		return false
	}
	where := a.Origin().At(path...)
	r.scope.add(diag.Diagnostic{
		Code: codeValue, Subject: &where, Summary: "sensitive map",
		Detail: fmt.Sprintf("the keys of maps are shown in plans and reports, and those of %s are sensitive with all of it", strings.Join(append([]string{a.Name}, path...), ".")),
		Hint:   "write the keys as they are and make each value sensitive by itself, as in { password = var.db.password }; so are those of a file that sops() reads",
	})
	return true
}

// showsSensitive tells of what is sensitive in a block and everybody would see. Of something in the cluster all but the values
// inside of maps is shown: names are parts of addresses and objects, and keys stand in plans.
func (r *resolver) showsSensitive(kind *schema.Block, b *config.Block, desired cty.Value) bool {
	shows := false
	for _, a := range b.Attributes {
		if !kind.Cluster && !a.Schema.Shown {
			continue
		}
		switch v := desired.GetAttr(a.Name); {
		case a.Schema.Sealable: // has places of its own for that, see objectsOf
		case a.Schema.Mapping:
			shows = r.hidesKeys(a, v) || shows
		default:
			shows = r.tooSensitive(a, v) || shows
		}
	}
	return shows
}

// sensitiveMap finds the first map that is sensitive, or within a list that is. It returns the keys that
// lead to it, none of which is.
func sensitiveMap(v cty.Value, inside bool, path []string) ([]string, bool) {
	if model.Adds(v) {
		added, _ := model.Settle(v).Unmark() // which it is also when only an element is
		v = added
	}
	v, marks := v.Unmark()
	inside = inside || len(marks) > 0
	t := v.Type()
	switch {
	case v.IsNull() || !v.IsKnown():
	case t.IsObjectType() || t.IsMapType():
		if inside {
			return path, true
		}
		elements := v.AsValueMap()
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			if found, hides := sensitiveMap(elements[key], false, append(path[:len(path):len(path)], key)); hides {
				return found, true
			}
		}
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		for _, element := range v.AsValueSlice() {
			if found, hides := sensitiveMap(element, inside, path); hides {
				return found, true
			}
		}
	}
	return nil, false
}
