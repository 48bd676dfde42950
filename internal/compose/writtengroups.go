package compose

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// tellWrittenGroups warns where groups of nodes that people write for a chart take the place of those with the conf of profiles:
// what they write counts, and a host or a node in none of their groups gets nothing of its profile.
func (c *composer) tellWrittenGroups(s *model.Service, m mechanism, daemons []daemon, groups map[int]group) {
	for _, d := range daemons {
		path := overridesOf(m, d)
		if profiles := c.replacedGroups(s.Name, m, d, groups); len(profiles) > 0 {
			at, text := c.whereKey(s, s.Settings, steps(path))
			c.failAt(codeUnsafe, at, "what profiles set is left away",
				fmt.Sprintf("%s takes the place of the groups of nodes that profiles have there: conf of %s in %s is for nobody", text, s.Name, several(profiles)),
				"take it away and let nodes differ by profiles, or write single nodes in hosts beside it")
			c.diags[len(c.diags)-1].Severity = diag.Warning
			continue
		}
		if hosts := c.ownHosts(s.Name, d, groups); !m.inRoot && len(hosts) > 0 {
			at, text := c.whereKey(s, s.Settings, steps(hostsOf(d)))
			c.failAt(codeUnsafe, at, "what profiles set is left away",
				fmt.Sprintf("%s has %s, to which the chart gives what is written there in place of conf of %s in their profiles", text, several(hosts), s.Name),
				"write there what the profile sets as well, or take these hosts away")
			c.diags[len(c.diags)-1].Severity = diag.Warning
		}
	}
}

// replacedGroups are the profiles with conf for a DaemonSet whose groups somebody's own take the place of. Those that are in
// a map are merged with ours.
func (c *composer) replacedGroups(service string, m mechanism, d daemon, groups map[int]group) []string {
	path, written := overridesOf(m, d), c.written[service]
	if !covers(written, path) {
		return nil
	}
	theirs, merged := get(written, path).(map[string]any)
	var profiles []string
	for _, slot := range slices.Sorted(maps.Keys(groups)) {
		_, replaced := theirs[unit.SlotLabel+"::"+strconv.Itoa(slot)]
		if g := groups[slot]; (!merged || replaced) && c.runs(g.profile, d.roles) {
			profiles = append(profiles, "profile."+g.profile)
		}
	}
	return profiles
}

func hostsOf(d daemon) string { return "conf.overrides." + d.name + ".hosts" }

// ownHosts are the nodes with conf of a profile for a DaemonSet that somebody has among the hosts of the chart.
func (c *composer) ownHosts(service string, d daemon, groups map[int]group) []string {
	list, _ := get(c.written[service], hostsOf(d)).([]any)
	var found []string
	for _, one := range list {
		host, _ := one.(map[string]any)
		i := slices.IndexFunc(c.m.Nodes, func(n model.Node) bool { return n.Name == host["name"] })
		if i < 0 {
			continue
		}
		n := &c.m.Nodes[i]
		g, differs := groups[c.slotOf(n.Profile)]
		if differs && g.profile == n.Profile && slices.ContainsFunc(n.Roles, func(role string) bool { return slices.Contains(d.roles, role) }) {
			found = append(found, n.Name)
		}
	}
	return found
}

// confInValues is what values have of the configuration of a service, for all nodes.
func (c *composer) confInValues(s *model.Service) map[string]any {
	if s.Values == cty.NilVal {
		return nil
	}
	plain, _ := withHidden(s.Values, false, nil) // what is wrong with it is told elsewhere
	values, _ := plain.(map[string]any)
	conf, _ := values["conf"].(map[string]any)
	return conf
}

// tellLost warns of what the profile of some nodes sets and values have for all of them.
func (c *composer) tellLost(s *model.Service, profile string, settings []model.Setting, path []string) {
	at, _ := c.decides(s, settings, "conf", path, nil)
	c.failAt(codeUnsafe, at, "what profiles set is left away",
		fmt.Sprintf("conf%s of %s is set for nodes with the profile %s, and values.conf%s for all nodes wins over it", pathOf(path), s.Name, profile, pathOf(path)),
		"write in conf what holds for all nodes: profiles of nodes are over that")
	c.diags[len(c.diags)-1].Severity = diag.Warning
}
