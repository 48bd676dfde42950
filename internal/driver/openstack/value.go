package openstack

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// field says under which key the API keeps an attribute.
type field struct{ attribute, key string }

// attributes of one kind, from the schema.
func attributes(language *schema.Definition, kind string) *schema.Block {
	block := language.Resource(kind)
	if block == nil {
		panic("openstack: the schema has no resource " + kind) // the list of kinds is wrong: a bug
	}
	return block
}

// readFields returns the attributes that raw has. A key that raw lacks gives no attribute.
func readFields(block *schema.Block, fields []field, raw map[string]any) traits {
	values := make(traits, 0, len(block.Attributes)+len(block.Blocks))
	for _, f := range fields {
		if v, ok := raw[f.key]; ok {
			values.set(f.attribute, fromJSON(v, block.Attribute(f.attribute).Type))
		}
	}
	return values
}

// fromJSON converts what encoding/json decoded with UseNumber; what does not fit is null.
func fromJSON(v any, t cty.Type) cty.Value {
	switch v := v.(type) {
	case bool:
		if t == cty.Bool {
			return cty.BoolVal(v)
		}
		return fromJSON(fmt.Sprint(v), t)
	case json.Number:
		return scalar(v.String(), t)
	case string:
		return scalar(v, t)
	case []any:
		return fromList(v, t)
	case map[string]any:
		return fromMap(v, t)
	}
	return cty.NullVal(t)
}

func scalar(text string, t cty.Type) cty.Value {
	switch t {
	case cty.String:
		return cty.StringVal(text)
	case cty.Number:
		if text == "" { // Nova's word for no swap
			return cty.Zero
		}
		if n, err := cty.ParseNumberVal(text); err == nil {
			return n
		}
	}
	return cty.NullVal(t)
}

func fromList(list []any, t cty.Type) cty.Value {
	if !t.IsListType() && !t.IsSetType() {
		return cty.NullVal(t)
	}
	elements := make([]cty.Value, 0, len(list))
	for _, v := range list {
		elements = append(elements, fromJSON(v, t.ElementType()))
	}
	return collection(elements, t)
}

// collection makes a list or set, which may be empty.
func collection(elements []cty.Value, t cty.Type) cty.Value {
	switch {
	case t.IsSetType() && len(elements) == 0:
		return cty.SetValEmpty(t.ElementType())
	case t.IsSetType():
		return cty.SetVal(elements)
	case len(elements) == 0:
		return cty.ListValEmpty(t.ElementType())
	}
	return cty.ListVal(elements)
}

func fromMap(m map[string]any, t cty.Type) cty.Value {
	switch {
	case t.IsMapType():
		if len(m) == 0 {
			return cty.MapValEmpty(t.ElementType())
		}
		elements := map[string]cty.Value{}
		for _, key := range slices.Sorted(maps.Keys(m)) { // cty takes no two that are one text to it: the last one counts
			elements[cty.NormalizeString(key)] = fromJSON(m[key], t.ElementType())
		}
		return cty.MapVal(elements)
	case t.IsObjectType():
		elements := map[string]cty.Value{}
		for name, inner := range t.AttributeTypes() {
			elements[name] = fromJSON(m[name], inner)
		}
		return model.OfType(cty.ObjectVal(elements), t)
	}
	return cty.NullVal(t)
}

// texts makes a list or set of strings.
func texts(values []string, t cty.Type) cty.Value {
	elements := make([]cty.Value, 0, len(values))
	for _, s := range values {
		elements = append(elements, cty.StringVal(s))
	}
	return collection(elements, t)
}

// outputs makes the value that references see.
func outputs(t cty.Type, values map[string]cty.Value) cty.Value {
	types := t.AttributeTypes()
	all := make(map[string]cty.Value, len(types))
	for name, inner := range types {
		v, ok := values[name]
		if !ok || v == cty.NilVal {
			v = cty.NullVal(inner)
		}
		all[name] = v
	}
	return model.OfType(cty.ObjectVal(all), t)
}

// attribute returns a part of an object, or cty.NilVal when it has none of that name or it is null.
func attribute(v cty.Value, name string) cty.Value {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
		return cty.NilVal
	}
	inner := v.GetAttr(name)
	if !inner.IsMarked() && inner.IsNull() {
		return cty.NilVal
	}
	return inner
}

// written returns an attribute that is written, or cty.NilVal.
func (w wanted) written(name string) cty.Value { return attribute(w.value, name) }

// text returns a written string, or "".
func (w wanted) text(name string) string { return textOf(w.written(name)) }

// blocks returns the nested blocks that are wanted.
func (w wanted) blocks(name string) []cty.Value { return valuesIn(w.written(name)) }

func valuesIn(v cty.Value) []cty.Value {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return nil
	}
	return v.AsValueSlice()
}

func textOf(v cty.Value) string {
	if v == cty.NilVal || v.IsMarked() || !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}

// list returns the strings of a written list or set.
func (w wanted) list(name string) []string { return listOf(w.written(name)) }

func listOf(v cty.Value) []string {
	var list []string
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		list = append(list, textOf(element))
	}
	return list
}

// plain returns a written attribute as encoding/json takes it, nil when it is not written.
func (w wanted) plain(name string) any {
	v := w.written(name)
	if v == cty.NilVal {
		return nil
	}
	plain, err := model.Plain(v)
	if err != nil {
		panic(fmt.Sprintf("openstack: %s: %v", name, err)) // wanted values are known and unmarked: a bug
	}
	return plain
}

// body returns the written ones of some fields as the API takes them; all of them when
// attributes is nil.
func (w wanted) body(fields []field, attributes []string) map[string]any {
	body := map[string]any{}
	for _, f := range fields {
		if attributes != nil && !slices.Contains(attributes, f.attribute) {
			continue
		}
		if v := w.plain(f.attribute); v != nil {
			body[f.key] = v
		}
	}
	return body
}

func textAt(raw map[string]any, key string) string {
	s, _ := raw[key].(string)
	return s
}

func textsAt(raw map[string]any, key string) []string {
	list, _ := raw[key].([]any)
	var found []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			found = append(found, s)
		}
	}
	return found
}

func objectsAt(raw map[string]any, key string) []map[string]any {
	list, _ := raw[key].([]any)
	return objectsOf(list)
}

// objectsOf are those of a list that are objects.
func objectsOf(list []any) []map[string]any {
	var found []map[string]any
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}
