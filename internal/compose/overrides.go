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
	daemons []daemon
	inRoot  bool // overrides.<daemon>, not conf.overrides.<daemon>
	groups  int  // how many there may be; rendering grows faster than they do
	copies  int  // how many copies of its DaemonSets a release can keep; 0 where groups are the narrower limit
}

// daemon is a DaemonSet of a chart.
type daemon struct {
	name    string
	roles   []string // of the nodes that run it
	network string   // with this network_backend; "" for all
}

// mechanisms are the charts of OpenStack-Helm that have one. Neutron's agents have a large configuration: its release
// begins with 210 KiB and each copy is 28 KiB more, of the 1 MiB that a Secret holds.
func mechanisms() map[string]mechanism {
	compute, network := []string{schema.RoleCompute}, []string{schema.RoleNetwork}
	both := []string{schema.RoleCompute, schema.RoleNetwork}
	return map[string]mechanism{
		"nova": {groups: 10, daemons: []daemon{{name: "nova_compute", roles: compute}}},
		"neutron": {groups: 10, copies: 26, daemons: []daemon{
			{name: "neutron_dhcp-agent", roles: network, network: networkOVS},
			{name: "neutron_l3-agent", roles: network, network: networkOVS},
			{name: "neutron_metadata-agent", roles: network, network: networkOVS},
			{name: "neutron_ovs-agent", roles: both, network: networkOVS},
			{name: "neutron_ovn-metadata-agent", roles: both, network: networkOVN},
		}},
		"libvirt": {groups: 6, inRoot: true, daemons: []daemon{{name: "libvirt_libvirt", roles: compute}}},
	}
}

// on are the DaemonSets that there are with a network backend.
func (m mechanism) on(network string) []daemon {
	return slices.DeleteFunc(slices.Clone(m.daemons), func(d daemon) bool { return d.network != "" && d.network != network })
}

// roles are those of the nodes that run any of some DaemonSets, sorted.
func rolesOf(daemons []daemon) []string {
	var roles []string
	for _, d := range daemons {
		roles = append(roles, d.roles...)
	}
	slices.Sort(roles)
	return slices.Compact(roles)
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
	daemons := mechanism.on(c.m.Cloud.NetworkBackend)
	groups = slices.DeleteFunc(groups, func(g group) bool { return !c.reaches(s, g, rolesOf(daemons)) })
	if len(groups) > mechanism.groups {
		c.failAt(codeOverrides, groups[mechanism.groups].at, "too many profiles of nodes",
			fmt.Sprintf("%d profiles configure %s for their nodes; its chart takes %d", len(groups), s.Name, mechanism.groups), "join some of the profiles")
		return nil
	}
	values, copies := map[string]any{}, 0
	for _, d := range daemons {
		of := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return !c.runs(g.profile, d.roles) })
		if len(of) == 0 {
			continue
		}
		if copies += len(of); mechanism.copies > 0 && copies > mechanism.copies {
			c.failAt(codeOverrides, of[len(of)-1].at, "too many profiles of nodes",
				fmt.Sprintf("the profiles that configure %s for their nodes make more than %d copies of its DaemonSets, which is more than Kubernetes keeps of a release: each for compute nodes makes one, each for nodes with the role network %d", s.Name, mechanism.copies, len(daemons)),
				"join some of the profiles")
			return nil
		}
		put(values, overridesOf(mechanism, d), labelsOf(mechanism, of))
	}
	return values
}

// overridesOf is where a chart takes what differs of a DaemonSet.
func overridesOf(m mechanism, d daemon) string {
	if m.inRoot {
		return "overrides." + d.name + ".labels"
	}
	return "conf.overrides." + d.name + ".labels"
}

// labelsOf are groups as a chart takes them.
func labelsOf(m mechanism, groups []group) any {
	if m.inRoot {
		labels := map[string]any{}
		for _, g := range groups {
			labels[unit.ProfileLabel+"::"+g.profile] = map[string]any{"values": map[string]any{"conf": overlay(g.conf, nil)}}
		}
		return labels
	}
	var labels []any
	for _, g := range groups {
		labels = append(labels, map[string]any{
			"label": map[string]any{"key": unit.ProfileLabel, "values": []any{g.profile}}, "conf": overlay(g.conf, nil),
		})
	}
	return labels
}

// runs tells whether any node with a profile has one of the roles. A disabled node will again.
func (c *composer) runs(profile string, roles []string) bool {
	return slices.ContainsFunc(c.m.Nodes, func(n model.Node) bool {
		return n.Profile == profile && slices.ContainsFunc(n.Roles, func(role string) bool { return slices.Contains(roles, role) })
	})
}

// reaches tells whether any node with a profile runs what its configuration of a service is for, and reports it
// when none does.
func (c *composer) reaches(s *model.Service, g group, roles []string) bool {
	if c.runs(g.profile, roles) {
		return true
	}
	var names []string
	for i := range c.m.Nodes {
		if n := &c.m.Nodes[i]; n.Profile == g.profile {
			names = append(names, n.Address.String())
		}
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
