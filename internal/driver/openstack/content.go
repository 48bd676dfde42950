package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// content is one list of things that can be in a project.
type content struct {
	call   call
	key    string
	mark   func(map[string]any) string
	extra  bool // of an extension, which not every cloud has
	ignore func(map[string]any) bool
}

// mustBeEmpty fails while the list has something: for good when that is not ours.
func (c content) mustBeEmpty(ctx context.Context, s *session, parent string) error {
	objects, err := s.all(ctx, c.call, c.key)
	if c.extra && notFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for %s in %s: %w", c.key, parent, err)
	}
	for _, raw := range objects {
		if c.ignore != nil && c.ignore(raw) {
			continue
		}
		what := fmt.Sprintf("%s still has %s: %s (%s)", parent, strings.ReplaceAll(c.key, "_", " "), textAt(raw, "name"), textAt(raw, "id"))
		if c.mark(raw) == "" {
			return unit.Blocked(what + ", which is not ours; delete it first")
		}
		return errors.New(what)
	}
	return nil
}

func projectContents(s *session, project string) []content {
	mine := func() url.Values { return url.Values{"project_id": {project}} }
	contents := []content{
		{
			call: call{service: serviceCompute, path: pathOf("servers", "detail"), query: url.Values{"all_tenants": {"1"}, "project_id": {project}}},
			key:  "servers", mark: markInMetadata,
		},
		{call: call{service: serviceNetwork, path: "routers", query: mine()}, key: "routers", mark: markInDescription},
		{
			call: call{service: serviceNetwork, path: "ports", query: mine()}, key: "ports", mark: markInDescription,
			// Neutron's own ports go with their network.
			ignore: func(raw map[string]any) bool { return textAt(raw, "device_owner") == "network:dhcp" },
		},
		{call: call{service: serviceNetwork, path: "networks", query: mine()}, key: "networks", mark: markInDescription},
		{
			call: call{service: serviceNetwork, path: "security-groups", query: mine()}, key: "security_groups", mark: markInDescription,
			ignore: func(raw map[string]any) bool { return textAt(raw, "name") == defaultGroup },
		},
		{
			call: call{service: serviceImage, path: "images", query: url.Values{"owner": {project}}},
			key:  "images", mark: func(raw map[string]any) string { return textAt(raw, markKey) },
		},
		{call: call{service: serviceNetwork, path: "floatingips", query: mine()}, key: "floatingips", mark: markInDescription},
		{call: call{service: serviceNetwork, path: "subnetpools", query: mine()}, key: "subnetpools", mark: markInDescription},
		{call: call{service: serviceNetwork, path: "address-scopes", query: mine()}, key: "address_scopes", mark: markInDescription, extra: true},
		{call: call{service: serviceNetwork, path: "qos/policies", query: mine()}, key: "policies", mark: markInDescription, extra: true},
		{call: call{service: serviceNetwork, path: "trunks", query: mine()}, key: "trunks", mark: markInDescription, extra: true},
	}
	for _, service := range volumeServices() {
		if s.listed(service) == "" { // many clouds have no volumes
			continue
		}
		return append(contents, content{
			call: call{service: service, path: pathOf("volumes", "detail"), query: url.Values{"all_tenants": {"1"}, "project_id": {project}}},
			key:  "volumes", mark: markInMetadata,
		}, content{
			call: call{service: service, path: pathOf("snapshots", "detail"), query: url.Values{"all_tenants": {"1"}, "project_id": {project}}},
			key:  "snapshots", mark: markInMetadata,
		})
	}
	return contents
}

func markInDescription(raw map[string]any) string {
	_, mark := splitMark(textAt(raw, keyDescription))
	return mark
}

func markInMetadata(raw map[string]any) string {
	metadata, _ := raw["metadata"].(map[string]any)
	return textAt(metadata, markKey)
}
