package openstack

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// compareAdoption decides about an object that has nobody's mark, and the right name or the id that is
// to be imported.
func compareAdoption(k kind, t unit.Target, desired cty.Value, o *object, fields []unit.Field, effect unit.Effect) unit.Diff {
	name, cost := describe([]*object{o})[0], costOf(t, fields)
	if a, ok := k.(adopter); ok {
		if problem := a.adoptable(desired, o); problem != "" {
			return unit.Diff{Action: unit.ActionBlocked, Fields: fields, Reason: problem}
		}
	}
	if problem := roomless(k, o); problem != "" && attribute(desired, keyDescription) == cty.NilVal {
		return unit.Diff{Action: unit.ActionBlocked, Fields: fields, Reason: problem}
	}
	switch {
	case resource(t).ByMark && !t.Imports():
		return unit.Diff{
			Action: unit.ActionBlocked, Fields: fields,
			Reason: fmt.Sprintf("%s has this name and is not ours, and a rule takes over nothing: import it to %s, name its namespace in a %s block, or rename it", name, t.Address, k.name()),
		}
	case effect != unit.InPlace && t.Imports():
		return unit.Diff{
			Action: unit.ActionBlocked, Fields: fields,
			Reason: fmt.Sprintf("%s cannot be imported, because it differs in what cannot be changed in place: write in the block what it has", name),
		}
	case effect == unit.InPlace && withheld(k, o, fields) != "":
		return unit.Diff{Action: unit.ActionBlocked, Fields: fields, Reason: fmt.Sprintf("%s is not taken over while it differs: %s", name, withheld(k, o, fields))}
	case t.Imports():
		return unit.Diff{Action: unit.ActionAdopt, Fields: fields, Cost: cost, Reason: name + " is the object to import"}
	case effect != unit.InPlace:
		return unit.Diff{
			Action: unit.ActionBlocked, Fields: fields,
			Reason: fmt.Sprintf("%s is not ours, has this name, and differs in what cannot be changed: rename one of the two", name),
		}
	}
	return unit.Diff{Action: unit.ActionAdopt, Fields: fields, Cost: cost, Reason: name + " has this name and nobody's mark"}
}
