//go:build beds

package charts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const dataCentre = `
  physical_network "public" {
    bridge  = "br-public"
    devices = [
      { node_labels = { rack = "a" }, device = "eno1" },
      { node_labels = { rack = "b" }, device = "eth0.7" },
    ]
  }
  physical_network "tenant" {
    bridge = "br-tenant"
    device = "lo"
  }
`

// TestOpenStackHelmBridges has the charts of OpenStack-Helm make the bridges of physical networks and put nothing into
// them, where the DaemonSets that do have the same nodes, and the image of an agent that does such things.
func TestOpenStackHelmBridges(t *testing.T) {
	dir := checkoutOfCharts(t)
	for network, c := range map[string]struct{ chart, script, daemon string }{
		"ovs": {"neutron", "neutron-openvswitch-agent-init.sh", "neutron-ovs-agent"},
		"ovn": {"ovn", "ovn-controller-init.sh", "ovn-controller"},
	} {
		t.Run(network, func(t *testing.T) {
			m, ev := composed.Text(t, composed.Source(network, "", dataCentre)+"node \"n\" {\n  roles  = [\"compute\", \"network\"]\n  labels = { rack = \"a\" }\n}\n")
			units := composed.Compose(t, m, ev, compose.Facts{})
			image := ""
			for _, r := range releases(units) {
				if r.Name != c.chart {
					continue
				}
				objects := renderedBy(t, theirs(t, dir, r.Name), r)
				made := madeBy(t, objects, c.script)
				want := []string{"add-br br-public", "add-br br-tenant"}
				if network == "ovs" {
					want = append([]string{"add-br br-ex"}, want...) // which the chart cannot be told to leave away
				}
				if !slices.Equal(made, want) {
					t.Errorf("%s does %q, want %q", c.script, made, want)
				}
				selector, of := podsOf(t, objects, c.daemon)
				if len(selector) != 1 || selector["openvswitch"] != "enabled" {
					t.Errorf("%s is on nodes with %v", c.daemon, selector)
				}
				image = of
			}
			count := 0
			for _, name := range []string{"public", "tenant"} {
				u, ok := units[`system.physical-network["`+name+`"]`]
				if !ok {
					t.Fatalf("nothing connects %s", name)
				}
				for _, item := range u.Spec.(*unit.Objects).Items {
					text, err := json.Marshal(item)
					if err != nil {
						t.Fatal(err)
					}
					o := decode(t, name, string(text)) // which takes only what Kubernetes has
					pod, selector := o.pods()
					if !matches(t, selector, pod) {
						t.Errorf("%s does not select its pods", o)
					}
					if all := terms(t, o); !slices.Contains(all, "openvswitch In enabled") {
						t.Errorf("%s is on nodes with %v", o, all)
					}
					if got := pod.Spec.Containers[0].Image; network == "ovs" && got != image {
						t.Errorf("%s has the image %s, and the agent %s", o, got, image)
					}
					count++
				}
			}
			if count != 3 {
				t.Errorf("there are %d DaemonSets", count)
			}
		})
	}
}

// madeBy is what a script of a chart tells Open vSwitch about bridges and devices that all nodes have.
func madeBy(t *testing.T, objects []string, script string) []string {
	t.Helper()
	var text, bridges string
	for _, object := range objects {
		var o struct {
			Data map[string]string
		}
		if strings.Contains(object, "\nkind: ConfigMap\n") {
			if err := yaml.Unmarshal([]byte(object), &o); err == nil && o.Data[script] != "" {
				text = o.Data[script]
			}
		}
		if found := regexp.MustCompile(`(?m)^auto_bridge_add: (\{"br-.*\})$`).FindStringSubmatch(object); found != nil { // of a Secret
			bridges = found[1]
		}
	}
	loop := regexp.MustCompile("(?ms)^for bmap in .*?^done$").FindString(text)
	if loop == "" || bridges == "" {
		t.Fatalf("there is no loop over bridges in %s, or there are none: %q", script, bridges)
	}
	file := filepath.Join(t.TempDir(), "bridges")
	if err := os.WriteFile(file, []byte(bridges), 0o600); err != nil {
		t.Fatal(err)
	}
	const stubs = "ovs-vsctl() { echo \"$@\"; }\nmigrate_ip_from_nic() { echo moved \"$@\"; }\nip() { return 0; }\nDPDK_ENABLED=false\nOVS_SOCKET=db.sock\n"
	output, err := exec.CommandContext(t.Context(), "bash", "-euc", stubs+strings.ReplaceAll(loop, "/tmp/auto_bridge_add", file)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	var made []string
	for line := range strings.Lines(string(output)) {
		if words := regexp.MustCompile(`(add-br|add-port|moved).*`).FindString(line); words != "" {
			words, _, _ = strings.Cut(words, " -- ")
			made = append(made, strings.TrimSpace(words))
		}
	}
	return made
}

// podsOf are the nodes of a DaemonSet and the image of its last init container.
func podsOf(t *testing.T, objects []string, name string) (nodes map[string]string, image string) {
	t.Helper()
	for _, object := range objects {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct{ Template corev1.PodTemplateSpec }
		}
		if !strings.Contains(object, "\nkind: DaemonSet\n") {
			continue
		}
		if err := yaml.Unmarshal([]byte(object), &o); err != nil {
			t.Fatal(err)
		}
		// What is configured by node has the name of its group behind its own.
		if inits := o.Spec.Template.Spec.InitContainers; strings.HasPrefix(o.Metadata.Name, name) && len(inits) > 0 {
			return o.Spec.Template.Spec.NodeSelector, inits[len(inits)-1].Image
		}
	}
	t.Fatalf("there is no DaemonSet %s", name)
	return nil, ""
}
