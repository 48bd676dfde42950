//go:build beds

package charts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// worker is a node of a cloud.
type worker struct{ name, profile, roles string }

// workers are compute nodes w1, w2 … with these profiles, "" for none.
func workers(profiles ...string) []worker {
	var all []worker
	for i, profile := range profiles {
		all = append(all, worker{fmt.Sprintf("w%d", i+1), profile, `["compute"]`})
	}
	return all
}

// profiled is a cloud with these nodes, whose profiles are content by name.
func profiled(t *testing.T, network string, content map[string]string, nodes []worker) map[string]unit.Unit {
	t.Helper()
	return composed.Everything(t, network, "", blocksOf(content, nodes)+composed.Network)
}

// blocksOf are the profiles and nodes as they are written.
func blocksOf(content map[string]string, nodes []worker) string {
	var added strings.Builder
	for name, text := range content {
		fmt.Fprintf(&added, "profile %q {\n%s}\n", name, text)
	}
	for _, n := range nodes {
		fmt.Fprintf(&added, "node %q {\n  roles = %s\n", n.name, n.roles)
		if n.profile != "" {
			added.WriteString("  profile = profile." + n.profile + "\n")
		}
		added.WriteString("}\n")
	}
	return added.String()
}

// group is a DaemonSet, by what it is named and what it asks of nodes.
type group struct {
	name, of string // of is the daemon: the service and its component
	pod      corev1.PodSpec
}

// deployed are the DaemonSets of the services that have groups of nodes, as they are in the cluster, by service.
type deployed map[string]string

