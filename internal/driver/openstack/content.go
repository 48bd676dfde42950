package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// content is one list of things that can be in a project.
type content struct {
	call   call
	list   func(context.Context, *session) ([]map[string]any, error) // in place of the call, which says of what service then, where one is not enough
	key    string
	mark   func(map[string]any) string
	extra  bool // of an extension, which not every cloud has
	ignore func(map[string]any) bool
}

// find returns what the list has.
func (c content) find(ctx context.Context, s *session) ([]map[string]any, error) {
	if c.list != nil {
		return c.list(ctx, s)
	}
	return s.all(ctx, c.call, c.key)
}

// mustBeEmpty fails while the list has something: for good when that is not ours.
func (c content) mustBeEmpty(ctx context.Context, s *session, parent string) error {
	objects, err := c.find(ctx, s)
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
		id := textAt(raw, cmp.Or(c.call.known, "id"))
		what := fmt.Sprintf("%s still has %s: %s", parent, strings.ReplaceAll(c.key, "_", " "), id)
		if name := first(textAt(raw, "name"), textAt(raw, "stack_name"), textAt(raw, keyResource)); name != "" && name != id {
			what = fmt.Sprintf("%s still has %s: %s (%s)", parent, strings.ReplaceAll(c.key, "_", " "), name, id)
		}
		if c.mark(raw) == "" {
			return unit.Blocked(what + ", which is not ours; delete it first")
		}
		return errors.New(what)
	}
	return nil
}

// inhabiting is a kind of which something keeps the project that it is in, besides what [builtinContents] has.
type inhabiting interface {
	// contents are those in a project. The call says of which service.
	contents(project string) content
}

// projectContents are what keeps a project, of the services that there are.
func (s *session) projectContents(serves func(service string) bool, project string) []content {
	all := slices.Concat(builtinContents(serves, project), furtherContents(serves, project), s.walledContents(serves, project))
	for _, k := range s.connector.residents {
		if c := k.contents(project); serves(c.call.service) {
			// A kind knows its mark better than what stands in for it.
			all = append(slices.DeleteFunc(all, func(other content) bool { return other.call.service == c.call.service && other.key == c.key }), c)
		}
	}
	return all
}

// builtinContents are those of the services that every cloud has, and of that for volumes. What our kinds are not of is
// nobody's to delete with it all the same.
func builtinContents(serves func(service string) bool, project string) []content {
	mine := func() url.Values { return url.Values{"project_id": {project}} }
	everywhere := func() url.Values { return url.Values{"all_tenants": {"1"}, "project_id": {project}} }
	of := func(path, key string) content {
		return content{call: call{service: serviceNetwork, path: path, query: mine()}, key: key, mark: markInDescription}
	}
	extra := func(path, key string) content {
		c := of(path, key)
		c.extra = true
		return c
	}
	ports, groups, rights := of("ports", "ports"), of("security-groups", keyGroups), extra("rbac-policies", "rbac_policies")
	ports.ignore = func(raw map[string]any) bool { return textAt(raw, "device_owner") == "network:dhcp" } // these go with their network
	groups.ignore = func(raw map[string]any) bool { return textAt(raw, "name") == defaultGroup }
	rights.mark = unmarkable
	contents := []content{
		{
			call: call{service: serviceCompute, path: pathOf("servers", "detail"), query: everywhere()},
			key:  "servers", mark: func(server map[string]any) string {
				if departing(server) {
					return textAt(server, "id") // whosever it is, nobody has to delete it any more
				}
				return markInMetadata(server)
			},
		},
		{
			call: call{service: serviceCompute},
			list: serverGroupKind{}.listRaw, key: "server_groups", mark: unmarkable, // Nova does not filter them
			ignore: func(raw map[string]any) bool { return textAt(raw, "project_id") != project },
		},
		{ // Keystone keeps a project with others below it
			call: call{service: serviceIdentity},
			list: func(ctx context.Context, s *session) ([]map[string]any, error) {
				below, err := s.all(ctx, call{service: serviceIdentity, path: "projects", query: url.Values{"parent_id": {project}}}, "projects")
				if statusIs(err, http.StatusForbidden) { // who may not ask hears of them as it refuses
					return nil, nil
				}
				return below, err
			},
			key: "projects", mark: func(raw map[string]any) string {
				_, mark := splitTags(textsAt(raw, "tags"))
				return mark
			},
		},
		of("routers", "routers"), ports, of("networks", "networks"), of("subnets", "subnets"), groups,
		{
			call: call{service: serviceImage},
			list: func(ctx context.Context, s *session) ([]map[string]any, error) {
				return images(ctx, s, url.Values{keyOwner: {project}})
			},
			key: "images", mark: func(raw map[string]any) string { return textAt(raw, markKey) },
		},
		of("floatingips", "floatingips"), of("subnetpools", "subnetpools"),
		extra("address-scopes", "address_scopes"), extra("address-groups", "address_groups"), extra("qos/policies", "policies"), extra("trunks", "trunks"),
		rights, // those that came with a network have gone with it
	}
	for _, service := range volumeServices() {
		if !serves(service) { // many clouds have no volumes
			continue
		}
		kept := func(key string, mark func(map[string]any) string) content {
			return content{call: call{service: service, path: pathOf(key, "detail"), query: everywhere()}, key: key, mark: mark}
		}
		return append(contents, kept("volumes", markInMetadata), kept("snapshots", markInMetadata), kept("backups", unmarkable))
	}
	return contents
}

const keyGroups = "security_groups"

// unmarkable is of what bears no mark: ours has gone before, as its record tells that it needs the project.
func unmarkable(map[string]any) string { return "" }

func markInDescription(raw map[string]any) string {
	_, mark := splitMark(textAt(raw, keyDescription))
	return mark
}

func markInMetadata(raw map[string]any) string {
	metadata, _ := raw["metadata"].(map[string]any)
	return textAt(metadata, markKey)
}
