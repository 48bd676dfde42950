package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Shown is a value as it may be seen.
type Shown struct {
	Value     any // as encoding/json takes it, with texts in place of what is hidden
	Sensitive bool
	Unknown   bool
}

func show(v cty.Value) Shown {
	v = model.Settle(v)
	return Shown{Value: unit.Printed(v), Sensitive: v.IsMarked(), Unknown: !v.IsKnown() && !v.IsMarked()}
}

// path is a place inside a value: keys of maps, and indexes of blocks.
type path []string

// String returns the path as it would be written in an expression.
func (p path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case identifier(step):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		case index(step):
			b.WriteString("[" + strings.TrimPrefix(step, indexMark) + "]")
		default:
			b.WriteString("[" + strconv.Quote(step) + "]")
		}
	}
	return b.String()
}

// indexMark begins a step that is one of several blocks, and that no key begins with.
const indexMark = "\x00"

func index(step string) bool { return strings.HasPrefix(step, indexMark) }

func identifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// leaf is a part of a value that is no map, or an empty one.
type leaf struct {
	path  path
	value cty.Value
}

// leaves takes maps apart, by key, all the way down to those that are sensitive, as their keys are.
func leaves(v cty.Value, at path) []leaf {
	t := v.Type()
	if v.IsMarked() || !v.IsKnown() || v.IsNull() || !t.IsObjectType() && !t.IsMapType() || v.LengthInt() == 0 {
		return []leaf{{at, v}}
	}
	elements := v.AsValueMap()
	keys := make([]string, 0, len(elements))
	for key := range elements {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var all []leaf
	for _, key := range keys {
		all = append(all, leaves(elements[key], append(at[:len(at):len(at)], key))...)
	}
	return all
}

// entry is what one layer has for a value.
type entry struct {
	value  cty.Value
	source Source
}

// value tells of a value from what the layers have for it, the lowest first.
func (e *explainer) value(at path, effective cty.Value, entries []entry) Value {
	e.lines += len(entries)
	top := entries[len(entries)-1]
	v := Value{Path: at.String(), Effective: show(effective), Set: top.source}
	counts := top.source.Adds != ""
	for _, below := range slices.Backward(entries[:len(entries)-1]) {
		v.Lower = append(v.Lower, Lower{Shown: show(below.value), Set: below.source, Counts: counts})
		counts = counts && below.source.Adds != ""
	}
	return v
}

func byDefault(v cty.Value) entry { return entry{v, Source{Kind: SourceDefault}} }

// settings explains the settings of a service. The defaults of the cloud's block count where that
// is among the layers.
func (e *explainer) settings(service string, defaults bool, settings []model.Setting) []Value {
	def := e.definition.Block("cloud").Nested("service")
	of, _ := e.definition.Service(service)
	var values []Value
	for i := range def.Attributes {
		a := &def.Attributes[i]
		var written []model.Setting
		for _, s := range settings {
			if s.Name == a.Name {
				written = append(written, s)
			}
		}
		switch {
		case a.Mapping || a.Name == schema.Resources:
			values = append(values, e.mapping(a.Name, written)...)
		case a.Name == "replicas":
			values = append(values, e.counts(a.Name, of.Parts, written)...)
		case a.Name == schema.DisruptionBudget:
			values = append(values, e.counts(a.Name, of.Budgets, written)...)
		default:
			var entries []entry
			if defaults && a.HasDefault() {
				entries = append(entries, byDefault(a.Default))
			}
			for _, s := range written {
				entries = append(entries, entry{s.Value, sourceOf(&s)})
			}
			if len(entries) > 0 {
				values = append(values, e.value(path{a.Name}, entries[len(entries)-1].value, entries))
			}
		}
	}
	return values
}

// mapping explains each leaf of a setting that is merged.
func (e *explainer) mapping(name string, written []model.Setting) []Value {
	merged := cty.NilVal
	for _, s := range written {
		merged, _ = model.Merge(merged, s.Value) // mistakes were told when the model was made
	}
	if merged == cty.NilVal {
		return nil
	}
	var values []Value
	for _, l := range leaves(model.Settle(merged), nil) {
		if e.isFull() {
			break
		}
		var entries []entry
		for i := range written {
			if found, ok := contribution(&written[i], l.path); ok {
				entries = append(entries, found)
			}
		}
		if len(entries) > 0 {
			values = append(values, e.value(append(path{name}, l.path...), l.value, entries))
		}
	}
	return values
}

// contribution is what a setting has at a path: a value there, or something around it that is no
// map and so took the place of what lower layers have there.
func contribution(s *model.Setting, at path) (entry, bool) {
	v, found, ok := s.Part(at...)
	if !ok {
		return entry{}, false
	}
	source := sourceOf(s, found...)
	if model.Adds(v) {
		source.Adds = "append"
		if _, front := model.Added(v); front {
			source.Adds = "prepend"
		}
	}
	return entry{v, source}, true
}

// counts explains the number for each of some parts.
func (e *explainer) counts(name string, parts []string, written []model.Setting) []Value {
	entries := map[string][]entry{}
	for i := range written {
		s := &written[i]
		plain, marks := s.Value.UnmarkDeep()
		counts, err := model.Counts(parts, plain)
		if err != nil {
			continue // the model was checked
		}
		for part, n := range counts {
			entries[part] = append(entries[part], entry{cty.NumberIntVal(int64(n)).WithMarks(marks), sourceOf(s, part)})
		}
	}
	var values []Value
	for _, part := range parts {
		if found := entries[part]; len(found) > 0 {
			values = append(values, e.value(path{name, part}, found[len(found)-1].value, found))
		}
	}
	return values
}

func sourceOf(s *model.Setting, at ...string) Source {
	return Source{Kind: SourceWritten, Layer: s.Layer, Range: s.At(at...)}
}

// resources explains one object, or all of a block.
func (e *explainer) resources(a addr.Object) ([]Explanation, error) {
	var answers []Explanation
	for i := range e.m.Resources {
		r := &e.m.Resources[i]
		if !a.Contains(r.Address) || e.isFull() {
			continue
		}
		def := e.definition.Resource(r.Kind)
		answer := Explanation{Address: r.Address, Notes: e.past(r.Address)}
		if r.Address.Mode() == addr.Data {
			answer.Values = e.block(r.Address, def.DataBlock(), r.Desired.AsValueMap())
		} else {
			answer.Values = append(e.block(r.Address, def, r.Desired.AsValueMap()), e.lifecycle(r)...)
		}
		answers = append(answers, answer)
	}
	if len(answers) == 0 {
		return nil, e.unknown(a)
	}
	return answers, nil
}

func (e *explainer) lifecycle(r *model.Resource) []Value {
	def := schema.Lifecycle()
	of := e.definition.Resource(r.Kind)
	def.Attributes = slices.DeleteFunc(def.Attributes, func(a schema.Attribute) bool { return !of.Takes(a.Name) })
	b := blockValues{e: e, label: r.Address.Name(), origin: e.c.Origin(r.Address)}
	values := map[string]cty.Value{} // the defaults, when there is no such block
	if b.origin != nil && b.origin.Inside[def.Kind] != nil {
		values["drift"] = cty.StringVal(string(r.Lifecycle.Drift))
		values["prevent_destroy"] = cty.BoolVal(r.Lifecycle.PreventDestroy)
	}
	b.inside(path{def.Kind}, &def.Block, values)
	return b.values
}

// block explains a block by its definition.
func (e *explainer) block(a addr.Object, def *schema.Block, values map[string]cty.Value) []Value {
	b := blockValues{e: e, label: a.Name(), origin: e.c.Origin(a)}
	b.inside(nil, def, values)
	return b.values
}

// blockValues gathers the values of a block and of those inside it.
type blockValues struct {
	e      *explainer
	label  string
	origin *model.Origin
	values []Value
}

func (b *blockValues) inside(at path, def *schema.Block, values map[string]cty.Value) {
	for i := range def.Attributes {
		if a := &def.Attributes[i]; a.Presence != schema.Computed {
			b.attribute(append(at[:len(at):len(at)], a.Name), a, values[a.Name])
		}
	}
	for i := range def.Blocks {
		inner := &def.Blocks[i]
		v, ok := values[inner.Kind]
		if !ok || v.IsMarked() || v.IsNull() || !v.IsKnown() {
			continue
		}
		below := append(at[:len(at):len(at)], inner.Kind)
		if inner.Single() {
			b.inside(below, &inner.Block, v.AsValueMap())
			continue
		}
		for n, element := range v.AsValueSlice() {
			element, _ = element.Unmark()
			b.inside(append(below[:len(below):len(below)], indexMark+strconv.Itoa(n)), &inner.Block, element.AsValueMap())
		}
	}
}

// attribute explains what was written, the label, or the default.
func (b *blockValues) attribute(at path, a *schema.Attribute, v cty.Value) {
	missing := v == cty.NilVal || v.IsKnown() && v.IsNull()
	switch written := b.written(at); {
	case written && !missing:
		for _, l := range leaves(v, at) {
			if b.e.isFull() || len(l.path) > len(at) && l.value.IsKnown() && l.value.IsNull() {
				continue // an attribute of an object that is not written
			}
			var entries []entry
			if a.HasDefault() && len(l.path) == len(at) {
				entries = append(entries, byDefault(a.Default))
			}
			entries = append(entries, entry{l.value, Source{Kind: SourceWritten, Range: b.origin.At(origins(l.path)...)}})
			b.values = append(b.values, b.e.value(l.path, l.value, entries))
		}
	case a.FromLabel:
		if missing {
			v = cty.StringVal(b.label)
		}
		b.values = append(b.values, b.e.value(at, v, []entry{{v, Source{Kind: SourceLabel, Range: b.origin.At()}}}))
	case a.HasDefault():
		b.values = append(b.values, b.e.value(at, a.Default, []entry{byDefault(a.Default)}))
	}
}

// written tells whether an attribute stands in the configuration. So does one in a block of which
// the place is not known, as it was computed.
func (b *blockValues) written(at path) bool {
	o, steps := b.origin, origins(at)
	for _, step := range steps[:len(steps)-1] {
		if o == nil {
			break
		}
		o = o.Inside[step]
	}
	return o == nil || o.Inside[steps[len(steps)-1]] != nil
}

// origins names the steps of a path as origins do.
func origins(at path) []string {
	steps := slices.Clone(at)
	for i, step := range steps {
		steps[i] = strings.TrimPrefix(step, indexMark)
	}
	return steps
}
