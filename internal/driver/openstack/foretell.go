package openstack

import (
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Foretell is [before] of what is known by what it connects, and of which a part was not known when others were looked at: there is at
// most one, and nothing is created where it is there. Of what has a name in a project that was made after that look, there is none.
// What is sensitive is not put on record. What an attempt was to connect that was cut off, and that is something else by now, stays
// on record for as long as it may still come.
func (d *Driver) Foretell(t unit.Target, desired cty.Value) *unit.Before {
	k := d.kinds[kindOf(t)]
	if resource(t) == nil || lookup(t) || desired == cty.NilVal || desired.ContainsMarked() {
		return nil
	}
	if _, ok := k.(unsigned); ok {
		return d.newborn.before(k, t, desired)
	}
	by, ok := k.(keyed)
	if !ok || k.marks() {
		return nil
	}
	key := by.key(desired)
	switch {
	case key == "":
		return nil
	case t.Attempted && t.Before != nil && t.Before.Of != "/"+key && d.outcomes.left(t) > 0:
		return t.Before
	}
	return &unit.Before{Of: "/" + key}
}

// newborn are the projects that this process has made lately, so that nothing was in them before. What is in one by the next look is
// known from that, which goes first.
type newborn struct {
	mutex    sync.Mutex
	projects []birth
}

type birth struct {
	id string
	at time.Time
}

// youth is for how long a project counts as new. A look that knew nothing of it is older than that by then.
const youth = time.Hour

func (n *newborn) add(k kind, id string) {
	if _, ok := k.(enclosing); !ok {
		return
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.forget()
	n.projects = append(n.projects, birth{id, time.Now()})
}

func (n *newborn) forget() {
	n.projects = slices.DeleteFunc(n.projects, func(b birth) bool { return time.Since(b.at) > youth })
}

// before is what is on record of what was in such a project before something is made there; nil where it is in another one.
func (n *newborn) before(k kind, t unit.Target, desired cty.Value) *unit.Before {
	if name := scopeName(resource(t)); name != "project" || resource(t).Block.Attribute(name) == nil {
		return nil
	}
	project, called := knownText(desired, "project"), nameOf(k, t, desired)
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.forget()
	if called == "" || !slices.ContainsFunc(n.projects, func(b birth) bool { return b.id == project }) {
		return nil
	}
	return &unit.Before{Of: project + "/" + called}
}
