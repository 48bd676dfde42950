package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fake is a driver of one name.
type fake struct {
	name  unit.DriverName
	world *world
}

func (f fake) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	f.world.mutex.Lock()
	f.world.looks++
	f.world.observed[f.name]++
	f.world.spend(f.name)
	f.world.mutex.Unlock()
	hangs := func(t unit.Target) bool { return f.world.hangs(t.Address.String()) }
	if f.world.hangs(string(f.name)) || slices.ContainsFunc(targets, hangs) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.world.mutex.Lock()
	defer f.world.mutex.Unlock()
	if f.world.hidden[string(f.name)] {
		return nil, fmt.Errorf("%s does not answer", f.name)
	}
	states := map[addr.Object]unit.State{}
	var failure error
	for _, t := range targets {
		if t.Anew {
			f.world.anew[t.Address.String()] = true
		}
		if t.Locator.Kind == unit.KindObjects {
			states[t.Address] = f.world.setState(t)
			continue
		}
		if err := f.world.fails("observe", t.Address); err != nil || f.world.hidden[t.Address.String()] {
			failure = errors.Join(fmt.Errorf("%s cannot be seen", t.Address), err)
			continue
		}
		o := f.world.find(t)
		if o != nil && o.left > 0 && o.steps == 0 {
			o.left--
		}
		if o != nil && o.fading {
			if o.fades--; o.fades <= 0 {
				f.world.objects = slices.DeleteFunc(f.world.objects, func(other *object) bool { return other == o })
				f.world.trace = append(f.world.trace, "delete "+named(t.Address, o))
				o = nil
			}
		}
		s := f.world.state(o, t)
		if wanted, ok := t.Spec.(*spec); ok && wanted.unsigned {
			s.Before = &unit.Before{Of: wanted.fields["name"]}
			for _, other := range f.world.objects {
				if other != o && other.fields["name"] == wanted.fields["name"] {
					s.Before.IDs = append(s.Before.IDs, other.id)
				}
			}
		}
		if wanted, ok := t.Spec.(*spec); ok && o == nil && wanted.fields["name"] != "" {
			for _, other := range f.world.objects {
				if other.mark != "" && other.fields["name"] == wanted.fields["name"] {
					s.Marked = append(s.Marked, unit.Marked{Name: other.id, Mark: other.mark})
				}
			}
		}
		s.Data = f.world.taken(t)
		states[t.Address] = s
	}
	return states, failure
}

// unseen are the services that keep parts of a target that cannot be seen.
func (w *world) unseen(t unit.Target) []string {
	wanted, ok := t.Spec.(*spec)
	if !ok {
		return nil
	}
	services := slices.Compact(slices.Sorted(maps.Values(wanted.parts)))
	return slices.DeleteFunc(services, func(service string) bool {
		return !w.hidden[service] && (t.Complete || !slices.Contains(t.Unserved, service))
	})
}

func (w *world) state(o *object, t unit.Target) unit.State {
	if o == nil {
		return unit.State{Existence: unit.Absent}
	}
	seen := *o
	seen.fields, seen.force = maps.Clone(o.fields), maps.Clone(o.force)
	s := unit.State{Existence: unit.Present, Installed: o.steps == 0, ID: o.id, Mark: o.mark, Owned: bears(o, t), Notice: o.notice, Observed: &seen}
	if o.fields[unit.NetworkLabel] != "" || o.fields[unit.ComputeLabel] != "" {
		s.Labels = slices.DeleteFunc(slices.Collect(maps.Keys(o.fields)), func(key string) bool { return o.fields[key] == "no" })
	}
	if wanted, ok := t.Spec.(*spec); ok && !maps.Equal(o.fields, wanted.fields) {
		s.Opens = wanted.opens
	}
	s.Project = o.fields["project"]
	outputs := map[string]cty.Value{"id": cty.StringVal(o.id)}
	for name, value := range o.fields {
		outputs[name] = cty.StringVal(value)
	}
	s.Outputs = cty.ObjectVal(outputs)
	switch {
	case o.broken != "":
		s.Health, s.Message = unit.HealthFailed, o.broken
	case o.going > 0, o.fading:
		s.Health, s.Message = unit.HealthProgressing, "is being deleted"
	case o.left > 0 || o.steps > 0:
		s.Health, s.Message = unit.HealthProgressing, "is starting"
	default:
		s.Health = unit.HealthReady
	}
	for _, name := range t.CleanUp {
		if clash := w.clashes["stuck:"+t.Address.String()]; clash != nil && w.at(addr.MustParseObject(clash[0])) != nil {
			by := t.Locator
			by.Name = addr.MustParseObject(clash[0]).Name()
			s.Stuck = map[string]unit.Stuck{name: {Why: clash[0] + " uses it as well", By: []unit.Locator{by}}}
		}
	}
	if s.Unseen = w.unseen(t); len(s.Unseen) > 0 {
		s.Message = fmt.Sprint("what these keep cannot be seen: ", s.Unseen)
	}
	return s
}

