package compose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// The charts name a DaemonSet of a group of nodes after everything that its pods ask of nodes: the label of the group, and
// that it is none of the groups behind it in the list; the DaemonSet for all other nodes asks for none of the groups at all.
// What is renamed is deleted with all of its pods at once. So a group is a slot and not a profile, the list has every slot up
// to the highest one, and it begins with that: a further slot in front changes no name behind it. Nodes that do not differ
// have a slot of their own. What is left for the DaemonSet of all other nodes are those without a block that somebody
// labelled for the charts: see remainders.
//
// Charts that take groups below overrides, in the order of their names, have each group ask for none of all others. There
// the slots are as many from the beginning as there may ever be, and nodes that do not differ stay with the rest: its name
// is always the same.

// plainSlot is the slot of the nodes that do not differ from the cloud.
const plainSlot = 0

// slotOf is the slot of the nodes with a profile.
func (c *composer) slotOf(profile string) int {
	if p := c.m.Profile(profile); p != nil {
		return p.Slot
	}
	return plainSlot
}

// groupLabels adds the labels by which groups of nodes are told apart, as far as pods of a group run there.
func (c *composer) groupLabels(n *model.Node, labels map[string]string) {
	if n.Profile != "" {
		labels[unit.ProfileLabel] = n.Profile
	}
	if slices.Contains(n.Roles, schema.RoleCompute) || slices.Contains(n.Roles, schema.RoleNetwork) {
		labels[unit.SlotLabel] = strconv.Itoa(c.slotOf(n.Profile))
	}
}

// slotsOf are the slots that a chart gets for a DaemonSet, in the order that keeps its names.
func (c *composer) slotsOf(m mechanism, d daemon) []int {
	lowest, highest := plainSlot, c.highestSlot(d)
	if m.inRoot {
		lowest, highest = plainSlot+1, m.slots
	}
	var slots []int
	for slot := highest; slot >= lowest; slot-- {
		slots = append(slots, slot)
	}
	return slots
}

// highestSlot is that of all profiles, whether nodes have them or not, so that a node finds its DaemonSets when it moves.
// Only what never runs under instances has none before: each is a copy of a large configuration.
func (c *composer) highestSlot(d daemon) int {
	highest := plainSlot
	for i := range c.m.Profiles {
		if p := &c.m.Profiles[i]; hasAllSlots(d) || c.runs(p.Name, d.roles) {
			highest = max(highest, p.Slot)
		}
	}
	return highest
}

// hasAllSlots tells whether a DaemonSet is there for the slots of all profiles.
func hasAllSlots(d daemon) bool { return slices.Contains(d.roles, schema.RoleCompute) }

// slotted returns the groups by their slots, and reports those that have none, or one beyond what the chart takes.
func (c *composer) slotted(s *model.Service, m mechanism, groups []group) map[int]group {
	by := map[int]group{}
	for _, g := range groups {
		switch slot := c.slotOf(g.profile); {
		case slot == plainSlot:
			c.tellSlotless(s, g)
		case slot > m.slots:
			c.failAt(codeOverrides, g.at, "a slot beyond those of the chart",
				fmt.Sprintf("conf%s of %s differs on the nodes with the profile %s, which has the slot %d; its chart takes slots up to %d", pathOf(g.first), s.Name, g.profile, slot, m.slots),
				"give the profile a lower slot, or move the setting to the cloud or its default profile")
		default:
			by[slot] = g
		}
	}
	return by
}

// tellSlotless says once of a profile that it has no slot, and which one it can take.
func (c *composer) tellSlotless(s *model.Service, g group) {
	if c.slotless[g.profile] {
		return
	}
	hint := fmt.Sprintf("join some of the profiles: all slots up to %d are taken", schema.MaxSlot)
	if free := model.FreeSlots(c.m.Profiles); len(c.slotless) < len(free) { // each is offered one of its own
		hint = fmt.Sprintf("write in the profile: slot = %d", free[len(c.slotless)])
	}
	c.slotless[g.profile] = true
	p := c.m.Profile(g.profile)
	c.fail(codeSlot, p.Range, p.Address, "no slot for these nodes",
		fmt.Sprintf("%s sets conf%s of %s for the nodes that have it, and has no slot, by which charts choose them", p.Address, pathOf(g.first), s.Name), hint)
}

// tellCopies says that a release would have more copies of its DaemonSets than it can keep. One alone has as many slots
// as there are, so it is those of network nodes that are too many.
func (c *composer) tellCopies(s *model.Service, m mechanism) {
	var last *model.Profile
	for i := range c.m.Profiles {
		if p := &c.m.Profiles[i]; c.runs(p.Name, []string{schema.RoleNetwork}) && (last == nil || p.Slot > last.Slot) {
			last = p
		}
	}
	c.fail(codeOverrides, last.Ranges["slot"], last.Address, "too high a slot for nodes with the role network",
		fmt.Sprintf("%s copies the DaemonSets of nodes with the role network for each slot up to their highest one, which is %d: with those for compute nodes that makes more than %d, which is all that Kubernetes keeps of a release", s.Name, last.Slot, m.copies),
		"give the profiles of such nodes the lowest slots, or join some of them")
}

// remainders are the DaemonSets for nodes of no slot, whose names a further slot would change. Helm's driver gives them
// one that stays. Those that have all slots choose nodes without the label, however many there are. Agents of network nodes
// have as many as these need: a node beyond them that values have run such agents, or that waits for its turn, is theirs.
// So are those that are in none of the groups that somebody writes for the chart.
func (c *composer) remainders(service string) []unit.Remainder {
	m, ok := mechanisms()[service]
	if !ok || m.inRoot {
		return nil
	}
	var found []unit.Remainder
	for _, d := range c.daemons(service, m) {
		r := unit.Remainder{Name: strings.ReplaceAll(d.name, "_", "-") + "-default"}
		if hasAllSlots(d) && !covers(c.written[service], "conf.overrides."+d.name) {
			r.Label = unit.SlotLabel
		}
		found = append(found, r)
	}
	return found
}
