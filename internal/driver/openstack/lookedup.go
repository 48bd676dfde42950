package openstack

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// missedPause is when what could not be read of an object that is looked up is asked for again.
const missedPause = 15 * time.Second

// lookedUp is what others want to know of an object that is looked up.
type lookedUp struct {
	uses []string // as in [unit.Resource]
	all  cty.Type // its attributes
}

// lookedUpBy is nil for what is not looked up.
func lookedUpBy(t unit.Target) *lookedUp {
	if !lookup(t) {
		return nil
	}
	return &lookedUp{uses: resource(t).Uses, all: resource(t).Block.ObjectType()}
}

// concerns tells whether an attribute that no list has is to be known of an object: it is written, some of it is on record
// as ours, or the object is looked up and others refer to that.
func (f found) concerns(name string) bool {
	return attribute(f.want, name) != cty.NilVal || len(f.set[name]) > 0 || f.used(name)
}

// used tells whether others refer to an attribute of an object that is looked up.
func (f found) used(name string) bool {
	return f.looked != nil && (slices.Contains(f.looked.uses, name) || slices.Contains(f.looked.uses, model.Everything))
}

// miss says that attributes could not be seen, which a service keeps. Of what is looked up they are unknown, for which only
// those wait who refer to them; of all else that is a failure.
func (f found) miss(failures map[addr.Object]error, keeper string, err error, attributes ...string) {
	o := f.object
	if o.unseen, o.obscured = append(o.unseen, keeper), brief(err.Error(), longestReason); f.looked == nil {
		failures[f.address] = err
		return
	}
	o.after = missedPause
	for _, name := range attributes {
		o.values.set(name, cty.UnknownVal(f.looked.all.AttributeType(name)))
	}
}

// late is a kind of whose objects some attributes are known only once [Driver.complete] has filled them in.
type late interface {
	late() []string
}

// unfinished is what others see of an object that is looked up, as long as what they refer to is not filled in: that is not
// known, which is something else than that there is none.
func unfinished(k kind, t unit.Target, o *object, seen cty.Value) cty.Value {
	by, ok := k.(late)
	looked := lookedUpBy(t)
	if !ok || looked == nil {
		return seen
	}
	f := found{looked: looked}
	values := map[string]cty.Value{}
	for _, name := range by.late() {
		if _, told := o.values.look(name); f.used(name) && !told {
			values[name] = cty.UnknownVal(looked.all.AttributeType(name))
		}
	}
	if len(values) == 0 {
		return seen
	}
	for name := range looked.all.AttributeTypes() {
		if _, is := values[name]; !is {
			values[name] = seen.GetAttr(name)
		}
	}
	return outputs(looked.all, values)
}

// belated finds what is searched by what was filled in of others that are looked up, and fills that in as well, by which more
// may be found. It returns what could not be read, as [Driver.complete] does.
func (d *Driver) belated(ctx context.Context, s *session, targets []unit.Target, lists map[string][]*object, matches map[addr.Object]match, known map[addr.Object]cty.Value) map[addr.Object]error {
	all := map[addr.Object]error{}
	for open := d.belatedly(targets, matches, known); len(open) > 0; open = d.belatedly(targets, matches, known) {
		d.match(s, open, lists, matches, known)
		open = slices.DeleteFunc(open, func(t unit.Target) bool { return matches[t.Address].object == nil })
		if len(open) == 0 {
			break
		}
		matched := map[string][]found{}
		for name, some := range divided(open) {
			matched[name] = d.foundOf(some, matches)
		}
		failures, unread := d.complete(ctx, s, matched)
		for name, err := range failures {
			for _, f := range matched[name] {
				unread[f.address] = errors.Join(unread[f.address], err)
				delete(matches, f.address) // not known
			}
		}
		maps.Copy(all, unread)
	}
	return all
}

// belatedly notes what is known by now of what is looked up, and returns those that are searched by what was not known; none
// where nothing was filled in.
func (d *Driver) belatedly(targets []unit.Target, matches map[addr.Object]match, known map[addr.Object]cty.Value) (open []unit.Target) {
	told := false
	for _, t := range targets {
		m, ok := matches[t.Address]
		if _, is := d.kinds[kindOf(t)].(late); ok && is && lookup(t) && m.object != nil && known[t.Address] != cty.NilVal && !known[t.Address].IsWhollyKnown() {
			known[t.Address], told = outputsOf(t, m), true
		}
		if ok && m.object == nil && m.want != cty.NilVal && !m.want.IsWhollyKnown() {
			open = append(open, t)
		}
	}
	if !told {
		return nil
	}
	return open
}
