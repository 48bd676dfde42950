package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// decode evaluates an attribute and makes its value what the schema says. Where that is not possible it returns
// false, and a value of the type of which what is wrong is unknown.
func (s *scope) decode(a *config.Attribute) (cty.Value, uses, bool) {
	v, used, ok := s.decodePartly(a)
	if !ok {
		return soundElements(plain(a.Schema.Type), v), used, false
	}
	return v, used, true
}

// soundElements is a list of objects in which something is wrong, with unknown elements in the place of those
// that are no such objects, so that the others can be held against the rules; all else is unknown as a whole.
func soundElements(want cty.Type, v cty.Value) cty.Value {
	if !want.IsListType() || !want.ElementType().IsObjectType() || v.IsMarked() || v.IsNull() || !v.IsKnown() || !isSequence(v.Type()) || v.LengthInt() == 0 {
		return cty.UnknownVal(want)
	}
	var elements []cty.Value
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		if name, _, _ := strayAttribute(want.ElementType(), element); name == "" {
			if converted, err := convert.Convert(element, want.ElementType()); err == nil {
				elements = append(elements, converted)
				continue
			}
		}
		elements = append(elements, cty.UnknownVal(want.ElementType()))
	}
	return cty.ListVal(elements)
}

// decodePartly is decode, but for what it returns with false: whatever is known all the same, of any type,
// to look for other mistakes.
func (s *scope) decodePartly(a *config.Attribute) (cty.Value, uses, bool) {
	def := a.Schema
	v, used, ok := s.named(a)
	if !ok {
		v, used, ok = s.eval(a)
	}
	v, fits := s.fit(a, v, ok)
	if def.Sensitive && !v.IsNull() {
		v = v.Mark(model.Sensitive)
	}
	return v, used, ok && fits
}

// named returns the output that an attribute wants when it names nothing but one object of the right
// kind, as most references do. It returns false when it takes more to tell.
func (s *scope) named(a *config.Attribute) (cty.Value, uses, bool) {
	def := a.Schema
	if s.late || a.Steps != 2 || len(a.References) != 1 || a.Broken || len(s.broken[a]) > 0 || def.Reference == nil || def.Type != cty.String {
		return cty.NilVal, uses{}, false
	}
	object, is := a.References[0].Object()
	if !is || object.Kind() != def.Reference.Kind || object.Kind() == profileKind {
		return cty.NilVal, uses{}, false
	}
	b := s.module.blocks[object]
	if b == nil || b.broken || b.repeated() || len(b.instances) != 1 {
		return cty.NilVal, uses{}, false
	}
	return b.instances[0].one(def.Reference.Output), uses{objects: []addr.Object{b.address}}, true
}

// fit converts a value to the attribute's type and checks it. Without whole, parts of it are broken and
// unknown, about which nothing is said.
func (s *scope) fit(a *config.Attribute, v cty.Value, whole bool) (cty.Value, bool) {
	def := a.Schema
	if v.IsNull() && def.Presence == schema.Required {
		s.wrong(codeValue, a, "value is missing", fmt.Sprintf("%s must have a value, and this is null", a.Name), config.Example(def))
		return v, false
	}
	if def.Reference != nil {
		all := slices.Concat(s.labels(a, v), s.foreign(a))
		all = append(all, s.strangeIDs(a, v, all)...)
		if len(all) > 0 {
			s.tellMisfits(a, append(all, s.strangersIn(a, v, all)...), false)
			return v, false
		}
		var problem string
		if v, problem = s.e.output(def, v); problem != "" {
			s.strangers(a, v, problem)
			return v, false
		}
	}
	if def.AtLoad && whole && !v.IsWhollyKnown() {
		if sealed(v) {
			return v, def.Mapping || def.Sealable // what it is was told to be unknown, and applies nothing
		}
		if !s.tooSecret(a, v) {
			s.unknown(a)
		}
		return v, false
	}
	converted, err := convertTo(def, v)
	if stray, _, _ := strayAttribute(def.Type, v); stray != "" || err != nil || def.Check(converted) != "" {
		s.misfits(a, v)
		return v, false
	}
	return converted, true
}

