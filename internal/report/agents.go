package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Agent is a process of a service of OpenStack on a host, as the service tells. When it was heard of
// last is not among this: that would be news, and a commit, at every look.
type Agent struct {
	Host        string
	Type        string // what Neutron calls it, "" for Nova's
	Binary      string
	Up, Enabled bool
}

// Agents are all that a service has, on all hosts. While they are not known nothing is said of them.
type Agents struct {
	Known bool
	List  []Agent
}

// AgentServices returns the names of the services whose agents are shown, in the order of the pages.
func AgentServices() []string { return []string{"nova", "neutron"} }

// maxAgents is how many agents of a service a node shows.
const maxAgents = 20

type agentDoc struct {
	Type    string `json:"type,omitempty"`
	Binary  string `json:"binary"`
	Up      bool   `json:"up"`
	Enabled bool   `json:"enabled"`
}

// agentsDoc are the agents on a node by their service. A service whose agents are not known is missing.
type agentsDoc map[string][]agentDoc

// nodeMemory is what the last report says of a node.
type nodeMemory struct {
	Address string    `json:"address"`
	Agents  agentsDoc `json:"agents"`
}

// agentsOf returns the agents on the nodes of the model, by the text of the nodes' addresses. What the
// last report says counts where nobody has asked yet since this process began.
func agentsOf(in *Input) map[string]agentsDoc {
	all := map[string]agentsDoc{}
	if in.Model == nil {
		return all
	}
	nodes, before := hosts(in), in.last.agents()
	for _, service := range AgentServices() {
		now, asked := in.Agents[service]
		if asked && !now.Known {
			continue
		}
		for i := range in.Model.Nodes {
			address := addressText(in.Model.Nodes[i].Address)
			list := []agentDoc{}
			if !asked {
				was, known := before[address][service]
				if !known {
					continue
				}
				list = append(list, was...)
			}
			if all[address] == nil {
				all[address] = agentsDoc{}
			}
			all[address][service] = list
		}
		for _, a := range now.List {
			doc := cleanAgent(agentDoc{Type: a.Type, Binary: a.Binary, Up: a.Up, Enabled: a.Enabled})
			for _, node := range nodes.find(a.Host) {
				all[node][service] = append(all[node][service], doc)
			}
		}
	}
	for _, services := range all {
		for service, list := range services {
			slices.SortFunc(list, func(a, b agentDoc) int {
				return cmp.Or(cmp.Compare(a.Binary, b.Binary), cmp.Compare(a.Type, b.Type), compareBool(a.Up, b.Up), compareBool(a.Enabled, b.Enabled))
			})
			services[service] = list[:min(len(list), maxAgents)]
		}
	}
	return all
}

func cleanAgent(a agentDoc) agentDoc {
	a.Type, a.Binary = line(a.Type, nameText), line(a.Binary, nameText)
	return a
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// agents returns what the last report says, by the text of the nodes' addresses.
func (l *lastReport) agents() map[string]agentsDoc {
	all := map[string]agentsDoc{}
	if l == nil {
		return all
	}
	for _, n := range l.Nodes {
		services := maps.Clone(n.Agents)
		for service, list := range services {
			clean := []agentDoc{}
			for _, a := range list[:min(len(list), maxAgents)] {
				clean = append(clean, cleanAgent(a))
			}
			services[service] = clean
		}
		all[n.Address] = services
	}
	return all
}

// hostNames find nodes by what OpenStack calls their hosts.
type hostNames struct {
	nodes   []string
	address map[string]string   // by the node's name
	found   map[string][]string // what was asked before: a host has many agents
}

func hosts(in *Input) hostNames {
	h := hostNames{address: map[string]string{}, found: map[string][]string{}}
	for i := range in.Model.Nodes {
		n := &in.Model.Nodes[i]
		h.nodes = append(h.nodes, n.Name)
		h.address[n.Name] = addressText(n.Address)
	}
	return h
}

// find returns the texts of the addresses of the nodes that a host can be, as the plan counts them: what
// keeps a node from being changed is seen on its page.
func (h hostNames) find(host string) []string {
	found, asked := h.found[host]
	if !asked {
		for _, node := range unit.NodesOfHost(h.nodes, host) {
			found = append(found, h.address[node])
		}
		h.found[host] = found
	}
	return found
}

// agents adds a table of the agents on a node.
func (p *page) agents(services agentsDoc) {
	var rows [][]string
	for _, service := range AgentServices() {
		for _, a := range services[service] {
			state, status := "down", "disabled"
			if a.Up {
				state = "up"
			}
			if a.Enabled {
				status = "enabled"
			}
			rows = append(rows, []string{service, name(a.Binary), cell(a.Type), state, status})
		}
	}
	if len(rows) > 0 {
		p.line("## Agents")
	}
	p.table(maxRows, rows, "Service", "Agent", "Type", "State", "Status")
}
