package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	hostsAttribute    = "hosts"
	selectorAttribute = "node_selector"
	binaryCompute     = "nova-compute"
	// computePause is how long a node that has just been labelled is given until Nova is asked for its host again.
	computePause = 15 * time.Second
)

// selectedHosts are the hosts of an aggregate whose hosts are wanted by the names of nodes: what Nova calls each.
type selectedHosts map[string]string

// name returns what Nova calls a host that is wanted by this name.
func (h selectedHosts) name(wanted string) string { return first(h[wanted], wanted) }

// complete tells hosts by the names of nodes where those are what the hosts are chosen by, or were when they went on
// record. For that one list of Nova's services says which hosts there are. Nodes that have none are waited for.
func (k hostAggregateKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var computes []string
	var err error
	if slices.ContainsFunc(objects, func(f found) bool { return selects(f.want) }) {
		computes, err = s.computes(ctx)
	}
	for _, f := range objects {
		switch {
		case selects(f.want) && err != nil:
			// Nothing differs in what is not seen, and nothing is taken out.
			f.object.values.drop(hostsAttribute)
			f.object.unseen, f.object.obscured = append(f.object.unseen, "nova"), brief(err.Error(), longestReason)
			failures[f.address] = err
		case selects(f.want):
			k.recognise(f, computes)
		case len(f.set[hostsAttribute]) > 0:
			k.recognise(f, nil)
		}
	}
	return failures
}

// selects tells whether nodes are what the hosts of an aggregate are chosen by.
func selects(want cty.Value) bool { return attribute(want, selectorAttribute) != cty.NilVal }

// computes returns the hosts that instances can run on, whether or not they are up.
func (s *session) computes(ctx context.Context) ([]string, error) {
	agents, err := s.agents(ctx, call{service: serviceCompute, path: "os-services", microversion: agentsVersion}, "services", computeAgent)
	if err != nil {
		return nil, fmt.Errorf("it is not known which hosts there are: %w", err)
	}
	var hosts []string
	for _, a := range agents {
		if a.Binary == binaryCompute {
			hosts = append(hosts, a.Host)
		}
	}
	return hosts, nil
}

// recognise gives the hosts in the aggregate the names that they are wanted by, or were.
func (k hostAggregateKind) recognise(f found, computes []string) {
	o := f.object
	there := textsAt(o.raw, hostsAttribute)
	wanted := listOf(attribute(f.want, hostsAttribute))
	hosts := selectedHosts{}
	if selects(f.want) {
		maps.Copy(hosts, hostsOfNodes(wanted, append(slices.Clone(computes), there...)))
	} else {
		for _, host := range wanted {
			hosts[host] = host
		}
	}
	taken := slices.Collect(maps.Values(hosts))
	rest := slices.DeleteFunc(slices.Clone(there), func(host string) bool { return slices.Contains(taken, host) })
	former := slices.DeleteFunc(slices.Clone(f.set[hostsAttribute]), func(name string) bool { return slices.Contains(wanted, name) })
	maps.Copy(hosts, hostsOfNodes(former, rest))
	names := map[string]string{}
	for name, host := range hosts {
		names[host] = name
	}
	for i, host := range there {
		there[i] = first(names[host], host)
	}
	o.values.set(hostsAttribute, texts(there, cty.Set(cty.String)))
	o.detail = hosts
	if missing := slices.DeleteFunc(wanted, func(name string) bool { return hosts[name] != "" }); len(missing) > 0 {
		slices.Sort(missing)
		o.health, o.after = unit.HealthProgressing, computePause
		o.message = brief("it waits for Nova to know a host on "+strings.Join(missing, ", "), longestReason)
	}
}

// hostsOfNodes returns the host of each node, as far as there is just one that it can be.
func hostsOfNodes(nodes, hosts []string) map[string]string {
	can := map[string][]string{}
	for _, host := range hosts {
		if on := unit.NodesOfHost(nodes, host); len(on) == 1 && !slices.Contains(can[on[0]], host) {
			can[on[0]] = append(can[on[0]], host)
		}
	}
	of := map[string]string{}
	for node, found := range can {
		own := slices.IndexFunc(found, func(host string) bool { return strings.EqualFold(host, node) })
		switch {
		case own >= 0:
			of[node] = found[own]
		case len(found) == 1:
			of[node] = found[0]
		}
	}
	return of
}

// compare leaves out nodes that Nova has no host of yet.
func (k hostAggregateKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	hosts, ok := o.detail.(selectedHosts)
	if name != hostsAttribute || !ok || want.IsNull() {
		return false, false
	}
	there := listOf(o.values.get(hostsAttribute))
	return !slices.ContainsFunc(listOf(want), func(name string) bool { return hosts[name] != "" && !slices.Contains(there, name) }), true
}

// dropHosts takes hosts out of the aggregate. One that Nova refuses holds back no other.
func (k hostAggregateKind) dropHosts(ctx context.Context, s *session, o *object, w wanted) error {
	hosts, _ := o.detail.(selectedHosts)
	var failures []error
	for _, name := range w.drop[hostsAttribute] {
		if err := k.move(ctx, s, o, leaving, hosts.name(name)); !notFound(err) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// addHosts puts hosts into the aggregate.
func (k hostAggregateKind) addHosts(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	hosts, known := o.detail.(selectedHosts)
	if selects(w.value) {
		if !slices.Contains(attributes, hostsAttribute) {
			return nil
		}
		if !known { // it has just been made
			made := *o // others may read it: see object
			made.values = slices.Clone(o.values)
			f := found{object: &made, want: w.value, address: w.address}
			if err := k.complete(ctx, s, []found{f})[w.address]; err != nil {
				return err
			}
			hosts, _ = made.detail.(selectedHosts)
			o = &made
		}
	}
	var failures []error // one that Nova refuses, as it is in another zone, holds back no other
	there := listOf(o.values.get(hostsAttribute))
	for _, name := range w.list(hostsAttribute) {
		if slices.Contains(there, name) || selects(w.value) && hosts[name] == "" { // that is waited for
			continue
		}
		failures = append(failures, k.move(ctx, s, o, "add_host", hosts.name(name)))
	}
	return errors.Join(failures...)
}

// move has a host join or leave the aggregate.
func (k hostAggregateKind) move(ctx context.Context, s *session, o *object, action, host string) error {
	if err := k.act(ctx, s, o.id, action, map[string]any{"host": host}); err != nil {
		return fmt.Errorf("%s %s: %w", action, host, err)
	}
	return nil
}

// leaving is the action that takes a host out of an aggregate.
const leaving = "remove_host"

// holds tells of hosts that others have added.
func (k hostAggregateKind) holds(o *object, set map[string][]string) string {
	there := listOf(o.values.get(hostsAttribute))
	ours := slices.AppendSeq(slices.Clone(set[hostsAttribute]), maps.Values(hostsOfNodes(set[hostsAttribute], there)))
	others := slices.DeleteFunc(there, func(host string) bool { return slices.Contains(ours, host) })
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	return fmt.Sprintf("the aggregate has hosts that others have added: %s; take them out first", strings.Join(others, ", "))
}
