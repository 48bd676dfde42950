package schema

import "github.com/zclconf/go-cty/cty"

// The attributes that several kinds of resource share.

func resourceLabel(example string) []Label {
	return []Label{{
		Name: "label", Format: FormatIdentifier, Example: example,
		Doc: "The name in addresses, and the object's name unless one is written.",
	}}
}

// idAttribute is the id of an object, in the format that the service gives it.
func idAttribute(format Format) Attribute {
	return Attribute{
		Name: "id", Type: cty.String, Presence: Computed, Format: format, Lookup: true, Example: cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22"),
		Doc: "The id that OpenStack gave the object.",
	}
}

func nameAttribute(change Change) Attribute {
	return Attribute{
		Name: "name", Type: cty.String, Change: change, FromLabel: true, Lookup: true, Example: cty.StringVal("web"),
		Doc: "The name in OpenStack; required under for_each, where one label stands for several objects.",
	}
}

// fullName is the name of an object that OpenStack does not make without one.
func fullName(change Change) Attribute {
	a := nameAttribute(change)
	a.Format = FormatName
	return a
}

func descriptionAttribute() Attribute {
	return Attribute{
		Name: "description", Type: cty.String, Example: cty.StringVal("Front end of the shop"),
		Doc: "A text for people, shown in lists and dashboards.",
	}
}

// describedAttribute is the description of an object whose service takes little, and keeps our mark in it.
func describedAttribute() Attribute {
	a := descriptionAttribute()
	a.Format = FormatText
	return a
}

func projectAttribute() Attribute {
	return Attribute{
		Name: "project", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "project", Output: "id"},
		Doc: "The project that owns the object and whose quota counts it; the project of our own user unless written.",
	}
}

func tagsAttribute() Attribute {
	return Attribute{
		Name: "tags", Type: cty.Set(cty.String), Example: cty.SetVal([]cty.Value{cty.StringVal("shop")}),
		Doc: "Words to find the object by in lists of the API. Those that are taken out are taken away; tags that others have added stay.",
	}
}

func adminStateAttribute() Attribute {
	return Attribute{
		Name: "admin_state_up", Type: cty.Bool, Example: cty.True,
		Doc: "Whether it moves packets. Write false to take it out of service without deleting it.",
	}
}

// secretAttribute names the Secret that something is kept in which is made here; what completes its documentation.
func secretAttribute(example, what string) Attribute {
	return Attribute{
		Name: "secret", Type: cty.String, Change: Refused, AtLoad: true, Format: FormatSecret, Example: cty.StringVal(example), Apart: true,
		Doc: "The Secret, in the cloud's namespace or as namespace/name, that " + what,
	}
}
