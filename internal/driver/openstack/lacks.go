package openstack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// mostDown is how many agents that are missed are named.
const mostDown = 3

// computeLacks says what Nova misses: that anybody takes its work, and what runs instances on hosts. Instances on bare
// metal have a nova-compute of their own, which runs none on hosts.
func computeLacks(agents []Agent, hosts []string) string {
	if lacks := noneUp(agents, "nova-conductor", "nova-scheduler"); lacks != "" || len(hosts) == 0 {
		return lacks
	}
	onHosts := slices.DeleteFunc(slices.Clone(agents), func(a Agent) bool {
		return unit.BareMetalHost(a.Host) && len(unit.NodesOfHost(hosts, a.Host)) == 0
	})
	if lacks := noneUp(onHosts, "nova-compute"); lacks != "" {
		return lacks
	}
	return downOn(agents, hosts)
}

// volumesLack says what Cinder misses, which has a service for each backend. Which hosts it keeps volumes on is no matter
// of nodes. A part that was taken out of use is not missed.
func volumesLack(agents []Agent, parts []string) string {
	if lacks := noneUp(agents, "cinder-scheduler", "cinder-volume"); lacks != "" {
		return lacks
	}
	var down []string
	for _, part := range parts {
		program, backend, _ := strings.Cut(part, "@")
		if slices.ContainsFunc(agents, func(a Agent) bool {
			_, of, _ := strings.Cut(a.Host, "@")
			return a.Binary == program && of == backend && (a.Up || !a.Enabled)
		}) {
			continue
		}
		if backend != "" {
			program += " of the backend " + backend
		}
		down = append(down, program)
	}
	if len(down) == 0 {
		return ""
	}
	return "no " + strings.Join(down, " and no ") + " is up"
}

// networkLacks says what Neutron misses.
func networkLacks(agents []Agent, hosts []string) string {
	if len(agents) == 0 && len(hosts) > 0 {
		return "no agent has reported yet"
	}
	return downOn(agents, hosts)
}

// noneUp names a program that runs nowhere. There may be any number that are down: what a pod was called that is
// no more stays in the list.
func noneUp(agents []Agent, programs ...string) string {
	for _, program := range programs {
		if !slices.ContainsFunc(agents, func(a Agent) bool { return a.Binary == program && a.Up }) {
			return "no " + program + " is up"
		}
	}
	return ""
}

// downOn names the agents on hosts that are down and should not be. Who was taken out of use is not missed, and
// neither is who is on a host that is none any more. For who was never there see [neverCame].
func downOn(agents []Agent, hosts []string) string {
	var down []string
	for _, a := range agents {
		if nodes := unit.NodesOfHost(hosts, a.Host); len(nodes) > 0 && a.Enabled && !a.Up {
			down = append(down, a.Binary+" on "+strings.Join(nodes, " or "))
		}
	}
	return missing(down, "is down", "are down")
}

// missing names a few of what is missed, with the words for one and for many; "" for none.
func missing(missed []string, one, many string) string {
	slices.Sort(missed)
	missed = slices.Compact(missed)
	switch n := len(missed); {
	case n == 0:
		return ""
	case n == 1:
		return missed[0] + " " + one
	case n > mostDown:
		return fmt.Sprintf("%s and %d more %s", strings.Join(missed[:mostDown], ", "), n-mostDown, many)
	default:
		return strings.Join(missed[:n-1], ", ") + " and " + missed[n-1] + " " + many
	}
}
