package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// neverCame names the programs that pods run on nodes of the configuration and that have not reported from there once. Where
// pods work is only asked for when something seems to be missing: a node that Kubernetes does not have, or that the pods
// are kept from, has none.
func neverCame(ctx context.Context, api unit.API, agents []Agent) (string, error) {
	if api.Running == nil {
		return "", nil
	}
	var missed []string
	for _, p := range api.Programs {
		if seen, _ := standing(agents, p.Name, p.Hosts); len(seen) == len(p.Hosts) {
			continue
		}
		nodes, err := api.Running(ctx, p)
		if err != nil {
			return "", fmt.Errorf("on which nodes pods of %s work is not known: %w", p.DaemonSet, err)
		}
		all := slices.Concat(p.Hosts, nodes)
		slices.Sort(all)
		seen, strangers := standing(agents, p.Name, slices.Compact(all))
		var absent []string
		for _, host := range p.Hosts {
			if !seen[host] && slices.Contains(nodes, host) {
				absent = append(absent, p.Name+" on "+host)
			}
		}
		// A host may call itself as it likes. Where none goes by its node's name, each that is up by another can be one of
		// them; else those are machines of somebody else.
		if len(seen) > 0 || len(absent) > strangers {
			missed = append(missed, absent...)
		}
	}
	return missing(missed, "has never reported", "have never reported"), nil
}

// standing tells on which nodes a program has ever reported from, and from how many hosts it reports that are none of
// them. Who starts instances on bare metal runs on no node's behalf.
func standing(agents []Agent, program string, nodes []string) (seen map[string]bool, strangers int) {
	seen = map[string]bool{}
	for _, a := range agents {
		if a.Binary != program {
			continue
		}
		on := unit.NodesOfHost(nodes, a.Host)
		for _, node := range on {
			seen[node] = true
		}
		if len(on) == 0 && a.Up && !unit.BareMetalHost(a.Host) {
			strangers++
		}
	}
	return seen, strangers
}