func convertTo(def *schema.Attribute, v cty.Value) (cty.Value, error) {
	if def.Mapping || len(def.OneOf) == 0 && def.Type == cty.DynamicPseudoType {
		return v, nil
	}
	if def.Encodes {
		v = texted(v)
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

// found quotes a text or number that is not allowed. It quotes only what is written as it is, and
// elements of what a block is repeated for, which nobody could tell apart: the value of a variable is
// nobody's business.
func found(a *config.Attribute, v cty.Value) string {
	if len(a.References) > 0 && !ofElements(a) || a.Schema.Sensitive || v.ContainsMarked() || v.IsNull() || !v.IsKnown() ||
		v.Type() == cty.String && a.Schema.Format == schema.FormatPublicKey { // nobody reads it
		return ""
	}
	if text := quoted(v); text != "" {
		return text
	}
	if bad := notAllowed(a.Schema, v); bad != "" {
		return fmt.Sprintf(", and one is %q", shorten(bad))
	}
	return ""
}

// quoted is a text or a number that is not sensitive behind what it should be.
func quoted(v cty.Value) string {
	if v.ContainsMarked() || v.IsNull() || !v.IsKnown() || logsIn(v) {
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

// foundElement quotes like found, and only an element of what a block is repeated for.
func foundElement(a *config.Attribute, v cty.Value) string {
	if v == cty.NilVal || !ofElements(a) {
		return ""
	}
	return found(a, v)
}

// logsIn tells whether a value is a URL with a user or password in it, or with more behind a ? than the name of a branch,
// which can be a token, or a private key. What was written is not repeated.
func logsIn(v cty.Value) bool {
	if v.IsMarked() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return false
	}
	_, rest, is := strings.Cut(v.AsString(), "://")
	host, _, _ := strings.Cut(rest, "/")
	_, query, asks := strings.Cut(rest, "?")
	query, _, _ = strings.Cut(query, "#")
	token := asks && (!strings.HasPrefix(query, "ref=") || strings.ContainsAny(query, "&;"))
	return is && (strings.Contains(host, "@") || token) || strings.Contains(v.AsString(), "PRIVATE KEY-----")
}

func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}

func suggestAllowed(def *schema.Attribute, v cty.Value) string {
	if v.Type() == cty.String && v.IsKnown() && !v.IsNull() && !v.IsMarked() {
		if text := schema.Instead(def.Format, v.AsString()); text != "" {
			return fmt.Sprintf("write: %s = %q", def.Name, text)
		}
	}
	if len(def.Allowed) == 0 || v.ContainsMarked() {
		return ""
	}
	bad := notAllowed(def, v)
	if v.Type() == cty.String {
		bad = v.AsString()
	}
	if bad == "" {
		return ""
	}
	return didYouMean(bad, def.Allowed)
}

// unknown tells that a value decides the shape of the whole and depends on what does not exist.
func (s *scope) unknown(a *config.Attribute) {
	if s.partly {
		return
	}
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

// strayAttribute finds an attribute that the wanted object type does not have, however deep; converting would
// drop it in silence. The names that there are come with it, and whether its own is sensitive.
func strayAttribute(want cty.Type, v cty.Value) (stray string, known []string, hidden bool) {
	if v.IsNull() || !v.IsKnown() || !want.IsObjectType() && !want.IsCollectionType() {
		return "", nil, false
	}
	hidden = v.IsMarked()
	v, _ = v.Unmark()
	mapping := isMapping(v.Type())
	if !mapping && !isSequence(v.Type()) || mapping == (want.IsListType() || want.IsSetType()) {
		return "", nil, false // which converting tells
	}
	inside := map[string]cty.Type{}
	if want.IsObjectType() {
		inside = want.AttributeTypes()
		known = slices.Sorted(maps.Keys(inside))
	}
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		var of cty.Type
		there := true
		switch {
		case !want.IsObjectType():
			of = want.ElementType()
		case mapping:
			of, there = inside[key.AsString()]
		default:
			continue // no object
		}
		if !there {
			return key.AsString(), known, hidden
		}
		if name, names, inner := strayAttribute(of, element); name != "" {
			return name, names, hidden || inner
		}
	}
	return "", nil, false
}

// output replaces objects by the output that a reference stands for. The text completes the
// sentence "must be …" when a value is no such object; it is "" when all is well.
func (e *Evaluator) output(def *schema.Attribute, v cty.Value) (cty.Value, string) {
	if def.Type == cty.String {
		return e.oneOutput(def, v)
	}
	inner, marks := v.Unmark()
	if t := inner.Type(); def.TakesOne() && !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		return e.oneOutput(def, v)
	}
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
	several := fmt.Sprintf("one %s, and this is a block with for_each, which stands for several", def.Reference.Kind)
	if !t.IsObjectType() {
		if t.IsMapType() && t.ElementType().Equals(e.types[def.Reference.Kind]) {
			return v, several // one of which something is wrong
		}
		if t == cty.String || t == cty.DynamicPseudoType || v.IsNull() {
			return v, ""
		}
		return v, config.Indefinite(def.Reference.Kind)
	}
	if t.Equals(e.types[def.Reference.Kind]) {
		if v.IsNull() {
			return cty.NullVal(cty.String), ""
		}
		return v.GetAttr(def.Reference.Output), ""
	}
	for name, other := range e.types {
		if t.Equals(other) {
			return v, fmt.Sprintf("%s, and this is %s", config.Indefinite(def.Reference.Kind), config.Indefinite(name))
		}
	}
	for _, inner := range t.AttributeTypes() {
		if def.Reference.Kind != profileKind && inner.Equals(e.types[def.Reference.Kind]) {
			return v, several
		}
		break
	}
	return v, config.Indefinite(def.Reference.Kind)
}

func (e *Evaluator) referenceHint(def *schema.Attribute) string {
	if def.TakesOne() {
		return fmt.Sprintf("write, for example: %s = %s.<label>", def.Name, def.Reference.Kind)
	}
	return fmt.Sprintf("write, for example: %s = [%s.<label>]", def.Name, def.Reference.Kind)
}
