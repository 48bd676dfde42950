package daemon

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// profilePlaces are the profiles of the configuration of whose nodes it is known how they stand: a profile is ready
// once all nodes are that have it. Those are the nodes of a profile and of each that builds on it, and all of the cluster's
// with a block for the default one.
func profilePlaces(m *model.Model, standings map[string]standing) []place {
	layers := map[string][]string{}
	for i := range m.Profiles {
		layers[m.Profiles[i].Name] = m.Profiles[i].Layers
	}
	nodes := map[string][]string{}
	unknown := map[string]bool{} // profiles with a node of which nothing is known
	for i := range m.Nodes {
		n := &m.Nodes[i]
		if n.Disabled {
			continue
		}
		has := slices.Concat(layers[m.Cloud.Profile], layers[n.Profile])
		slices.Sort(has)
		for _, profile := range slices.Compact(has) {
			nodes[profile] = append(nodes[profile], n.Name)
			unknown[profile] = unknown[profile] || standings[n.Name].status == ""
		}
	}
	var places []place
	for i := range m.Profiles {
		name := m.Profiles[i].Name
		if unknown[name] {
			continue
		}
		c := ofNodes(conditionReady, nodes[name], standings)
		says := unit.Shown{Message: "no node has it"}
		if all := len(nodes[name]); all > 0 {
			ready := 0
			for _, node := range nodes[name] {
				if standings[node].ready() == isTrue {
					ready++
				}
			}
			says.Message = fmt.Sprintf("%d of %d nodes are ready", ready, all)
		}
		says.Conditions = []unit.ShownCondition{c}
		places = append(places, place{unit.ShownRef(unit.KindShownProfile, name), says})
	}
	return places
}