// wantedOf is what is wanted of a target. A resource has one field, which refers to another unit.
func wantedOf(t unit.Target, desired cty.Value) *spec {
	switch s := t.Spec.(type) {
	case *spec:
		return s
	case *unit.Resource:
		text := unit.TextUnknown
		if desired.IsKnown() {
			text = desired.AsString()
		}
		wanted := &spec{fields: map[string]string{"ref": text}}
		if s.Kind == "server" || s.Kind == "guest" || s.Kind == "lodger" {
			wanted.replace = []string{"ref"} // they cannot follow
		}
		return wanted
	default:
		panic("what is it?")
	}
}

func (f fake) Compare(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
	if r, ok := t.Spec.(*unit.Resource); ok && r.Lookup {
		if !desired.IsKnown() {
			return unit.Diff{Action: unit.ActionDeferred, Reason: "what it is searched by is not known yet"}
		}
		if s.Existence == unit.Absent {
			return unit.Diff{Action: unit.ActionBlocked, Reason: "nothing matches"}
		}
		return unit.Diff{Action: unit.ActionNone}
	}
	if set, ok := t.Spec.(*unit.Objects); ok {
		return compareSet(t, set, s)
	}
	wanted := wantedOf(t, desired)
	if s.Existence == unit.Absent {
		if t.Imports() {
			return unit.Diff{Action: unit.ActionBlocked, Reason: "there is no " + cmp.Or(t.Import, "such object")}
		}
		return unit.Diff{Action: unit.ActionCreate}
	}
	o := s.Observed.(*object)
	if t.Imports() && !s.Owned && o.mark != "" {
		return unit.Diff{Action: unit.ActionBlocked, Reason: "it is somebody else's"}
	}
	if o.strange {
		return unit.Diff{Action: unit.ActionBlocked, Reason: "it is somebody else's"}
	}
	if !s.Owned && !t.Imported {
		return unit.Diff{Action: unit.ActionAdopt}
	}
	d := unit.Diff{Action: unit.ActionNone}
	if o.fading {
		return d
	}
	held := o.held
	for _, name := range slices.Sorted(maps.Keys(wanted.fields)) {
		if slices.Contains(wanted.mends, name) && o.fields[name] != o.force[name] {
			d.Mends = append(d.Mends, unit.Field{Path: name, Before: o.fields[name], After: o.force[name]})
			if o.force[name] == wanted.fields[name] {
				continue
			}
		}
		if wanted.fields[name] == unit.TextUnknown && t.Locator.Kind == "lodger" {
			continue // as drivers decide: it may well turn out to be what is there
		}
		if o.fields[name] == wanted.fields[name] || slices.Contains(s.Unseen, wanted.parts[name]) {
			continue
		}
		lost := slices.Contains(t.Lost[wanted.fields[name]], o.fields[name])
		if lost && (t.Locator.Kind == "guest" || t.Locator.Kind == "lodger") {
			continue // guests go on with what they were made from
		}
		field := unit.Field{Path: pathOf(t, name), Before: o.fields[name], After: wanted.fields[name]}
		if d.Action == unit.ActionNone {
			d.Action = unit.ActionUpdate
		}
		if slices.Contains(wanted.replace, name) {
			field.Effect, d.Action = unit.Replace, unit.ActionReplace
			if lost {
				held = "what it is in was lost"
			}
		}
		d.Fields = append(d.Fields, field)
	}
	if o.broken != "" && wanted.heal != "" && d.Action == unit.ActionNone {
		d = unit.Diff{Action: wanted.heal, Heals: true, Reason: o.broken, Cost: "its disk", Fields: []unit.Field{{Path: "heal", Before: "broken", After: string(wanted.heal)}}}
	}
	if d.Action == unit.ActionNone && len(d.Mends) > 0 {
		d.Action, d.Fields = unit.ActionUpdate, d.Mends // nothing else is to be done
	}
	if d.Action == unit.ActionUpdate && len(wanted.stops) > 0 {
		d.Stops = []unit.Stop{{Object: unit.ObjectRef{Kind: "DaemonSet", Name: t.Locator.Name}, Why: "is deleted", Nodes: wanted.stops}}
	}
	if d.Action == unit.ActionNone && o.steps > 0 {
		d.Action, d.Reason = unit.ActionUpdate, fmt.Sprintf("%d steps to go", o.steps)
	}
	switch {
	case d.Action != unit.ActionNone && held != "":
		d.Action, d.Fields, d.Reason = unit.ActionBlocked, nil, held
	case d.Action != unit.ActionNone && o.waits != "":
		d.Waits, d.Continues, d.Reason = true, true, o.waits
	case d.Action != unit.ActionNone && o.busy != "":
		d.Waits, d.Reason = true, o.busy
	case d.Action == unit.ActionNone && o.rolls != "":
		d = unit.Diff{Action: unit.ActionRestart, Continues: true, Serves: true, Waits: true, Reason: o.rolls}
	case d.Action == unit.ActionNone && d.Mends != nil: // there is nothing else
		d.Action, d.Fields, d.Mends = unit.ActionUpdate, d.Mends, nil
	}
	if d.Action == unit.ActionNone && len(s.Unseen) > 0 {
		d.Action, d.Reason = unit.ActionUnknown, s.Message
	}
	return d
}

// pathOf is what a driver calls a field: those of nodes are labels.
func pathOf(t unit.Target, name string) string {
	if t.Locator.Kind != unit.KindNode {
		return name
	}
	if name == "role" {
		name = unit.ComputeLabel
	}
	return "metadata.labels." + name
}
