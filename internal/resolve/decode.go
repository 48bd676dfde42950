package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// decode evaluates an attribute and makes its value what the schema says. It returns a typed
// unknown value and false when there is none.
func (s *scope) decode(a *config.Attribute) (cty.Value, uses, bool) {
	def := a.Schema
	none := cty.UnknownVal(def.Type.WithoutOptionalAttributesDeep())
	v, used, ok := s.eval(a)
	if !ok {
		return none, used, false
	}
	v, ok = s.fit(a, v)
	if !ok {
		return none, used, false
	}
	if def.Sensitive && !v.IsNull() {
		v = v.Mark(model.Sensitive)
	}
	return v, used, true
}

// fit converts a value to the attribute's type and checks it.
func (s *scope) fit(a *config.Attribute, v cty.Value) (cty.Value, bool) {
	def := a.Schema
	if v.IsNull() && def.Presence == schema.Required {
		s.wrong(codeValue, a, "value is missing", fmt.Sprintf("%s must have a value, and this is null", a.Name), "")
		return v, false
	}
	if def.AtLoad && !v.IsWhollyKnown() {
		s.unknown(a)
		return v, false
	}
	if def.Reference != nil {
		var problem string
		if v, problem = s.e.output(def, v); problem != "" {
			s.wrong(codeValue, a, "wrong kind of value", fmt.Sprintf("%s must be %s", a.Name, problem), s.e.referenceHint(def))
			return v, false
		}
	}
	if name, known := strayAttribute(def.Type, v); name != "" {
		s.wrong(codeValue, a, "unknown attribute", fmt.Sprintf("%s has no attribute %q", a.Name, name), didYouMean(name, known))
		return v, false
	}
	converted, err := convertTo(def, v)
	if err != nil {
		s.wrong(codeValue, a, "wrong type of value", fmt.Sprintf("%s: %v", a.Name, err), "")
		return v, false
	}
	if problem := def.Check(converted); problem != "" {
		s.wrong(codeValue, a, "invalid value", fmt.Sprintf("%s must be %s%s", a.Name, problem, found(a, converted)), suggestAllowed(def, converted))
		return v, false
	}
	return converted, true
}

func convertTo(def *schema.Attribute, v cty.Value) (cty.Value, error) {
	if def.Mapping || len(def.OneOf) == 0 && def.Type == cty.DynamicPseudoType {
		return v, nil
	}
	if len(def.OneOf) == 0 {
		return convert.Convert(v, def.Type)
	}
	var names []string
	for _, t := range def.OneOf {
		if converted, err := convert.Convert(v, t); err == nil {
			return converted, nil
		}
		names = append(names, t.FriendlyName())
	}
	return v, fmt.Errorf("a %s is required", strings.Join(names, " or a "))
}

// found quotes a text or number that is not allowed. It quotes only what is written as it is: the
// value of a variable is nobody's business.
func found(a *config.Attribute, v cty.Value) string {
	if len(a.References) > 0 || a.Schema.Sensitive || v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return ""
	}
	switch v.Type() {
	case cty.String:
		return fmt.Sprintf(", and this is %q", shorten(v.AsString()))
	case cty.Number:
		return fmt.Sprintf(", and this is %s", v.AsBigFloat().Text('f', -1))
	default:
		return ""
	}
}

func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}

func suggestAllowed(def *schema.Attribute, v cty.Value) string {
	if len(def.Allowed) == 0 || v.ContainsMarked() {
		return ""
	}
	var bad string
	switch {
	case v.Type() == cty.String:
		bad = v.AsString()
	case v.CanIterateElements():
		for it := v.ElementIterator(); it.Next(); {
			if _, e := it.Element(); e.Type() == cty.String && e.IsKnown() && !e.IsNull() && !slices.Contains(def.Allowed, e.AsString()) {
				bad = e.AsString()
				break
			}
		}
	}
	if bad == "" {
		return ""
	}
	return didYouMean(bad, def.Allowed)
}

