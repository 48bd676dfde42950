package openstack

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// outlive sorts the differences that are there only because somebody deleted what an object was made from, and
// another one with another id is in its place. An object goes on with what it had where its kind does so
// (Nova keeps the flavor in the instance, and the disk is a copy of the image), which is no difference. Of the
// rest, orphaned names those for which the object itself would have to go.
func outlive(k kind, r *unit.Resource, t unit.Target, desired cty.Value, o *object, drop map[string][]string, fields []unit.Field) (rest []unit.Field, orphaned []string) {
	if len(t.Lost) == 0 || len(fields) == 0 {
		return fields, nil
	}
	now := map[string]string{}
	for id, lost := range t.Lost {
		for _, old := range lost {
			now[old] = id
		}
	}
	followed := *o
	followed.values = slices.Clone(o.values)
	for i, have := range o.values {
		if a := r.Block.Attribute(have.name); a != nil && a.Reference != nil {
			followed.values[i].value = follow(have.value, now)
		}
	}
	left := differences(k, r.Block, desired, &followed, drop)
	for _, f := range fields {
		named := func(other unit.Field) bool { return other.Path == f.Path }
		a := r.Block.Attribute(f.Path)
		switch {
		case a == nil || slices.ContainsFunc(left, named):
		case a.Outlives:
			continue
		case f.Effect != unit.InPlace:
			orphaned = append(orphaned, f.Path)
		}
		rest = append(rest, f)
	}
	return rest, orphaned
}

// follow returns what an object names, with the ids that are there now in place of those that were lost.
func follow(have cty.Value, now map[string]string) cty.Value {
	if have == cty.NilVal || have.IsNull() || !have.IsWhollyKnown() {
		return have
	}
	followed, err := cty.Transform(have, func(_ cty.Path, inner cty.Value) (cty.Value, error) {
		if inner.Type() == cty.String && !inner.IsNull() {
			if id, lost := now[inner.AsString()]; lost {
				return cty.StringVal(id), nil
			}
		}
		return inner, nil
	})
	if err != nil {
		return have
	}
	return followed
}

// compareOrphaned refuses to delete an object only because somebody deleted what it is in: one mistake of a
// person must not become many of ours.
func compareOrphaned(k kind, fields []unit.Field, orphaned []string) unit.Diff {
	return unit.Diff{
		Action: unit.ActionBlocked, Fields: fields,
		Reason: "somebody deleted the object that " + strings.Join(orphaned, " and ") + " named, and the one that was made in its place has another id: to follow it, this would have to be deleted and made again (" +
			k.cost() + "); delete it yourself to have that, or give it another label",
	}
}

// restored has those fields changed in place that no block can change, but somebody else did.
func restored(k kind, t unit.Target, m match, fields []unit.Field) []unit.Field {
	r, ok := k.(restoring)
	if !ok || !m.owned || !t.Met {
		return fields
	}
	for i := range fields {
		if fields[i].Effect == unit.Refused && r.restores(fields[i].Path) {
			fields[i].Effect = unit.InPlace
		}
	}
	return fields
}