// deploy renders them as the driver applies them where others are, and as the chart has them where it is not asked.
func deploy(t *testing.T, render func(*unit.Release) []string, units map[string]unit.Unit, amend bool, before deployed) deployed {
	t.Helper()
	after := deployed{}
	for _, service := range []string{"nova", "libvirt", "neutron"} { // that of Open vSwitch has no groups
		r := composed.Release(t, units, service)
		var sets []string
		for _, content := range render(r) {
			if strings.Contains(content, "\nkind: DaemonSet\n") || strings.HasPrefix(content, "kind: DaemonSet\n") {
				sets = append(sets, strings.Trim(content, "\n"))
			}
		}
		after[service] = "---\n" + strings.Join(sets, "\n---\n") + "\n"
		if amend {
			var err error
			if after[service], err = helm.Amended(r, after[service], before[service]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return after
}

// groups are the DaemonSets one by one.
func (d deployed) groups(t *testing.T) []group {
	t.Helper()
	var groups []group
	for _, service := range slices.Sorted(maps.Keys(d)) {
		for _, content := range strings.Split("\n"+d[service], "\n---\n")[1:] {
			var set appsv1.DaemonSet
			if err := yaml.UnmarshalStrict([]byte(content), &set); err != nil {
				t.Fatal(err)
			}
			if set.Name == "" || set.Spec.Template.Spec.NodeSelector == nil {
				t.Fatalf("there is a DaemonSet that asks nothing of nodes:\n%.300s", content)
			}
			groups = append(groups, group{set.Name, service + " " + set.Spec.Template.Labels["component"], set.Spec.Template.Spec})
		}
	}
	if len(groups) < 3 {
		t.Fatalf("there are %d DaemonSets", len(groups))
	}
	return groups
}

// takes tells whether a group runs on a node with these labels.
func (g group) takes(t *testing.T, labels map[string]string) bool {
	t.Helper()
	for key, value := range g.pod.NodeSelector {
		if labels[key] != value {
			return false
		}
	}
	if g.pod.Affinity == nil || g.pod.Affinity.NodeAffinity == nil {
		return true
	}
	terms := g.pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return slices.ContainsFunc(terms, func(term corev1.NodeSelectorTerm) bool {
		for _, e := range term.MatchExpressions {
			value, has := labels[e.Key]
			switch {
			case e.Operator == corev1.NodeSelectorOpDoesNotExist:
				if has {
					return false
				}
			case e.Operator != corev1.NodeSelectorOpIn && e.Operator != corev1.NodeSelectorOpNotIn:
				t.Fatalf("%s asks for %v", g.name, e)
			case slices.Contains(e.Values, value) != (e.Operator == corev1.NodeSelectorOpIn):
				return false
			}
		}
		return true
	})
}

// asks is what a group asks of nodes.
func (g group) asks() string {
	text := fmt.Sprint(g.pod.NodeSelector)
	if g.pod.Affinity != nil && g.pod.Affinity.NodeAffinity != nil {
		text += g.pod.Affinity.NodeAffinity.String()
	}
	return text
}

// homes are the groups that each node runs, by node and daemon.
func homes(t *testing.T, groups []group, units map[string]unit.Unit) map[string]group {
	t.Helper()
	found := map[string]group{}
	for _, u := range units {
		n, ok := u.Spec.(*unit.Node)
		if !ok {
			continue
		}
		for _, g := range groups {
			if !g.takes(t, n.Labels) {
				continue
			}
			key := n.Name + " " + g.of
			if other, twice := found[key]; twice {
				t.Errorf("%s runs both %s and %s", n.Name, other.name, g.name)
			}
			found[key] = g
		}
	}
	return found
}

// moves compares two states of a cloud, and returns what becomes of the DaemonSets there were: with another name or
// other nodes than before, whether anything runs in them or not, or on nodes that leave them.
func moves(t *testing.T, was, is []group, before, after map[string]unit.Unit) []string {
	t.Helper()
	var changes []string
	for _, g := range was {
		i := slices.IndexFunc(is, func(other group) bool { return other.name == g.name })
		switch {
		case i < 0:
			changes = append(changes, g.of+" is gone")
		case is[i].asks() != g.asks():
			changes = append(changes, g.of+" asks for other nodes")
		}
	}
	left, found := homes(t, was, before), homes(t, is, after)
	for key, g := range left {
		there := slices.ContainsFunc(is, func(other group) bool { return other.name == g.name })
		if then, runs := found[key]; there && runs && then.name != g.name {
			changes = append(changes, strings.Fields(key)[0]+" leaves "+g.of)
		}
	}
	slices.Sort(changes)
	return slices.Compact(changes)
}

// TestNamesOfDaemonSets changes profiles in all ways, and wants each DaemonSet to stay as it is, but for those of slots that
// are given up.
func TestNamesOfDaemonSets(t *testing.T) {
	testNamesOfDaemonSets(t, func(name string) *chart.Chart { return load(t, name) })
}

// TestOpenStackHelmNamesOfDaemonSets does so with OpenStack-Helm's own charts.
func TestOpenStackHelmNamesOfDaemonSets(t *testing.T) {
	dir := checkoutOfCharts(t)
	testNamesOfDaemonSets(t, func(name string) *chart.Chart { return theirs(t, dir, name) })
}

func testNamesOfDaemonSets(t *testing.T, from func(name string) *chart.Chart) {
	conf := func(service, chart, section, key, value string) string {
		return fmt.Sprintf("  service %q {\n    conf = { %s = { %s = { %s = %s } } }\n  }\n", service, chart, section, key, value)
	}
	nova := func(slot int, ratio string) string {
		return fmt.Sprintf("  slot = %d\n", slot) + conf("nova", "nova", "DEFAULT", "cpu_allocation_ratio", ratio)
	}
	const libvirt = "  service \"libvirt\" {\n    conf = { qemu = { max_files = 1 } }\n  }\n"
	neutron := conf("neutron", "neutron", "DEFAULT", "debug", "true")
	type profiles = map[string]string
	one := profiles{"m": nova(1, "2")}
	all := profiles{}
	for i := 1; i <= 9; i++ {
		all[fmt.Sprintf("p%d", i)] = nova(i, fmt.Sprint(i+1))
	}
	k := kitchen{}
	render := func(r *unit.Release) []string { return k.renderBy(t, from, r) }
	rollOut := func(t *testing.T, before, after map[string]unit.Unit) []string {
		was := deploy(t, render, before, true, nil)
		return moves(t, was.groups(t), deploy(t, render, after, true, was).groups(t), before, after)
	}
	network := append(workers("", "m"), worker{"n1", "", `["network"]`})
	for _, test := range []struct {
		name          string
		before, after profiles
		nodes, then   []worker
		want          []string
	}{
		{"nothing changes", one, one, workers("", "m"), workers("", "m"), nil},
		{"other content", one, profiles{"m": nova(1, "3")}, workers("", "m"), workers("", "m"), nil},
		{"a further node with a profile that is in use", one, one, workers("", "m"), workers("", "m", "m"), nil},
		{"the first profile", nil, one, workers(""), workers("", "m"), nil},
		{"a profile for which no node is there yet", nil, one, workers("", ""), workers("", ""), nil},
		{"a further profile", one, profiles{"m": nova(1, "2"), "a": nova(2, "3")}, workers("", "m"), workers("", "m", "a"), nil},
		{"all profiles that there may be", one, all, workers("", "m"), workers("", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"), nil},
		{"the last node of a profile goes", one, one, workers("", "m"), workers(""), nil},
		{"the profile is renamed", one, profiles{"n": nova(1, "2")}, workers("", "m"), workers("", "n"), nil},
		{
			"a profile between others is taken away",
			profiles{"a": nova(1, "2"), "b": nova(2, "3"), "c": nova(3, "4")},
			profiles{"a": nova(1, "2"), "c": nova(3, "4")},
			workers("", "a", "c"), workers("", "a", "c"), nil,
		},
		{
			"the last profile is taken away, and its slot with it",
			profiles{"m": nova(1, "2"), "z": nova(2, "3")},
			one,
			workers("", "m"), workers("", "m"),
			[]string{"neutron neutron-ovs-agent is gone", "nova compute is gone"},
		},
		{"it says nothing of nova any more", one, profiles{"m": "  slot = 1\n"}, workers("", "m"), workers("", "m"), nil},
		{"it speaks of libvirt as well", one, profiles{"m": nova(1, "2") + libvirt}, workers("", "m"), workers("", "m"), nil},
		{
			"two speak of libvirt",
			profiles{"m": nova(1, "2") + libvirt},
			profiles{"m": nova(1, "2") + libvirt, "a": nova(2, "2") + strings.Replace(libvirt, "1", "2", 1)},
			workers("", "m"), workers("", "m", "a"), nil,
		},
		{"it speaks of neutron as well", one, profiles{"m": nova(1, "2") + neutron}, network, network, nil},
		{
			"a network node gets a profile, and the others stay", one,
			profiles{"m": nova(1, "2"), "net": "  slot = 2\n" + neutron},
			network,
			append(slices.Clone(network[:2]), worker{"n1", "net", `["network"]`}),
			[]string{
				"n1 leaves neutron dhcp-agent", "n1 leaves neutron l3-agent", "n1 leaves neutron metadata-agent", "n1 leaves neutron neutron-ovs-agent",
				"neutron dhcp-agent asks for other nodes", "neutron l3-agent asks for other nodes", "neutron metadata-agent asks for other nodes",
			},
		},
		{
			"a node gets a profile, and the others stay", one, one, workers("", "", "m"), workers("", "m", "m"),
			[]string{"w2 leaves libvirt libvirt", "w2 leaves neutron neutron-ovs-agent", "w2 leaves nova compute"},
		},
		{
			"a node changes profiles, and the others stay",
			profiles{"m": nova(1, "2"), "a": nova(2, "3")},
			profiles{"m": nova(1, "2"), "a": nova(2, "3")},
			workers("", "m", "m", "a"), workers("", "m", "a", "a"),
			[]string{"w3 leaves libvirt libvirt", "w3 leaves neutron neutron-ovs-agent", "w3 leaves nova compute"},
		},
		{
			"a profile takes another slot", one,
			profiles{"m": nova(5, "2")},
			workers("", "m"), workers("", "m"),
			[]string{"w2 leaves libvirt libvirt", "w2 leaves neutron neutron-ovs-agent", "w2 leaves nova compute"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := rollOut(t, profiled(t, "ovs", test.before, test.nodes), profiled(t, "ovs", test.after, test.then))
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	t.Run("with OVN", func(t *testing.T) {
		if got := rollOut(t, profiled(t, "ovn", one, workers("", "m")), profiled(t, "ovn", all, workers("", "p1", "p2"))); got != nil {
			t.Errorf("%q", got)
		}
	})
	t.Run("the order of the groups", func(t *testing.T) {
		before, after := profiled(t, "ovs", one, workers("", "m")), profiled(t, "ovs", all, workers("", "p1"))
		labels := at(composed.Release(t, after, "nova").Values, "conf.overrides.nova_compute.labels").([]any)
		slices.Reverse(labels)
		if got := rollOut(t, before, after); !slices.Equal(got, []string{"nova compute is gone"}) {
			t.Errorf("the lowest slot in front changes nothing: %q", got)
		}
	})
	// Deployed before names were kept, a cloud has what the chart made of the slots there were. It keeps its names, and all
	// else as long as the slots are the same; what the others ask for changes once, when there is another slot.
	t.Run("a cloud of before", func(t *testing.T) {
		first, more := profiled(t, "ovs", one, workers("", "m")), profiled(t, "ovs", profiles{"m": nova(1, "2"), "a": nova(2, "3")}, workers("", "m", "a"))
		most := profiled(t, "ovs", all, workers("", "p1", "p2"))
		old := deploy(t, render, first, false, nil)
		same := deploy(t, render, first, true, old)
		if !maps.Equal(same, old) {
			t.Errorf("with the same slots there is another DaemonSet: %q", moves(t, old.groups(t), same.groups(t), first, first))
		}
		second := deploy(t, render, more, true, same)
		if got := moves(t, same.groups(t), second.groups(t), first, more); !slices.Equal(got, []string{"neutron neutron-ovs-agent asks for other nodes", "nova compute asks for other nodes"}) {
			t.Errorf("a second slot: %q", got)
		}
		if got := moves(t, second.groups(t), deploy(t, render, most, true, second).groups(t), more, most); got != nil {
			t.Errorf("all slots: %q", got)
		}
	})
}

// TestOpenStackHelmSettingsOfSRIOV gives a node settings of its own for an agent that is there beside those of the cloud's
// network backend: the chart makes DaemonSets of it as of these.
func TestOpenStackHelmSettingsOfSRIOV(t *testing.T) {
	dir := checkoutOfCharts(t)
	const added = `profile "wide" {
  service "neutron" { values = { network = { backend = ["openvswitch", "sriov"] } } }
}
profile "cards" {
  slot = 1
  service "neutron" { conf = { plugins = { sriov_agent = { sriov_nic = { physical_device_mappings = "datacentre:ens7f0" } } } } }
}
node "w1" {
  roles   = ["compute"]
  profile = profile.cards
}
`
	units := composed.Everything(t, "ovs", "", added+composed.Network, "profile = profile.wide")
	k := kitchen{}
	render := func(r *unit.Release) []string {
		return k.renderBy(t, func(name string) *chart.Chart { return theirs(t, dir, name) }, r)
	}
	var agents []string
	for _, g := range deploy(t, render, units, true, nil).groups(t) {
		if g.of == "neutron neutron-sriov-agent" {
			agents = append(agents, g.asks())
		}
	}
	slices.Sort(agents)
	if len(agents) != 3 || len(slices.Compact(agents)) != 3 {
		t.Errorf("the agents are for these nodes: %q", agents)
	}
	mapped := func(content string) bool {
		return strings.Contains(content, "kind: Secret") && strings.Contains(content, "datacentre:ens7f0")
	}
	if !slices.ContainsFunc(render(composed.Release(t, units, "neutron")), mapped) {
		t.Error("what is set is in no configuration")
	}
}
