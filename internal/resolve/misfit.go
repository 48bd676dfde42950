package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// misfit is something within a value that an attribute does not take.
type misfit struct {
	path  cty.Path
	ofKey bool // it is about the key at the end of the path

	summary, detail, hint string
}

// The summaries of misfits.
const (
	wrongValue   = "invalid value"
	wrongForType = "wrong type of value"
	wrongKey     = "unknown attribute"
	wrongKind    = "wrong kind of value"
)

// misfits tells everything in a value that an attribute does not take, each where it is written. What is
// written as a whole, such as a local, is told of as a whole.
func (s *scope) misfits(a *config.Attribute, v cty.Value) {
	found := misfitsIn(a, v)
	if len(found) == 0 {
		found = []misfit{misfitOf(a, v)}
	}
	s.tellMisfits(a, found, logsIn(v))
}

// tellMisfits tells of all misfits in one place in one message.
func (s *scope) tellMisfits(a *config.Attribute, found []misfit, hide bool) {
	var order []told
	groups := map[told][]misfit{}
	for _, m := range found {
		where, key := a.Part(m.path)
		if m.ofKey {
			where = key
		}
		place := told{where, m.summary}
		if groups[place] == nil {
			order = append(order, place)
		}
		groups[place] = append(groups[place], m)
	}
	for _, at := range order {
		group := groups[at]
		details := make([]string, len(group))
		for i, m := range group {
			details[i] = m.detail
		}
		d := diag.Diagnostic{Code: codeValue, Subject: &at.where, Summary: at.summary, Detail: abridged(details), Hint: group[0].hint, HideSource: hide}
		hideValue(&d, a)
		s.addOf(d, a)
	}
}

