//go:build beds

package charts_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmNodesOfDaemonSets: with the names kept, each node runs the daemons that it runs by what the charts ask of
// nodes: those with a slot, without one, with one that was given up, and where values choose the nodes.
func TestOpenStackHelmNodesOfDaemonSets(t *testing.T) {
	dir := checkoutOfCharts(t)
	k := kitchen{}
	render := func(r *unit.Release) []string {
		return k.renderBy(t, func(name string) *chart.Chart { return theirs(t, dir, name) }, r)
	}
	slot := func(n int) string { return fmt.Sprintf("  slot = %d\n", n) }
	const elsewhere = "  service \"neutron\" {\n    values = { labels = { agent = {\n" +
		"      l3 = { node_selector_key = \"openstack-control-plane\" }\n      dhcp = { node_selector_key = \"openstack-control-plane\" }\n" +
		"      metadata = { node_selector_key = \"openstack-control-plane\" }\n    } } }\n  }\n"
	network := append(workers("", "a"), worker{"n1", "a", `["network"]`}, worker{"n2", "", `["network"]`})
	for name, test := range map[string]struct {
		network       string
		before, after map[string]string
		nodes         []worker
		base          string
	}{
		"ovs":            {"ovs", map[string]string{"a": slot(1)}, map[string]string{"a": slot(1), "b": slot(2)}, network, ""},
		"ovn":            {"ovn", map[string]string{"a": slot(1)}, map[string]string{"a": slot(1), "b": slot(2)}, network, ""},
		"given up":       {"ovs", map[string]string{"a": slot(2), "b": slot(1)}, map[string]string{"a": slot(1)}, network, ""},
		"chosen by ours": {"ovs", map[string]string{}, map[string]string{"a": slot(1)}, workers("", "a"), elsewhere},
	} {
		t.Run(name, func(t *testing.T) {
			cloud := func(profiles map[string]string, nodes []worker) map[string]unit.Unit {
				profiles = maps.Clone(profiles)
				if test.base != "" {
					profiles["all"] = test.base
					return profiledBy(t, test.network, "profile = profile.all", profiles, nodes)
				}
				return profiled(t, test.network, profiles, nodes)
			}
			former := test.nodes
			if len(test.before) == 0 {
				former = workers("")
			}
			was := deploy(t, render, cloud(test.before, former), true, nil)
			units := cloud(test.after, test.nodes)
			charts, ours := deploy(t, render, units, false, nil).groups(t), deploy(t, render, units, true, was).groups(t)
			fresh := deploy(t, render, units, true, nil).groups(t)
			for _, role := range []string{unit.ComputeLabel, unit.NetworkLabel, unit.ControlPlaneLabel} {
				for n := -1; n <= 3; n++ {
					labels := map[string]string{role: unit.LabelEnabled, "openvswitch": unit.LabelEnabled}
					if n >= 0 {
						labels[unit.SlotLabel] = strconv.Itoa(n)
					}
					want := taken(t, charts, labels, n > len(test.after))
					for _, groups := range [][]group{ours, fresh} {
						if got := taken(t, groups, labels, n > len(test.after)); !slices.Equal(got, want) {
							t.Errorf("with %v there run %q, want %q", labels, got, want)
						}
					}
				}
			}
		})
	}
}

// taken are the daemons that run on a node with these labels. Those under instances leave a slot that is given up before
// their release takes it away, and need no DaemonSet there after that.
func taken(t *testing.T, groups []group, labels map[string]string, givenUp bool) []string {
	t.Helper()
	alone := []string{"neutron dhcp-agent", "neutron l3-agent", "neutron metadata-agent"}
	var found []string
	for _, g := range groups {
		if g.takes(t, labels) && (!givenUp || slices.Contains(alone, g.of)) {
			found = append(found, g.of)
		}
	}
	slices.Sort(found)
	return found
}

// profiledBy is profiled with something written in the cloud's block.
func profiledBy(t *testing.T, network, written string, content map[string]string, nodes []worker) map[string]unit.Unit {
	t.Helper()
	return composed.Everything(t, network, "", blocksOf(content, nodes)+composed.Network, written)
}

// TestOpenStackHelmNamesBesideHosts: with hosts that somebody writes for the chart a further slot renames nothing either.
func TestOpenStackHelmNamesBesideHosts(t *testing.T) {
	dir := checkoutOfCharts(t)
	k := kitchen{}
	render := func(r *unit.Release) []string {
		return k.renderBy(t, func(name string) *chart.Chart { return theirs(t, dir, name) }, r)
	}
	const all = "  service \"nova\" {\n    conf = { overrides = { nova_compute = { hosts = [{ name = \"h1\", conf = {} }] } } }\n  }\n"
	cloud := func(profiles map[string]string) map[string]unit.Unit {
		return profiledBy(t, "ovs", "profile = profile.all", profiles, workers("", "a"))
	}
	first, second := cloud(map[string]string{"all": all, "a": "  slot = 1\n"}), cloud(map[string]string{"all": all, "a": "  slot = 1\n", "b": "  slot = 2\n"})
	was := deploy(t, render, first, true, nil)
	got := moves(t, was.groups(t), deploy(t, render, second, true, was).groups(t), first, second)
	if !slices.Equal(got, []string{"nova compute asks for other nodes"}) {
		t.Errorf("%q", got)
	}
}
