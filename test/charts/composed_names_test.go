//go:build beds

package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// profiled is a cloud whose nodes w1, w2 … have these profiles, "" for none, with what each of them
// sets for the services.
func profiled(t *testing.T, content map[string]string, nodes ...string) map[string]unit.Unit {
	t.Helper()
	var added strings.Builder
	for name, services := range content {
		fmt.Fprintf(&added, "profile %q {\n%s}\n", name, services)
	}
	for i, profile := range nodes {
		fmt.Fprintf(&added, "node \"w%d\" {\n  roles = [\"compute\"]\n", i+1)
		if profile != "" {
			added.WriteString("  profile = profile." + profile + "\n")
		}
		added.WriteString("}\n")
	}
	return composed.Everything(t, "ovs", "", added.String())
}

// daemonSets renders the services whose DaemonSets have groups of nodes, and returns the names of their DaemonSets.
func daemonSets(t *testing.T, k kitchen, units map[string]unit.Unit) []string {
	t.Helper()
	var names []string
	for _, service := range []string{"nova", "libvirt", "neutron"} { // that of Open vSwitch has no groups
		for _, content := range k.render(t, composed.Release(t, units, service)) {
			var object struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if err := yaml.Unmarshal([]byte(content), &object); err == nil && object.Kind == "DaemonSet" {
				names = append(names, service+" "+object.Metadata.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestNamesOfDaemonSets tells which changes of profiles rename DaemonSets, and so end their pods: those
// that the plan holds back while instances run.
func TestNamesOfDaemonSets(t *testing.T) {
	conf := func(service, chart, section, key, value string) string {
		return fmt.Sprintf("  service %q {\n    conf = { %s = { %s = { %s = %s } } }\n  }\n", service, chart, section, key, value)
	}
	nova := func(ratio string) string { return conf("nova", "nova", "DEFAULT", "cpu_allocation_ratio", ratio) }
	libvirt := "  service \"libvirt\" {\n    conf = { qemu = { max_files = 1 } }\n  }\n"
	neutron := conf("neutron", "neutron", "DEFAULT", "debug", "true")
	one := map[string]string{"m": nova("2")}
	k := kitchen{}
	named := func(t *testing.T, content map[string]string, nodes []string) []string {
		t.Helper()
		return daemonSets(t, k, profiled(t, content, nodes...))
	}
	for _, test := range []struct {
		name          string
		before, after map[string]string
		nodes, then   []string
		gone          string // the DaemonSets of before that are no more, by their services
	}{
		{"nothing changes", one, one, []string{"", "m"}, []string{"", "m"}, ""},
		{"other content", one, map[string]string{"m": nova("3")}, []string{"", "m"}, []string{"", "m"}, ""},
		{"a further node with a profile that is in use", one, one, []string{"", "m"}, []string{"", "m", "m"}, ""},
		{"a profile that says what the cloud says", one, map[string]string{"m": nova("2"), "z": ""}, []string{"", "m"}, []string{"", "m", "z"}, ""},
		{"the first profile", one, one, []string{""}, []string{"", "m"}, "nova"},
		{"a further profile behind", one, map[string]string{"m": nova("2"), "z": nova("3")}, []string{"", "m"}, []string{"", "m", "z"}, "nova nova"},
		{"a further profile in front", one, map[string]string{"a": nova("3"), "m": nova("2")}, []string{"", "m"}, []string{"", "m", "a"}, "nova"},
		{"the last node of a profile goes", one, one, []string{"", "m"}, []string{""}, "nova nova"},
		{"the profile is renamed", one, map[string]string{"n": nova("2")}, []string{"", "m"}, []string{"", "n"}, "nova nova"},
		{"it says nothing of nova any more", one, map[string]string{"m": ""}, []string{"", "m"}, []string{"", "m"}, "nova nova"},
		{"it speaks of libvirt as well", one, map[string]string{"m": nova("2") + libvirt}, []string{"", "m"}, []string{"", "m"}, ""}, // the default leaves its nodes
		{
			"two speak of libvirt",
			map[string]string{"m": libvirt},
			map[string]string{"m": libvirt, "a": strings.Replace(libvirt, "1", "2", 1)},
			[]string{"", "m"},
			[]string{"", "m", "a"},
			"libvirt",
		},
		{
			"it speaks of neutron as well", one,
			map[string]string{"m": nova("2") + neutron},
			[]string{"", "m"},
			[]string{"", "m"},
			"neutron", // the agents of network nodes keep their names
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := named(t, test.before, test.nodes), named(t, test.after, test.then)
			var gone []string
			for _, name := range before {
				if !slices.Contains(after, name) {
					gone = append(gone, strings.Fields(name)[0])
				}
			}
			if got := strings.Join(gone, " "); got != test.gone {
				t.Errorf("renamed are those of %q, want %q; before %v, after %v", got, test.gone, before, after)
			}
		})
	}
}