// unknown tells that a value decides the shape of the whole and depends on what does not exist.
func (s *scope) unknown(a *config.Attribute) {
	var names []string
	for _, ref := range a.References {
		if o, ok := ref.Object(); ok && o.Kind() != profileKind {
			names = append(names, o.String())
		} else if v := target(ref); v != nil && !ok {
			names = append(names, v.String())
		}
	}
	detail := fmt.Sprintf("%s has to be known when the configuration is loaded", a.Name)
	if len(names) > 0 {
		detail += fmt.Sprintf(", and what %s has to offer is known only once it exists", strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", "))
	}
	s.wrong(codeUnknown, a, "not known in time", detail, "use values that are written in the configuration, such as names, variables and locals")
}

// strayAttribute finds an attribute that the wanted object type does not have; converting would
// drop it in silence.
func strayAttribute(want cty.Type, v cty.Value) (string, []string) {
	if want.IsListType() || want.IsSetType() {
		want = want.ElementType()
	}
	if !want.IsObjectType() || v.IsNull() || !v.IsKnown() {
		return "", nil
	}
	var known []string
	for name := range want.AttributeTypes() {
		known = append(known, name)
	}
	v, _ = v.Unmark()
	t := v.Type()
	if t.IsTupleType() || t.IsListType() || t.IsSetType() {
		for it := v.ElementIterator(); it.Next(); {
			if _, element := it.Element(); element.Type().IsObjectType() || element.Type().IsMapType() {
				if name, known := strayAttribute(want, element); name != "" {
					return name, known
				}
			}
		}
		return "", nil
	}
	var names []string
	switch {
	case t.IsObjectType():
		for name := range t.AttributeTypes() {
			names = append(names, name)
		}
	case t.IsMapType():
		for it := v.ElementIterator(); it.Next(); {
			key, _ := it.Element()
			names = append(names, key.AsString())
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return name, known
		}
	}
	return "", nil
}

// output replaces objects by the output that a reference stands for. The text completes the
// sentence "must be …" when a value is no such object; it is "" when all is well.
func (e *Evaluator) output(def *schema.Attribute, v cty.Value) (cty.Value, string) {
	if def.Type == cty.String {
		return e.oneOutput(def, v)
	}
	inner, marks := v.Unmark()
	t := inner.Type()
	if inner.IsNull() || !inner.IsKnown() {
		return v, ""
	}
	if !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		return v, fmt.Sprintf("a list of blocks of the kind %s", def.Reference.Kind)
	}
	var outputs []cty.Value
	for it := inner.ElementIterator(); it.Next(); {
		_, element := it.Element()
		output, problem := e.oneOutput(def, element)
		if problem != "" {
			return v, "a list in which each is " + problem
		}
		outputs = append(outputs, output)
	}
	if len(outputs) == 0 {
		return cty.ListValEmpty(cty.String).WithMarks(marks), ""
	}
	return cty.TupleVal(outputs).WithMarks(marks), ""
}

func (e *Evaluator) oneOutput(def *schema.Attribute, v cty.Value) (cty.Value, string) {
	t := v.Type()
	if !t.IsObjectType() {
		if t == cty.String || t == cty.DynamicPseudoType || v.IsNull() {
			return v, ""
		}
		return v, "a " + def.Reference.Kind
	}
	if t.Equals(e.types[def.Reference.Kind]) {
		if v.IsNull() {
			return cty.NullVal(cty.String), ""
		}
		return v.GetAttr(def.Reference.Output), ""
	}
	for name, other := range e.types {
		if t.Equals(other) {
			return v, fmt.Sprintf("a %s, and this is a %s", def.Reference.Kind, name)
		}
	}
	for _, inner := range t.AttributeTypes() {
		if inner.Equals(e.types[def.Reference.Kind]) {
			return v, fmt.Sprintf("one %s, and this is a block with for_each, which stands for several", def.Reference.Kind)
		}
		break
	}
	return v, "a " + def.Reference.Kind
}

func (e *Evaluator) referenceHint(def *schema.Attribute) string {
	if def.Type == cty.String {
		return fmt.Sprintf("write, for example: %s = %s.<label>", def.Name, def.Reference.Kind)
	}
	return fmt.Sprintf("write, for example: %s = [%s.<label>]", def.Name, def.Reference.Kind)
}
