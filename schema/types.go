package schema

import "github.com/zclconf/go-cty/cty"

// ObjectType is the type of what a reference to the block sees: every attribute, written
// or computed, and the nested blocks; also where it is looked up by a few of them.
func (b *Block) ObjectType() cty.Type {
	if b.looked != nil {
		return b.looked.ObjectType()
	}
	if b.object != cty.NilType {
		return b.object
	}
	return b.objectType(func(*Attribute) bool { return true })
}

// Hides tells whether an attribute of what a reference to the block sees is never shown.
func (b *Block) Hides(name string) bool {
	if b.looked != nil {
		return b.looked.Hides(name)
	}
	a := b.Attribute(name)
	return a != nil && a.Sensitive
}

// DesiredType is the type of a desired value: every attribute that can be written, and the
// nested blocks. An attribute that is not written is null there, and not managed.
func (b *Block) DesiredType() cty.Type {
	return b.objectType(func(a *Attribute) bool { return a.Presence != Computed })
}

func (b *Block) objectType(with func(*Attribute) bool) cty.Type {
	fields := map[string]cty.Type{}
	for i := range b.Attributes {
		if a := &b.Attributes[i]; with(a) {
			fields[a.Name] = a.Type.WithoutOptionalAttributesDeep()
		}
	}
	for i := range b.Blocks {
		fields[b.Blocks[i].Kind] = b.Blocks[i].valueType(with)
	}
	return cty.Object(fields)
}

// ValueType is the type of the nested block's value in the desired value of its parent: an
// object when there is at most one, else a list of objects.
func (n *Nested) ValueType() cty.Type {
	return n.valueType(func(a *Attribute) bool { return a.Presence != Computed })
}

func (n *Nested) valueType(with func(*Attribute) bool) cty.Type {
	if n.Single() {
		return n.objectType(with)
	}
	return cty.List(n.objectType(with))
}
