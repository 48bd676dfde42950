package schema

import "github.com/zclconf/go-cty/cty"

// The attributes that several kinds of resource share.

func resourceLabel() []Label {
	return []Label{{Name: "label", Doc: "The name in addresses, and the object's name unless one is written.", Format: FormatIdentifier}}
}

func idAttribute() Attribute {
	return Attribute{
		Name: "id", Type: cty.String, Presence: Computed, Lookup: true, Example: cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22"),
		Doc: "The id that OpenStack gave the object.",
	}
}

func nameAttribute(change Change) Attribute {
	return Attribute{
		Name: "name", Type: cty.String, Change: change, FromLabel: true, Lookup: true, Example: cty.StringVal("web"),
		Doc: "The name in OpenStack. The block's label unless written; required under for_each.",
	}
}

func descriptionAttribute() Attribute {
	return Attribute{
		Name: "description", Type: cty.String, Example: cty.StringVal("Front end of the shop"),
		Doc: "A text for people.",
	}
}

func projectAttribute() Attribute {
	return Attribute{
		Name: "project", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "project", Output: "id"},
		Example: cty.StringVal("8a5c2f0e7d1b4b6f9c3e2a1d0f4b5c6d"),
		Doc:     "The project that owns the object; the project of our own user unless written.",
	}
}

func tagsAttribute() Attribute {
	return Attribute{
		Name: "tags", Type: cty.Set(cty.String), Example: cty.SetVal([]cty.Value{cty.StringVal("shop")}),
		Doc: "Tags. Those that others have added stay.",
	}
}

func adminStateAttribute() Attribute {
	return Attribute{
		Name: "admin_state_up", Type: cty.Bool, Example: cty.True,
		Doc: "Whether it moves packets.",
	}
}
