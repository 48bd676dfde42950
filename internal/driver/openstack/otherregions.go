package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// Several regions may share a Keystone, and with it projects. What is in one of them in another region is no less lost with it.

// faces are the interfaces that a service of another region may have: the one that we use, the public one, and where it has neither, the others.
func (s *session) faces() []string { return []string{s.face(), publicInterface, "internal", "admin"} }

// otherRegions returns the regions of the catalogue that are not ours.
func (s *session) otherRegions() []string {
	var all []string
	for _, face := range s.faces() {
		all = append(all, s.at(s.place.Region, face).regions("")...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(region string) bool { return region == s.place.Region })
}

// current returns the session with the catalogue as it is now. The one that came with the login may be months old, as a new token
// brings no other, and services and regions that came since are not in it.
func (s *session) current(ctx context.Context) (*session, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("auth", "catalog")}, "catalog")
	if err != nil {
		return nil, fmt.Errorf("read the catalogue of OpenStack: %w", err)
	}
	text, err := json.Marshal(raws)
	if err != nil {
		return nil, err
	}
	now := *s
	now.of, now.catalog = cmp.Or(s.of, s), new(tokens.ServiceCatalog)
	if err := json.Unmarshal(text, &now.catalog.Entries); err != nil {
		return nil, fmt.Errorf("read the catalogue of OpenStack: %w", errUnreadable)
	}
	return &now, nil
}

// at returns the session for a region and an interface.
func (s *session) at(region, face string) *session {
	there := *s
	there.of, there.place.Region, there.place.Interface = cmp.Or(s.of, s), region, face
	return &there
}

// away returns the session for a service as another region has it, nil for none but that of our own region. Where that region
// has the address of ours on the same interface, as names in a cluster are the same in each, the public one tells them apart.
func (s *session) away(region, service string) *session {
	for _, face := range s.faces() {
		there := s.at(region, face)
		address := there.listed(service)
		if address != "" && address != s.listed(service) && address != s.at(s.place.Region, face).listed(service) {
			return there
		}
		if address != "" && face == publicInterface {
			return nil
		}
	}
	return nil
}

// emptyInOtherRegions fails while a project has something in another region, or nobody knows. Each takes some twenty requests, and there
// may be many: they are asked side by side.
func (s *session) emptyInOtherRegions(ctx context.Context, project string) error {
	regions := s.otherRegions()
	for _, got := range abreast(len(regions), func(i int) (struct{}, error) { return struct{}{}, s.emptyIn(ctx, regions[i], project) }) {
		if got.err != nil {
			return got.err
		}
	}
	return nil
}

// emptyIn is that of one region.
func (s *session) emptyIn(ctx context.Context, region, project string) error {
	parent := fmt.Sprintf("the project in the region %q", region)
	for _, c := range s.projectContents(func(service string) bool { return s.away(region, service) != nil }, project) {
		there := s.away(region, c.call.service)
		if there == nil || c.call.service == serviceIdentity { // which they share
			continue
		}
		if c.key == keyGroups { // Neutron makes one for a project that is asked for, and nobody would take it away there
			theirs := c.ignore
			c.call.query = url.Values{"fields": {"id", "name", keyDescription, "project_id"}}
			c.ignore = func(raw map[string]any) bool { return theirs(raw) || textAt(raw, "project_id") != project }
		}
		if err := c.mustBeEmpty(ctx, there, parent); err != nil {
			return err
		}
	}
	if there := s.away(region, serviceCompute); there != nil {
		if err := there.cellsAnswer(ctx); err != nil {
			return fmt.Errorf("in the region %q: %w", region, err)
		}
	}
	return nil
}
