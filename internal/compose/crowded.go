package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// placed is how a chart chooses nodes for a part of its service.
type placed struct {
	name  string // among its labels, "" for that of the part
	label string // that it has there, "" for that of the control plane
	role  string // which gives nodes that label
}

// places are those of OpenStack-Helm's charts that choose in another way than most.
func places() map[string]map[string]placed {
	network := placed{label: unit.NetworkLabel, role: schema.RoleNetwork}
	return map[string]map[string]placed{
		"horizon": {"server": {name: "dashboard"}},
		"ovn":     {"ovn_ovsdb_nb": network, "ovn_ovsdb_sb": network},
		"octavia": {"driver_agent": network},
	}
}

// anywhere are parts whose chart does not keep their copies apart, whatever is written.
func anywhere() map[string][]string { return map[string][]string{"ovn": {"ovn_northd"}} }

// apartByChart are services whose charts let no two pods of a part be on a node where nothing is written.
func apartByChart() []string { return []string{"memcached"} }

// chartReplicas are the copies that charts have of a part where nothing is written, if more than one.
func chartReplicas() map[string]map[string]int64 {
	return map[string]map[string]int64{"mariadb": {"server": 3}}
}

// tellCrowded warns where no two pods of a part may be on one node, and there are more of them than nodes that they may be
// on: the others would never start, and neither would a roll-out of the first ones end. Others may label nodes as well, so it
// is no mistake, and without any node of the configuration nothing is known.
func (c *composer) tellCrowded(s *model.Service, values map[string]any) {
	known, _ := c.definition.Service(s.Name)
	if !known.Takes(schema.AntiAffinity) {
		return
	}
	for _, part := range known.Parts {
		if slices.Contains(anywhere()[s.Name], part) || !deploys(values, "deployment", part, true) || !deploys(values, "statefulset", part, true) {
			continue
		}
		kinds := []string{plainText(get(values, apartFrom+"type."+part)), plainText(get(values, apartFrom+"type.default"))}
		if slices.Contains(apartByChart(), s.Name) {
			kinds = append(kinds, schema.AffinityRequired)
		}
		count := "pod.replicas." + part
		n, written := get(values, count).(int64)
		if !written {
			n = chartReplicas()[s.Name][part]
		}
		if n < 2 || !strings.HasPrefix(cmp.Or(kinds...), schema.AffinityRequired) {
			continue // without a look at the labels of all nodes
		}
		place := places()[s.Name][part]
		nodes := c.nodesWith(values, cmp.Or(place.name, part), cmp.Or(place.label, unit.ControlPlaneLabel))
		if len(nodes) == 0 || n <= int64(len(nodes)) {
			continue
		}
		hint := fmt.Sprintf("write replicas = { %s = %d }, or give the role %s to more nodes", part, len(nodes), cmp.Or(place.role, schema.RoleControlPlane))
		if kinds[0] == "" { // else it is for that part alone
			hint += fmt.Sprintf(", or write %s = %q", schema.AntiAffinity, schema.AffinityPreferred)
		}
		c.failAt(codeUnsafe, c.originOfCrowd(s, kinds[0] == "", count), "more pods than nodes for them",
			fmt.Sprintf("%s of %s runs %d times, no two of them on one node, and of the nodes of the configuration they may be on %s alone: the others would never start",
				part, s.Name, n, strings.Join(nodes, " and ")), hint)
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// originOfCrowd is where it is written that pods are to be apart, if that may be said, or else how many there are.
func (c *composer) originOfCrowd(s *model.Service, said bool, count string) origin {
	for _, of := range []struct{ setting, path string }{{schema.AntiAffinity, apartFrom + "type"}, {"replicas", count}} {
		if !said && of.setting == schema.AntiAffinity {
			continue
		}
		if covers(c.written[s.Name], of.path) {
			at, _ := c.whereKey(s, s.Settings, steps(of.path))
			return at
		}
		if slices.ContainsFunc(s.Settings, func(written model.Setting) bool { return written.Name == of.setting }) {
			return c.lastOrigin(s, of.setting)
		}
	}
	return origin{where: s.Range, about: s.Address}
}
