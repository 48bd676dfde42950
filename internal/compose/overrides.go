package compose

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	slots   int  // the highest one whose nodes can differ; rendering grows faster than they do
	copies  int  // how many copies of its DaemonSets a release can keep; 0 where slots are the narrower limit
	noNull  bool // its templates make a line of what is null, and no program can read that
}

// daemon is a DaemonSet of a chart.
type daemon struct {
	name    string
	program string   // what its service calls that which reports from each of these nodes; "" for what does not
	roles   []string // of the nodes that run it
	network string   // with this network_backend; "" for all
	beside  string   // where the chart is told to have this mechanism beside that; "" for always
}

// mechanisms are the charts of OpenStack-Helm that have one. Neutron's agents have a large configuration: its release
// begins with 275 KiB and each copy is 26 KiB more, of the 1 MiB that a Secret holds. What rendering libvirt takes
// doubles with each slot, of which it has all at all times: four take 60 MiB, and nine would take 1.7 GiB.
func mechanisms() map[string]mechanism {
	compute, network := []string{schema.RoleCompute}, []string{schema.RoleNetwork}
	both := []string{schema.RoleCompute, schema.RoleNetwork}
	return map[string]mechanism{
		"nova": {slots: schema.MaxSlot, daemons: []daemon{{name: "nova_compute", program: "nova-compute", roles: compute}}},
		"neutron": {slots: schema.MaxSlot, copies: 26, daemons: []daemon{
			{name: "neutron_dhcp-agent", program: "neutron-dhcp-agent", roles: network, network: networkOVS},
			{name: "neutron_l3-agent", program: "neutron-l3-agent", roles: network, network: networkOVS},
			{name: "neutron_metadata-agent", program: "neutron-metadata-agent", roles: network, network: networkOVS},
			{name: "neutron_ovs-agent", program: "neutron-openvswitch-agent", roles: both, network: networkOVS},
			{name: "neutron_ovn-metadata-agent", program: "neutron-ovn-metadata-agent", roles: both, network: networkOVN},
			{name: "neutron_sriov-agent", program: "neutron-sriov-nic-agent", roles: compute, beside: "sriov"},
		}},
		"libvirt": {slots: 4, inRoot: true, noNull: true, daemons: []daemon{{name: "libvirt_libvirt", roles: compute}}},
	}
}

// daemons are the DaemonSets that a chart has with the network backends of a cloud.
func (c *composer) daemons(service string, m mechanism) []daemon {
	written, _ := get(c.written[service], backendOfCharts).([]any)
	return slices.DeleteFunc(slices.Clone(m.daemons), func(d daemon) bool {
		return d.network != "" && d.network != c.m.Cloud.NetworkBackend || d.beside != "" && !slices.Contains(written, any(d.beside))
	})
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
	null    []string // the path to the first thing that is null; nil for none
	nullAt  origin   // of that
}

// overrides returns the values by which nodes with profiles of their own differ from the cloud: a group for each
// slot, whether anything differs there or not.
func (c *composer) overrides(s *model.Service) map[string]any {
	groups, whole := c.groups(s)
	mechanism, ok := mechanisms()[s.Name]
	if !ok {
		for _, g := range groups {
			c.failAt(codeOverrides, g.at, "the same on every node",
				fmt.Sprintf("%s is configured alike on all nodes, and conf%s differs on nodes with the profile %s", s.Name, pathOf(g.first), g.profile),
				"move the setting to the cloud or its default profile")
		}
		return nil
	}
	daemons := c.daemons(s.Name, mechanism)
	groups = slices.DeleteFunc(groups, func(g group) bool { return !c.reaches(s, g, rolesOf(daemons)) })
	if mechanism.noNull {
		c.refuseNull(s, groups)
	}
	bySlot := c.slotted(s, mechanism, groups)
	c.tellWrittenGroups(s, mechanism, daemons, bySlot)
	if !whole {
		return nil
	}
	values, copies := map[string]any{}, 0
	for _, d := range daemons {
		slots := c.slotsOf(mechanism, d)
		if copies += len(slots); mechanism.copies > 0 && copies > mechanism.copies {
			c.tellCopies(s, mechanism)
			return nil
		}
		put(values, overridesOf(mechanism, d), labelsOf(mechanism, slots, bySlot))
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

// labelsOf are slots as a chart takes them, with the configuration of those that differ.
func labelsOf(m mechanism, slots []int, groups map[int]group) any {
	if m.inRoot {
		labels := map[string]any{}
		for _, slot := range slots {
			values := map[string]any{}
			if g, differs := groups[slot]; differs {
				values["conf"] = overlay(g.conf, nil)
			}
			labels[unit.SlotLabel+"::"+strconv.Itoa(slot)] = map[string]any{"values": values}
		}
		return labels
	}
	var labels []any
	for _, slot := range slots {
		labels = append(labels, map[string]any{
			"label": map[string]any{"key": unit.SlotLabel, "values": []any{strconv.Itoa(slot)}}, "conf": overlay(groups[slot].conf, nil),
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

// groups finds the profiles that change a service on the nodes that use them. It returns false after telling
// what cannot be taken of a configuration: the groups are good for telling of further mistakes then.
func (c *composer) groups(s *model.Service) ([]group, bool) {
	base, whole := c.partly(s, "conf", s.Conf, s.Settings)
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
			all, ok := c.partly(s, "conf", own.Conf, own.Settings)
			whole = whole && ok
			conf, lost := except(beyond(base, all), c.confInValues(s))
			if lost != nil {
				c.tellLost(s, n.Profile, own.Settings, lost)
			}
			if len(conf) > 0 {
				g := group{profile: n.Profile, conf: conf, first: firstPath(conf)}
				g.at, _ = c.decides(s, own.Settings, "conf", g.first, nil)
				if g.null = pathToNull(conf); g.null != nil {
					g.nullAt, _ = c.decides(s, own.Settings, "conf", g.null, nil)
				}
				byProfile[n.Profile] = g
			}
		}
	}
	var groups []group
	for _, profile := range slices.Sorted(maps.Keys(byProfile)) {
		groups = append(groups, byProfile[profile])
	}
	return groups, whole
}

// refuseNull tells of what some nodes shall not have, where the chart would hand on a line that no program can read.
func (c *composer) refuseNull(s *model.Service, groups []group) {
	for _, g := range groups {
		if g.null != nil {
			c.failAt(codeOverrides, g.nullAt, "not without it on some nodes",
				fmt.Sprintf("conf%s of %s is null on nodes with the profile %s: its chart can take away nothing on some nodes alone, and would write a line without a value, with which the program does not start",
					pathOf(g.null), s.Name, g.profile),
				"write the value that it shall have there, or take it away for the whole cloud and write it in the profiles of those nodes that keep it")
		}
	}
}

// pathToNull leads to the first thing in a tree that is null, by the names of keys; nil for none.
func pathToNull(tree map[string]any) []string {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if tree[key] == nil {
			return []string{key}
		}
		below, _ := tree[key].(map[string]any)
		if path := pathToNull(below); path != nil {
			return append([]string{key}, path...)
		}
	}
	return nil
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
