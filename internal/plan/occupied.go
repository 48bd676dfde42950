package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// occupied is where instances run.
type occupied struct {
	nodes  map[string]int // by the names of nodes, in lower case
	strays []string       // hosts with instances that are none of the nodes, and how many
}

// occupied finds the nodes that the hosts with instances can be: those of the configuration, those on
// record, and those where pods would end. Instances on bare metal run on no node.
func (p *Plan) occupied(in *Input) occupied {
	known := map[string]bool{}
	for name := range NodesOf(in.Units) {
		known[strings.ToLower(name)] = true
	}
	for i := range in.Entries {
		if at := in.Entries[i].Locator; at.Kind == unit.KindNode {
			known[strings.ToLower(at.Name)] = true
		}
	}
	for i := range p.Changes {
		for _, stop := range p.Changes[i].Stops {
			for _, name := range stop.Nodes {
				known[strings.ToLower(name)] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(known))
	o := occupied{nodes: map[string]int{}}
	for _, host := range slices.Sorted(maps.Keys(in.Hosts.Count)) {
		n := in.Hosts.Count[host]
		if n == 0 {
			continue
		}
		nodes := unit.NodesOfHost(names, host)
		for _, name := range nodes {
			o.nodes[name] += n
		}
		if len(nodes) == 0 && !unit.BareMetalHost(host) {
			o.strays = append(o.strays, fmt.Sprintf("%s (%d)", host, n))
		}
	}
	return o
}

func (o occupied) on(node string) int { return o.nodes[strings.ToLower(node)] }

// stray says what to do about the hosts that are none of the nodes.
func (o occupied) stray(until string) string {
	return "Nova has some on hosts that are no node of the configuration: " + few(o.strays) +
		"; write node blocks for those that Kubernetes has, or move or delete these instances, " + until
}

// mayHave tells whether the node of a change may have a label. Of a node that a block leaves for another
// one nothing was seen.
func mayHave(in *Input, c *Change, label string) bool {
	labels := in.Seen(c.Address).Labels
	return c.Action == unit.ActionReplace || labels == nil || slices.Contains(labels, label)
}

// novaGoes tells whether Nova is being uninstalled, or was together with Keystone, which was allowed as no
// instances were left.
func novaGoes(in *Input) bool {
	i := slices.IndexFunc(in.Entries, func(e inventory.Entry) bool { return e.Class == unit.ClassService && e.Address.Name() == nova })
	if i >= 0 {
		return in.Entries[i].Phase == inventory.Deleting
	}
	if in.Removals.tearDown() {
		return true
	}
	removed := map[string]bool{}
	for a, is := range in.Removed {
		removed[a.Name()] = is
	}
	return removed[nova] && removed[keystone]
}
