package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// rules tells of attributes of a block, right one by one, that do not fit each other, and returns false
// when there are some.
func (s *scope) rules(b *config.Block, def *schema.Block, values map[string]cty.Value) bool {
	if b.Broken {
		return true // what seems to be missing may be there under another name
	}
	good := true
	for i := range def.Rules {
		for _, breach := range def.Rules[i].Check(values) {
			good = false
			a := b.Attribute(breach.Attribute)
			if a == nil { // a rule is about what is written
				s.fail(codeValue, b.Range, wrongValue, breach.Attribute+" "+breach.Says, breach.Hint)
				continue
			}
			v := values[breach.Attribute]
			detail := a.Name + pathText(breach.Path) + " " + breach.Says
			if part, err := breach.Path.Apply(v); err == nil && !v.ContainsMarked() && strings.HasPrefix(breach.Says, "must be ") {
				detail += found(a, part)
			}
			s.tellMisfits(a, []misfit{{path: breach.Path, summary: wrongValue, detail: detail, hint: breach.Hint}}, v.ContainsMarked())
		}
	}
	return good
}

// strangeIDs finds, in an attribute that takes blocks of a kind or their outputs, texts that are no such
// output, as a name is no id; but for those of which something is told already. It looks at what the
// configuration says: what the services say is right.
func (s *scope) strangeIDs(a *config.Attribute, v cty.Value, already []misfit) []misfit {
	def := a.Schema
	if s.late || def.Reference.Format == schema.FormatAny || v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	var all []misfit
	look := func(v cty.Value, path cty.Path) {
		if v.Type() != cty.String || v.IsMarked() || v.IsNull() || !v.IsKnown() || def.Reference.Format.Check(v.AsString()) == nil ||
			def.Reference.None && v.AsString() == "" ||
			slices.ContainsFunc(already, func(m misfit) bool { return m.path.Equals(path) }) {
			return
		}
		kind := def.Reference.Kind
		all = append(all, misfit{
			path: path, summary: "wrong kind of value",
			detail: fmt.Sprintf("%s must be %s, or %s%s", a.Name+pathText(path), config.Indefinite(kind), def.Reference.Format.Doc(), found(a, v)),
			hint:   fmt.Sprintf("refer to the block, as in %s.<label>; what is not in the configuration is found by its name: data %q \"<label>\" { name = \"…\" }", kind, kind),
		})
	}
	if !isSequence(v.Type()) {
		look(v, nil)
		return all
	}
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		var path cty.Path // an element of a set has no place
		if !v.Type().IsSetType() {
			path = cty.Path{}.Index(key)
		}
		look(element, path)
	}
	return all
}
