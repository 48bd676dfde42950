package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// This file is all that the program is told of a kind to come, which Neutron has already: groups of addresses, that
// rules of security groups are about. TestBedKindToCome leads it through the whole program.

// addressGroupBlock is its block of the schema.
func addressGroupBlock() schema.Block {
	return schema.Block{
		Kind: "address_group", Class: schema.ClassResource, API: "neutron",
		Doc:    "Ranges of addresses that rules of security groups are about.",
		Labels: []schema.Label{{Name: "name", Doc: "The name within the configuration.", Format: schema.FormatIdentifier, Example: "offices"}},
		Attributes: []schema.Attribute{
			{Name: "name", Type: cty.String, FromLabel: true, Lookup: true, Example: cty.StringVal("offices"), Doc: "The name; that of the block unless written."},
			{
				Name: "addresses", Type: cty.List(cty.String), Presence: schema.Required, Unordered: true, Format: schema.FormatCIDR,
				Example: cty.ListVal([]cty.Value{cty.StringVal("192.0.2.0/24")}), Doc: "The ranges.",
			},
			{
				Name: "project", Type: cty.String, Change: schema.Replace, Lookup: true, Reference: &schema.Reference{Kind: "project", Output: "id"},
				Doc: "The project that it is in; that of our user unless written.",
			},
			{Name: "description", Type: cty.String, Example: cty.StringVal("All offices."), Doc: "A text for people."},
			{Name: "id", Type: cty.String, Presence: schema.Computed, Lookup: true, Format: schema.FormatID, Doc: "The id."},
		},
	}
}

// addressGroupKind has ranges that come and go by requests of their own.
type addressGroupKind struct{ neutron }

func addressGroups(language *schema.Definition) kind {
	return addressGroupKind{neutron{
		schema: language.Resource("address_group"), one: "address_group", many: "address_groups", extension: true,
		fields: []field{{rangesAttribute, rangesAttribute}}, replacing: "rules that are about the group stand in the way of deleting it",
	}}
}

const rangesAttribute = "addresses"

func (k addressGroupKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if slices.Contains(attributes, rangesAttribute) {
		want, have := w.list(rangesAttribute), listOf(o.values.get(rangesAttribute))
		for path, some := range map[string][]string{"add_addresses": without(want, have), "remove_addresses": without(have, want)} {
			if len(some) == 0 {
				continue
			}
			_, err := s.do(ctx, call{service: serviceNetwork, method: http.MethodPut, path: k.path(o.id, path), body: map[string]any{rangesAttribute: some}})
			if err != nil {
				return err
			}
		}
	}
	body := k.changedBody(o, w, attributes)
	delete(body, rangesAttribute)
	return k.put(ctx, s, o.id, body)
}

// contents are the groups that keep a project.
func (k addressGroupKind) contents(project string) content {
	return content{call: call{service: serviceNetwork, path: k.path(), query: map[string][]string{"project_id": {project}}}, key: k.many, mark: markInDescription, extra: true}
}
