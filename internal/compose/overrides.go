package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// mechanism is how a chart lets some nodes differ: by DaemonSets that share a configuration, each
// for the nodes with one value of a label.
type mechanism struct {
	daemons map[string][]string // by network backend
	inRoot  bool                // overrides.<daemon>, not conf.overrides.<daemon>
	groups  int                 // how many there may be; rendering grows faster than they do
	roles   []string            // of the nodes that run one of the DaemonSets
}

func (m mechanism) of(network string) []string { return m.daemons[network] }

// mechanisms are the charts of OpenStack-Helm that have one.
func mechanisms() map[string]mechanism {
	everywhere := func(daemon string) map[string][]string {
		return map[string][]string{networkOVS: {daemon}, networkOVN: {daemon}}
	}
	return map[string]mechanism{
		"nova": {daemons: everywhere("nova_compute"), groups: 10, roles: []string{schema.RoleCompute}},
		"neutron": {groups: 10, roles: []string{schema.RoleCompute, schema.RoleNetwork}, daemons: map[string][]string{
			networkOVS: {"neutron_dhcp-agent", "neutron_l3-agent", "neutron_metadata-agent", "neutron_ovs-agent"},
			networkOVN: {"neutron_ovn-metadata-agent"},
		}},
		"libvirt": {daemons: everywhere("libvirt_libvirt"), inRoot: true, groups: 6, roles: []string{schema.RoleCompute}},
	}
}

// group is what the nodes with one profile have of their own.
type group struct {
	profile string
	conf    map[string]any
	first   []string // the path to the first thing in it
	at      origin   // of that
}

// overrides returns the values by which nodes with profiles of their own differ from the cloud, one
// group for each profile, in the order of their names.
func (c *composer) overrides(s *model.Service) map[string]any {
	groups := c.groups(s)
	if len(groups) == 0 {
		return nil
	}
	mechanism, ok := mechanisms()[s.Name]
	if !ok {
		for _, g := range groups {
			c.failAt(codeOverrides, g.at, "the same on every node",
				fmt.Sprintf("the chart of %s cannot configure some nodes otherwise than others, and conf%s differs on nodes with the profile %s", s.Name, pathOf(g.first), g.profile),
				"move the setting to the cloud or its default profile")
		}
		return nil
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return !c.reaches(s, g, mechanism.roles) })
	if len(groups) > mechanism.groups {
		c.failAt(codeOverrides, groups[mechanism.groups].at, "too many profiles of nodes",
			fmt.Sprintf("%d profiles configure %s for their nodes; its chart takes %d", len(groups), s.Name, mechanism.groups), "join some of the profiles")
		return nil
	}
	values := map[string]any{}
	for _, daemon := range mechanism.of(c.m.Cloud.NetworkBackend) {
		if mechanism.inRoot {
			labels := map[string]any{}
			for _, g := range groups {
				labels[unit.ProfileLabel+"::"+g.profile] = map[string]any{"values": map[string]any{"conf": overlay(g.conf, nil)}}
			}
			put(values, "overrides."+daemon+".labels", labels)
			continue
		}
		var labels []any
		for _, g := range groups {
			labels = append(labels, map[string]any{
				"label": map[string]any{"key": unit.ProfileLabel, "values": []any{g.profile}}, "conf": overlay(g.conf, nil),
			})
		}
		put(values, "conf.overrides."+daemon+".labels", labels)
	}
	return values
}

// reaches tells whether any node with a profile runs what its configuration of a service is for, and reports it
// when none does. A disabled node will again.
func (c *composer) reaches(s *model.Service, g group, roles []string) bool {
	var names []string
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if n.Profile != g.profile {
			continue
		}
		if slices.ContainsFunc(n.Roles, func(role string) bool { return slices.Contains(roles, role) }) {
			return true
		}
		names = append(names, n.Address.String())
	}
	c.failAt(codeOverrides, g.at, "no such pods on these nodes",
		fmt.Sprintf("conf%s of %s is for nodes with the role %s, and none of those with the profile %s has it: %s", pathOf(g.first), s.Name, strings.Join(roles, " or "), g.profile, several(names)),
		"give the profile to other nodes, or these the role; what holds for all pods of a service belongs into the cloud or its default profile")
	return false
}

// several names a few of many.
func several(names []string) string {
	const most = 5
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// groups finds the profiles that change a service on the nodes that use them.
func (c *composer) groups(s *model.Service) []group {
	base, ok := c.plain(s, "conf", s.Conf, s.Settings)
	if !ok {
		return nil
	}
	byProfile := map[string]group{}
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if _, done := byProfile[n.Profile]; done || n.Profile == "" {
			continue
		}
		for _, own := range n.Services {
			if own.Name != s.Name {
				continue
			}
			all, _ := c.plain(s, "conf", own.Conf, own.Settings)
			if conf := beyond(base, all); len(conf) > 0 {
				g := group{profile: n.Profile, conf: conf, first: firstPath(conf)}
				g.at, _ = c.decides(s, own.Settings, "conf", g.first, nil)
				byProfile[n.Profile] = g
			}
		}
	}
	var groups []group
	for _, profile := range slices.Sorted(maps.Keys(byProfile)) {
		groups = append(groups, byProfile[profile])
	}
	return groups
}

// firstPath leads to the first thing in a tree that is no map.
func firstPath(tree map[string]any) []string {
	var path []string
	for len(tree) > 0 {
		key := slices.Sorted(maps.Keys(tree))[0]
		path = append(path, key)
		tree, _ = tree[key].(map[string]any)
	}
	return path
}

func pathOf(keys []string) string {
	var text strings.Builder
	for _, key := range keys {
		text.WriteString(keyText(key))
	}
	return text.String()
}
