package openstack

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// managed is what of a desired value counts for an object that exists: without the attributes whose
// changes are to be ignored, unless the object is of our making and was not complete yet, since
// what its creation does not take follows by changes.
func managed(r *unit.Resource, t unit.Target, m match, desired cty.Value) cty.Value {
	ignore := ignored(r, t, m)
	if len(ignore) == 0 || !desired.Type().IsObjectType() {
		return desired
	}
	attributes := desired.AsValueMap()
	for _, name := range ignore {
		if v, ok := attributes[name]; ok && name != healAttribute { // which no object has, so that it never changes
			attributes[name] = cty.NullVal(v.Type())
		}
	}
	return cty.ObjectVal(attributes)
}

// ignored are the attributes whose changes are to be ignored now.
func ignored(r *unit.Resource, t unit.Target, m match) []string {
	if m.owned && !t.Imported && !t.Complete && !t.Fresh {
		return nil
	}
	return r.Ignore
}
