package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// mostDevices is how many things with ports are asked for whose they are, when something is not deleted because of these ports.
const mostDevices = 10

// held says by which ports, chosen by a query, Neutron keeps what it refused to delete: its refusal may not say. Those of others are for
// a person, and nothing is tried again because of them; ours go by themselves. Nothing is asked unless Neutron refuses.
func (s *session) held(ctx context.Context, refusal error, what string, query url.Values, holds func(port map[string]any) bool) error {
	if !statusIs(refusal, http.StatusConflict) {
		return refusal
	}
	query["fields"] = portFields()
	ports, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
	if err != nil {
		return refusal // to have this told is worth no other error
	}
	owners := owners{session: s, known: map[string]bool{}}
	var theirs, ours []string
	for _, p := range ports {
		switch {
		case ownedByNeutron(p) || !holds(p):
		case markInDescription(p) == "" && !owners.marked(ctx, p):
			theirs = append(theirs, tellPort(p))
		default:
			ours = append(ours, textAt(p, "id"))
		}
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	switch {
	case len(theirs) > 0:
		return unit.Blocked(fmt.Sprintf("%s is in use by ports that are not ours: %s; delete these, or take them out of it, first", what, several(theirs)))
	case len(ours) > 0:
		return fmt.Errorf("%s is in use until these ports have gone: %s: %w", what, several(ours), refusal)
	}
	return refusal
}

// ownedByNeutron tells whether Neutron deletes a port by itself with its network or subnet.
func ownedByNeutron(port map[string]any) bool {
	return slices.Contains([]string{"network:dhcp", "network:distributed", "network:floatingip_agent_gateway"}, textAt(port, "device_owner"))
}

// tellPort names a port, and what has it.
func tellPort(port map[string]any) string {
	text := textAt(port, "id")
	if name := textAt(port, "name"); name != "" {
		text = fmt.Sprintf("%s (%s)", name, text)
	}
	if owner := textAt(port, "device_owner"); owner != "" {
		text += " of " + owner
		if device := textAt(port, "device_id"); device != "" {
			text += " " + device
		}
	}
	return text
}

// owners tell whose the things are that have ports: those that Nova and Neutron make for them bear no mark.
type owners struct {
	*session
	known map[string]bool // by owner and id
}

// marked tells whether what has a port bears a mark, or may: of what cannot be asked nobody knows, and what is being deleted
// takes its ports along, whosever it is.
func (o owners) marked(ctx context.Context, port map[string]any) bool {
	owner, device := textAt(port, "device_owner"), textAt(port, "device_id")
	c, key, mark := call{service: serviceNetwork, method: http.MethodGet}, "router", markInDescription
	switch {
	case device == "":
		return false
	case strings.HasPrefix(owner, ownedByCompute):
		c.service, c.path, key, mark = serviceCompute, pathOf("servers", device), "server", markInMetadata
	case strings.HasPrefix(owner, "network:router_"), slices.Contains(interfaceOwners(), owner): // gateways and what distributed ones have, too
		c.path = pathOf("routers", device)
	case owner == "network:floatingip":
		c.path, key = pathOf("floatingips", device), "floatingip"
	default:
		return false
	}
	is, known := o.known[c.path]
	switch {
	case known:
		return is
	case len(o.known) == mostDevices:
		return true
	}
	raw, err := o.one(ctx, c, key)
	o.known[c.path] = err != nil || mark(raw) != "" || key == "server" && departing(raw)
	return o.known[c.path]
}

// inSubnet tells whether a port has an address of a subnet.
func inSubnet(subnet string) func(map[string]any) bool {
	return func(port map[string]any) bool {
		return slices.ContainsFunc(objectsAt(port, keyFixedIPs), func(ip map[string]any) bool { return textAt(ip, keySubnetID) == subnet })
	}
}

// inGroup tells whether a port has a security group.
func inGroup(group string) func(map[string]any) bool {
	return func(port map[string]any) bool { return slices.Contains(textsAt(port, "security_groups"), group) }
}
