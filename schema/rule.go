package schema

import "github.com/zclconf/go-cty/cty"

// Rule is what has to hold between attributes of one block, which are right one by one.
type Rule struct {
	Doc string // a sentence, for the reference

	breaches func(values) []Breach
}

// Breach says which attribute, or part of its value, does not fit the others.
type Breach struct {
	Attribute string
	Path      cty.Path // within its value; empty for all of it
	Says      string   // follows its name: "must be …", or what else is wrong
	Hint      string   // what to do
}

// Check returns what breaks the rule, given the value of each attribute of the block. What is null or not
// known breaks none.
func (r *Rule) Check(attributes map[string]cty.Value) []Breach { return r.breaches(attributes) }

// values are those of the attributes of one block.
type values map[string]cty.Value

// text returns a text, and false when it is null or not known.
func (v values) text(name string) (string, bool) {
	if plain := plainOf(v[name]); plain != cty.NilVal && plain.Type() == cty.String {
		return plain.AsString(), true
	}
	return "", false
}

// number does the same with a whole number.
func (v values) number(name string) (int64, bool) {
	if plain := plainOf(v[name]); plain != cty.NilVal && plain.Type() == cty.Number {
		n, _ := plain.AsBigFloat().Int64()
		return n, true
	}
	return 0, false
}

// truth tells whether something is true, which it is not while it is null or not known.
func (v values) truth(name string) bool {
	plain := plainOf(v[name])
	return plain != cty.NilVal && plain.Type() == cty.Bool && plain.True()
}

// missing tells that nothing is written, which is not so while it is not known.
func (v values) missing(name string) bool {
	value := v[name]
	if value == cty.NilVal {
		return true
	}
	value, _ = value.Unmark()
	return value.IsNull()
}

// list returns the elements of a list of objects; none when it is null or not known.
func (v values) list(name string) []values {
	plain := plainOf(v[name])
	if plain == cty.NilVal || !plain.CanIterateElements() {
		return nil
	}
	var all []values
	for it := plain.ElementIterator(); it.Next(); {
		_, element := it.Element()
		element = plainOf(element)
		if element == cty.NilVal {
			all = append(all, values{})
			continue
		}
		all = append(all, element.AsValueMap())
	}
	return all
}

// plainOf is a value without marks; cty.NilVal for one that is null or not known.
func plainOf(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return v
	}
	if v, _ = v.Unmark(); v.IsNull() || !v.IsKnown() {
		return cty.NilVal
	}
	return v
}
