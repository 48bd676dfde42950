package openstack

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// needed tells of what a list has whether any target can be meant by it, so that the rest is dropped with its page: what has
// the id or the name of one, or bears a mark, be it whose it may. It is nil where everything has to be looked at, as for a
// look-up by something else. Only a seeker's lists are of nothing but its objects, which are called by their names.
func needed(k kind, targets []unit.Target) func(raw map[string]any) bool {
	_, seeks := k.(seeker)
	_, unmarked := k.(unsigned)
	_, unnamed := k.(keyed)
	if !seeks || unmarked || unnamed || len(targets) == 0 {
		return nil
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for _, t := range targets {
		id := first(t.ID, t.Import)
		var name string
		switch want := desiredOf(t); {
		case lookup(t):
			id, name = knownText(want, "id"), knownText(want, "name")
		case id != "" || resource(t) == nil: // by its mark, if at all
			ids[id] = true
			continue
		case t.ImportBy != cty.NilVal:
			name = knownText(t.ImportBy, "name")
		default:
			name = nameOf(k, t, want)
		}
		switch {
		case id != "":
			ids[id] = true
		case name != "":
			names[name] = true
		default:
			return nil
		}
	}
	return func(raw map[string]any) bool {
		return ids[textAt(raw, "id")] || names[cty.NormalizeString(textAt(raw, "name"))] || bearsMark(raw)
	}
}

// bearsMark tells whether a mark is in any of the places that kinds have it in.
func bearsMark(raw map[string]any) bool {
	return textAt(raw, markKey) != "" || markInMetadata(raw) != "" || strings.Contains(textAt(raw, keyDescription), markPrefix) ||
		slices.ContainsFunc(textsAt(raw, "tags"), func(tag string) bool { return strings.HasPrefix(tag, markPrefix) })
}
