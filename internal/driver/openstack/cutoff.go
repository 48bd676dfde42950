package openstack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// findNew looks for what an attempt of ours may have created whose answer was lost: among what was not there
// before it. One such object is ours; of several nobody can tell which.
func findNew(k kind, t unit.Target, want cty.Value, same []*object) (m match, done bool) {
	m.want = want
	come := filter(same, func(o *object) bool { return !slices.Contains(t.Before.IDs, o.id) && exact(k, t, want, o) })
	switch {
	case len(come) == 1:
		m.object, m.owned = come[0], true
	case len(come) > 1:
		m.candidates = describe(come)
		m.message = fmt.Sprintf("several objects with the name of this %s have come since it was to be created, and none bears a mark: %s; delete all but one", k.name(), several(m.candidates))
	}
	return m, true
}

// findFormer looks for what an attempt of ours may have created before the block got another name or project, or connects something
// else. One that can be what is wanted now is ours. So is one that is known by what it connects: that is its id, which is on record
// for what was not there before, and what is wanted now takes its place. Any other is named to people, as nothing else would ever tell of it.
func findFormer(k kind, t unit.Target, want cty.Value, objects *listing) (m match) {
	m.want = want
	if t.Before == nil || !t.Attempted {
		return m
	}
	scope, name, _ := strings.Cut(t.Before.Of, "/")
	come := filter(objects.titled(name), func(o *object) bool {
		return o.mark == "" && (scope == "" || o.scope == scope) && !slices.Contains(t.Before.IDs, o.id) && !recordedElsewhere(t, o.id)
	})
	ours, again := len(come) == 1 && exact(k, t, want, come[0]), "the old name and project"
	if _, connects := k.(keyed); connects { // beside what is wanted it is one too many
		ours, again = len(come) == 1 && len(objects.titled(nameOf(k, t, want))) == 0, "what it was"
	}
	switch {
	case ours:
		m.object, m.owned = come[0], true
	case len(come) > 0:
		m.candidates = describe(come)
		m.message = fmt.Sprintf("an attempt to create this %s as %q failed or was cut off, and may have made what has come since: %s; delete it, or write %s "+
			"again until it is on record", k.name(), name, several(m.candidates), again)
	}
	return m
}

// exact tells whether an object could have been created as what is wanted: it differs at most in what can be
// changed.
func exact(k kind, t unit.Target, want cty.Value, o *object) bool {
	r := resource(t)
	return r != nil && worst(differences(k, r.Block, want, o, nil)) == unit.InPlace
}

var errParts = errors.New("another block is about to delete what this is to be: it is made once that is gone")

// recordedElsewhere tells whether something else on record has an object.
func recordedElsewhere(t unit.Target, id string) bool { return t.Taken != nil && t.Taken(id) }

// partsElsewhere tells whether something else on record is about to delete an object.
func partsElsewhere(t unit.Target, id string) bool { return t.Parts != nil && t.Parts(id) }

// tried is a target without its attempt where it is certain that this came to nothing: what is known by what it connects may have been
// made by somebody after it was refused us.
func (d *Driver) tried(k kind, t unit.Target) unit.Target {
	if _, connects := k.(keyed); connects && !k.marks() && t.Attempted {
		t.Attempted = !d.outcomes.nothing(t.UID)
	}
	return t
}
