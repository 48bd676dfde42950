package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// privateImages warns of instances whose project may not use their image: Nova starts them as somebody who works there,
// and finds none. Only what the blocks write for certain counts, as others may share an image as well.
func (c *composer) privateImages() {
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		if r.Kind != "instance" || r.Address.Mode() == addr.Data {
			continue
		}
		image, project := c.m.Resource(refersTo(r, "image")), c.m.Resource(refersTo(r, "project"))
		if image == nil || project == nil || image.Address.Mode() == addr.Data || project.Address.Mode() == addr.Data || !c.keptFrom(image, project) {
			continue
		}
		c.diags.Append(diag.Diagnostic{
			Severity: diag.Warning, Code: codePrivateImage, Subject: &r.Range, Address: r.Address, Summary: "the image is another project's",
			Detail: fmt.Sprintf("it is in %s, which may not use %s: Nova would refuse to start it", project.Address, image.Address),
			Hint:   fmt.Sprintf(`write visibility = "shared" and members = [%s] for %s, or visibility = "public"`, project.Address, image.Address),
		})
	}
}

// keptFrom tells whether a project certainly may not use an image, as far as that is for its block to say.
func (c *composer) keptFrom(image, project *model.Resource) bool {
	owner := refersTo(image, "project")
	switch of := c.m.Resource(owner); {
	case owner == project.Address || of != nil && of.Address.Mode() == addr.Data:
		return false
	case of == nil && (!unwritten(image, "project") || c.imported(image) || c.maybeOurs(project)):
		return false
	}
	visibility := attributeOf(image, "visibility")
	switch {
	case isText(visibility, "private"):
		return true
	case !isText(visibility, "shared"):
		return false
	case unwritten(image, "members"):
		return true
	}
	members := attributeOf(image, "members")
	named := slices.ContainsFunc(image.Edges, func(e model.Edge) bool { return e.Attribute == "members" && e.To == project.Address })
	return !named && onlyReferences(members)
}

// imported tells whether a block takes over what was there before, of which it says only what is written.
func (c *composer) imported(r *model.Resource) bool {
	return slices.ContainsFunc(c.m.Imports, func(i model.Import) bool { return i.To == r.Address })
}

// maybeOurs tells whether a block may well stand for the project that we work in ourselves, where images are that are in no
// other one by their blocks: as it was there before, or by the name of the one that an installation has from the start.
func (c *composer) maybeOurs(project *model.Resource) bool {
	name := attributeOf(project, "name")
	return c.imported(project) || name == cty.NilVal || strings.EqualFold(name.AsString(), "admin")
}

// unwritten tells whether an attribute is left out, or null.
func unwritten(r *model.Resource, name string) bool {
	if r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute(name) {
		return false // nobody knows
	}
	desired, _ := r.Desired.Unmark()
	if !desired.IsKnown() || desired.IsNull() {
		return false
	}
	v, _ := desired.GetAttr(name).Unmark()
	return v.IsNull()
}

func isText(v cty.Value, text string) bool {
	return v != cty.NilVal && v.Type() == cty.String && v.AsString() == text
}

// onlyReferences tells whether a set has no element that is known by now: such a one is an id, of whatever project.
func onlyReferences(set cty.Value) bool {
	if set == cty.NilVal || !set.Type().IsSetType() {
		return false
	}
	for it := set.ElementIterator(); it.Next(); {
		if _, element := it.Element(); element.IsKnown() || element.IsMarked() {
			return false
		}
	}
	return true
}