// abridged joins what is said of several parts of one value; of many, the first of it.
func abridged(details []string) string {
	const most = 10
	if n := len(details) - most; n > 1 {
		details = append(slices.Clip(details[:most]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(details, "; ")
}

// misfitOf is the first misfit, as the whole value shows it.
func misfitOf(a *config.Attribute, v cty.Value) misfit {
	def := a.Schema
	if name, known, hidden := strayAttribute(def.Type, v); name != "" {
		detail := fmt.Sprintf("%s has no attribute %q", a.Name, name)
		if hidden {
			name, detail = "", hiddenKey(a.Name)
		}
		return misfit{summary: wrongKey, detail: detail, hint: config.OneOf(name, slices.Sorted(slices.Values(known)))}
	}
	converted, err := convertTo(def, v)
	if err != nil {
		return misfit{summary: wrongForType, detail: a.Name + wrongType(v, err) + foundElement(a, v), hint: config.Example(def)}
	}
	return misfit{
		summary: wrongValue, detail: fmt.Sprintf("%s must be %s%s", a.Name, wanted(def, converted), found(a, converted)),
		hint: orHint(suggestAllowed(def, converted), config.Example(def)),
	}
}

func hiddenKey(name string) string {
	return name + " has no attribute of a name that is used here, and that is sensitive"
}

// wanted is what a value that is none of those that an attribute takes must be. Of a sensitive one it says
// nothing that is made from it, such as the network of an address.
func wanted(def *schema.Attribute, v cty.Value) string {
	problem := def.Check(v)
	if !v.ContainsMarked() {
		return problem
	}
	if at := strings.Index(problem, madeFrom); at >= 0 {
		return problem[:at+len(madeFrom)]
	}
	if at := strings.LastIndex(problem, " ("); at >= 0 && v.IsMarked() && v.Type().IsMapType() {
		return problem[:at] // without the key
	}
	return problem
}

// madeFrom is behind which a check has what it makes of a value.
const madeFrom = "the first address of its network"

// misfitsIn finds all misfits in a value; none where only the whole shows what is wrong.
func misfitsIn(a *config.Attribute, v cty.Value) []misfit {
	def, want := a.Schema, a.Schema.Type
	if len(def.OneOf) > 0 {
		at := slices.IndexFunc(def.OneOf, func(t cty.Type) bool {
			return isSequence(t) && isSequence(v.Type()) || isMapping(t) && isMapping(v.Type())
		})
		if at < 0 {
			return nil
		}
		want = def.OneOf[at]
	}
	var all []misfit
	visitParts(want, v, nil, func(p part) {
		name := a.Name + pathText(p.path)
		switch {
		case p.hidden:
			all = append(all, misfit{path: p.path, summary: wrongKey, detail: hiddenKey(name), hint: config.OneOf("", p.known)})
		case p.stray != "":
			name = a.Name + pathText(p.path[:len(p.path)-1])
			all = append(all, misfit{path: p.path, ofKey: true, summary: wrongKey, detail: fmt.Sprintf("%s has no attribute %q", name, p.stray), hint: config.OneOf(p.stray, p.known)})
		case p.err != nil:
			all = append(all, misfit{path: p.path, summary: wrongForType, detail: name + ": " + config.PlainTypes(p.err.Error()) + foundElement(a, p.given), hint: config.Example(def)})
		default:
			def := fieldOf(def, p.path)
			if problem := wanted(def, p.value); problem != "" {
				all = append(all, misfit{
					path: p.path, summary: wrongValue, detail: fmt.Sprintf("%s must be %s%s", name, problem, found(a, p.value)),
					hint: orHint(suggestAllowed(def, p.value), config.Example(def)),
				})
			}
		}
	})
	return all
}

// fieldOf is what holds for one place within the values of an attribute: what holds for the closest attribute of an
// object around it.
func fieldOf(def *schema.Attribute, path cty.Path) *schema.Attribute {
	for _, step := range slices.Backward(path) {
		if step, ok := step.(cty.GetAttrStep); ok {
			return def.Field(step.Name)
		}
	}
	return def
}

// part is what is at one place within a value: a value of the type that is wanted there, or why it is
// none, or a key that is not among the known ones, which can be hidden.
type part struct {
	path   cty.Path
	value  cty.Value
	given  cty.Value // what was to become the value; cty.NilVal where something lacks
	err    error
	stray  string
	hidden bool
	known  []string
}

// visitParts visits all parts of a value that are no collection, and what collections lack or have too
// much of, in order.
func visitParts(want cty.Type, v cty.Value, path cty.Path, visit func(part)) {
	t := v.Type()
	there := !v.IsNull() && v.IsKnown() && !v.IsMarked() // the keys of what is sensitive as a whole are not shown
	switch {
	case v.IsMarked() && isMapping(t) && hasStray(want, v):
		_, known, _ := strayAttribute(want, v)
		visit(part{path: path, hidden: true, known: known})
	case there && want.IsObjectType() && isMapping(t):
		given, known := v.AsValueMap(), slices.Sorted(maps.Keys(want.AttributeTypes()))
		misspelt := false
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !want.HasAttribute(name) {
				misspelt = true
				visit(part{path: path.GetAttr(name), stray: name, known: known})
			}
		}
		for _, name := range known {
			if inner, ok := given[name]; ok {
				visitParts(want.AttributeType(name), inner, path.GetAttr(name), visit)
			} else if !want.AttributeOptional(name) && !misspelt { // what lacks may be there under another name
				visit(part{path: path, err: fmt.Errorf("attribute %q is required", name)})
			}
		}
	case there && (isSequence(want) && isSequence(t) || want.IsMapType() && isMapping(t)):
		for it := v.ElementIterator(); it.Next(); {
			key, element := it.Element()
			inside := path // an element of a set has no place
			if !t.IsSetType() {
				inside = path.Index(key)
			}
			visitParts(want.ElementType(), element, inside, visit)
		}
	default:
		converted, err := convert.Convert(v, want)
		if err != nil && v.ContainsMarked() {
			err = typeOnly(err)
		}
		visit(part{path: path, value: converted, given: v, err: err})
	}
}

func hasStray(want cty.Type, v cty.Value) bool {
	name, _, _ := strayAttribute(want, v)
	return name != ""
}

// typeOnly is the error of converting a sensitive value without the keys in front of what it says, and
// without what it says of the value itself behind that.
func typeOnly(err error) error {
	said := err.Error()
	said, _, _ = strings.Cut(strings.TrimSpace(said[strings.LastIndex(said, ": ")+1:]), "; ")
	return errors.New(said)
}

// misfitsFor says of a value without marks all that keeps it from being of a type.
func misfitsFor(want cty.Type, v cty.Value) []string {
	var all []string
	visitParts(want, v, nil, func(p part) {
		if p.err != nil {
			text := config.PlainTypes(p.err.Error())
			if path := pathText(p.path); path != "" {
				text = path + ": " + text
			}
			all = append(all, text)
		}
	})
	return all
}

// isSequence tells whether a type is one of those that a list which is written out can become.
func isSequence(t cty.Type) bool { return t.IsTupleType() || t.IsListType() || t.IsSetType() }

func isMapping(t cty.Type) bool { return t.IsObjectType() || t.IsMapType() }

// strangers tells of everything in the value of an attribute that is no object of the kind that it refers to.
func (s *scope) strangers(a *config.Attribute, v cty.Value, problem string) {
	all := s.strangersIn(a, v, nil)
	if len(all) == 0 {
		all = []misfit{{summary: wrongKind, detail: fmt.Sprintf("%s must be %s", a.Name, problem), hint: s.e.referenceHint(a.Schema)}}
	}
	s.tellMisfits(a, all, false)
}

// strangersIn finds the elements of a list that are no objects of the kind that an attribute refers to,
// besides those in which something else was found.
func (s *scope) strangersIn(a *config.Attribute, v cty.Value, others []misfit) []misfit {
	def := a.Schema
	if def.Type == cty.String || v.IsMarked() || v.IsNull() || !v.IsKnown() || !isSequence(v.Type()) {
		return nil
	}
	var all []misfit
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		var path cty.Path
		if !v.Type().IsSetType() {
			path = path.Index(key)
		}
		if _, problem := s.e.oneOutput(def, element); problem != "" && !slices.ContainsFunc(others, func(m misfit) bool { return m.path.Equals(path) }) {
			all = append(all, misfit{path: path, summary: wrongKind, detail: fmt.Sprintf("%s must be %s", a.Name+pathText(path), problem), hint: s.e.referenceHint(def)})
		}
	}
	return all
}

// wrongType is the error of a conversion behind the name of an attribute: where in the value the
// mistake is, unless the keys there are those of a secret, and what it is.
func wrongType(v cty.Value, err error) string {
	if v.ContainsMarked() {
		return ": " + config.PlainTypes(typeOnly(err).Error())
	}
	text := ""
	var path cty.PathError
	if errors.As(err, &path) {
		text = pathText(path.Path)
	}
	return fmt.Sprintf("%s: %s", text, config.PlainTypes(err.Error()))
}

// pathText is a path as it is written behind the name of a value.
func pathText(path cty.Path) string {
	var text strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text.WriteString("." + step.Name)
		case cty.IndexStep:
			switch key := step.Key; {
			case !key.IsKnown() || key.IsNull():
			case key.Type() == cty.String:
				fmt.Fprintf(&text, "[%q]", key.AsString())
			case key.Type() == cty.Number:
				fmt.Fprintf(&text, "[%s]", key.AsBigFloat().Text('f', -1))
			}
		}
	}
	return text.String()
}

// notAllowed finds the first text in a collection that is none of those that are allowed.
func notAllowed(def *schema.Attribute, v cty.Value) string {
	if len(def.Allowed) == 0 || !v.CanIterateElements() {
		return ""
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, e := it.Element(); e.Type() == cty.String && e.IsKnown() && !e.IsNull() && !slices.Contains(def.Allowed, e.AsString()) {
			return e.AsString()
		}
	}
	return ""
}
