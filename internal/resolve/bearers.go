package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// maxBearers bounds how many of the objects with one mistake are named.
const maxBearers = 3

// saying is a diagnostic that was given, and what it holds for: one text may be right for some elements of
// a for_each and wrong for others.
type saying struct {
	at     int // its place among the diagnostics; -1 without one
	detail string
	first  []string        // the first that it holds for, each once
	all    map[string]bool // all that it holds for
}

// bear notes one more object that a diagnostic holds for, and says so in it.
func (s *scope) bear(told *saying, bearer string) {
	if told.at < 0 || bearer == "" || told.all[bearer] {
		return
	}
	if told.all == nil {
		told.all = map[string]bool{}
	}
	told.all[bearer] = true
	if len(told.first) < maxBearers {
		told.first = append(told.first, bearer)
	}
	d := &s.diags[told.at]
	if len(told.all) == 1 && d.Address != nil && d.Address.String() == bearer {
		return // the diagnostic names it
	}
	text := told.first[0]
	if others := told.first[1:]; len(others) > 0 {
		switch more := len(told.all) - len(told.first); {
		case more > 0:
			text += fmt.Sprintf("; likewise %s and %d more", strings.Join(others, ", "), more)
		case len(others) == 1:
			text += "; likewise " + others[0]
		default:
			text += fmt.Sprintf("; likewise %s and %s", strings.Join(others[:len(others)-1], ", "), others[len(others)-1])
		}
	}
	d.Detail = strings.TrimPrefix(fmt.Sprintf("%s (%s)", told.detail, text), " ")
}

// bearer names the object, the instance of a module or the element of a dynamic block for which
// attributes are evaluated, as far as what they refer to differs among several; else it is "". Keys are
// public.
func (s *scope) bearer(attributes ...*config.Attribute) string {
	var refers, each bool
	var elements []string
	for _, a := range attributes {
		if a == nil {
			continue
		}
		for _, ref := range a.References {
			refers = refers || !ref.Path
			each = each || ref.Target == nil && !ref.Path
			if element, there := s.iterators[ref.Iterator]; there {
				elements = append(elements, ref.Iterator+keyText(element))
			}
		}
	}
	object := s.outer(refers, each)
	slices.Sort(elements)
	if elements = slices.Compact(elements); object != "" {
		elements = append(elements, object)
	}
	return strings.Join(elements, " of ")
}

// outer names the object at work, or the instance of a module.
func (s *scope) outer(refers, each bool) string {
	keyed := slices.ContainsFunc(s.path.Steps(), func(step addr.Step) bool { return step.Key != (addr.Key{}) })
	if s.given != nil { // what a variable is given is the caller's
		if keyed && len(s.given.References) > 0 {
			return s.path.String()
		}
		return ""
	}
	if s.anywhere || !refers {
		return ""
	}
	var key addr.Key
	if each && s.each != cty.NilVal {
		key = addr.StringKey(s.each.GetAttr("key").AsString())
	}
	switch {
	case key == (addr.Key{}) && !keyed:
		return ""
	case s.block == nil:
		return s.path.String()
	case !s.block.Address.IsZero():
		return s.block.Address.In(s.path).WithKey(key).String()
	case key == (addr.Key{}):
		return s.path.String()
	}
	path, err := s.path.Child(s.block.Label(), key)
	if err != nil {
		return s.path.String()
	}
	return path.String()
}

// keyText is the key of an element of a dynamic block as it is written behind a name; "" where it is no
// text and no number.
func keyText(element cty.Value) string {
	if !element.Type().IsObjectType() || !element.Type().HasAttribute("key") {
		return ""
	}
	key := element.GetAttr("key")
	if key.IsMarked() || key.IsNull() || !key.IsKnown() {
		return ""
	}
	if key.Type() == cty.String {
		return fmt.Sprintf("[%q]", shorten(key.AsString()))
	}
	return pathText(cty.Path{}.Index(key))
}

// ofElements tells whether an attribute refers to elements of what a block is repeated for, and to nothing
// else: what such an element is tells which one has the mistake.
func ofElements(a *config.Attribute) bool {
	return len(a.References) > 0 && !slices.ContainsFunc(a.References, func(ref config.Reference) bool { return ref.Target != nil || ref.Path })
}

// addOf is add for what is wrong with the values of attributes.
func (s *scope) addOf(d diag.Diagnostic, attributes ...*config.Attribute) {
	s.addFor(d, s.bearer(attributes...))
}
