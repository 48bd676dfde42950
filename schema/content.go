package schema

import "github.com/zclconf/go-cty/cty"

// Content is the attribute that names the file which becomes what is in the object; nil without one.
func (b *Block) Content() *Attribute {
	for i := range b.Attributes {
		if b.Attributes[i].Content {
			return &b.Attributes[i]
		}
	}
	return nil
}

// ContentOf is the path of that file, where one is written and known.
func (b *Block) ContentOf(desired cty.Value) (name string, written bool) {
	a := b.Content()
	if a == nil || desired == cty.NilVal || !desired.IsKnown() || desired.IsNull() || !desired.Type().IsObjectType() || !desired.Type().HasAttribute(a.Name) {
		return "", false
	}
	v := plainOf(desired.GetAttr(a.Name))
	if v == cty.NilVal {
		return "", false
	}
	return v.AsString(), true
}
