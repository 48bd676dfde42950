package compose_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const devicesByRack = `
  physical_network "Public" {
    bridge  = "br-public"
    devices = [
      { node_labels = { rack = "a" }, device = "eno1" },
      { node_labels = { rack = "b" }, device = "ens3f0" },
      { node_labels = { rack = "c", row = "1" }, device = "eno1" },
      { node_labels = { "openstack-network-node" = "enabled", bare = "yes" } },
    ]
  }
`

// connectors are the DaemonSets of a physical network.
func connectors(t *testing.T, units map[string]unit.Unit, network string) (unit.Unit, []map[string]any) {
	t.Helper()
	u, ok := units[fmt.Sprintf("system.physical-network[%q]", network)]
	if !ok {
		t.Fatalf("nothing connects %s", network)
	}
	return u, u.Spec.(*unit.Objects).Items
}

// TestConnectors has a DaemonSet for each device, on the nodes that have it.
func TestConnectors(t *testing.T) {
	in := func(key, value string) any {
		return map[string]any{"key": key, "operator": "In", "values": []any{value}}
	}
	term := func(expressions ...any) any {
		return map[string]any{"matchExpressions": append([]any{in("openvswitch", "enabled")}, expressions...)}
	}
	type connector struct {
		name, bridge, device string
		nodes                []any
	}
	for name, c := range map[string]struct {
		blocks, network string
		want            []connector
	}{
		"one for all": {physicalNetworks, "public", []connector{{"physical-network-public", "br-public", "eth1", []any{term()}}}},
		"by labels": {devicesByRack, "Public", []connector{
			{"physical-network-public-eno1-", "br-public", "eno1", []any{term(in("rack", "a")), term(in("rack", "c"), in("row", "1"))}},
			{"physical-network-public-ens3f0-", "br-public", "ens3f0", []any{term(in("rack", "b"))}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u, items := connectors(t, composed.Everything(t, "ovn", "", "", c.blocks), c.network)
			if len(items) != len(c.want) {
				t.Fatalf("%d DaemonSets, want %d", len(items), len(c.want))
			}
			for i, want := range c.want {
				// Names that Kubernetes takes stay, all others get a digest.
				if name := unit.RefOf(items[i]).Name; !strings.HasPrefix(name, want.name) || name != want.name && len(name) != len(want.name)+8 {
					t.Errorf("%s, want %s", name, want.name)
				}
				pod := at(items[i], []string{"spec", "template", "spec"}).(map[string]any)
				required := []string{"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}
				if nodes := at(pod, required); !reflect.DeepEqual(nodes, want.nodes) {
					t.Errorf("%s is on %v, want %v", want.device, nodes, want.nodes)
				}
				env := map[string]any{}
				for _, v := range pod["containers"].([]any)[0].(map[string]any)["env"].([]any) {
					env[v.(map[string]any)["name"].(string)] = v.(map[string]any)["value"]
				}
				if env["NETWORK"] != c.network || env["BRIDGE"] != want.bridge || env["DEVICE"] != want.device {
					t.Errorf("%s is told %v", want.device, env)
				}
				labels := at(items[i], []string{"spec", "template", "metadata", "labels"})
				if selector := at(items[i], []string{"spec", "selector", "matchLabels"}); !reflect.DeepEqual(selector, labels) {
					t.Errorf("it selects %v of %v", selector, labels)
				}
			}
			waits := map[string]bool{}
			for _, e := range u.Edges {
				waits[e.To.String()] = e.Gate == unit.GateStart && e.Until == unit.Installed
			}
			if !waits["system.namespace"] || !waits["service.ovn"] || len(waits) != 2 {
				t.Errorf("it waits for %v", u.Edges)
			}
		})
	}
	units := composed.Everything(t, "ovs", "", "", physicalNetworks)
	if u, _ := connectors(t, units, "public"); !hasEdge(u, "service.neutron") {
		t.Errorf("it does not wait for what makes the bridge: %v", u.Edges)
	}
	if u, there := units[`system.physical-network["tenant"]`]; there {
		t.Errorf("what has no device is connected: %v", u.Spec)
	}
}

func hasEdge(u unit.Unit, to string) bool {
	for _, e := range u.Edges {
		if e.To.String() == to {
			return true
		}
	}
	return false
}

// TestConnectorImage has the image that Neutron's agent has in this cloud.
func TestConnectorImage(t *testing.T) {
	const own = `values = { images = { tags = { neutron_openvswitch_agent = "registry.example.org/own:1" } } }`
	for name, c := range map[string]struct{ block, neutron, want string }{
		"of the release": {"", "", "quay.io/airshipit/neutron:2026.1-ubuntu_noble"},
		"of a mirror":    {"images {\n registries = { \"quay.io\" = \"mirror.example.org/quay\" }\n pull_secret = \"pull\"\n}\n", "", "mirror.example.org/quay/airshipit/neutron:2026.1-ubuntu_noble"},
		"written":        {"images {\n registries = { \"registry.example.org\" = \"mirror.example.org\" }\n}\n", own, "registry.example.org/own:1"},
	} {
		t.Run(name, func(t *testing.T) {
			text := composed.Source("ovs", "", c.block, physicalNetworks)
			text = strings.Replace(text, `service "neutron" { replicas = { server = 2, rpc_server = 2 } }`, "service \"neutron\" {\n"+c.neutron+"\n}", 1)
			m, ev := composed.Text(t, text)
			_, items := connectors(t, composed.Compose(t, m, ev, compose.Facts{Unlocked: true}), "public")
			pod := at(items[0], []string{"spec", "template", "spec"}).(map[string]any)
			if image := pod["containers"].([]any)[0].(map[string]any)["image"]; image != c.want {
				t.Errorf("%v, want %s", image, c.want)
			}
			if _, pulls := pod["imagePullSecrets"]; pulls != strings.Contains(c.block, "pull_secret") {
				t.Errorf("the Secret to pull with: %v", pod["imagePullSecrets"])
			}
		})
	}
}

// TestDevicesOfNodes finds out which device each node has.
func TestDevicesOfNodes(t *testing.T) {
	const second = `
  physical_network "tenant" {
    bridge  = "br-tenant"
    devices = [{ node_labels = { "openvswitch" = "enabled" }, device = "eno1" }]
  }
`
	node := func(roles, labels string) string {
		return fmt.Sprintf("node \"n\" {\n  roles  = [%s]\n  labels = {%s}\n}\n", roles, labels)
	}
	moving := func(device string) string {
		return fmt.Sprintf("profile \"moves\" {\n  slot = 1\n  service \"nova\" { conf = { libvirt = { live_migration_interface = %q } } }\n}\n", device)
	}
	onEach := func(device string) string { return strings.Replace(physicalNetworks, "eth1", device, 1) }
	const (
		pxe        = "  profile = profile.pxe\n"
		pxeProfile = "profile \"pxe\" {\n  service \"ironic\" { values = { network = { pxe = { device = \"eth1\" } } } }\n}\n"
	)
	for name, c := range map[string]struct{ blocks, node, want string }{
		"one":                      {devicesByRack, node(`"compute"`, `rack = "b"`), ""},
		"several labels":           {devicesByRack, node(`"network"`, `rack = "c", row = "1"`), ""},
		"none":                     {devicesByRack, node(`"compute"`, `rack = "x"`), "no device on this node"},
		"no labels":                {devicesByRack, node(`"network"`, ``), "no device on this node"},
		"half of the labels":       {devicesByRack, node(`"compute"`, `rack = "c"`), "no device on this node"},
		"two":                      {devicesByRack, node(`"network"`, `rack = "a", bare = "yes"`), "two devices on one node"},
		"by role, and none":        {devicesByRack, node(`"network"`, `bare = "yes"`), ""},
		"by role, and another has": {devicesByRack, node(`"compute"`, `bare = "yes"`), "no device on this node"},
		"not connected":            {devicesByRack, node(`"control-plane"`, ``), ""},
		"disabled":                 {devicesByRack, strings.Replace(node(`"compute"`, ``), "roles", "disabled = true\n  roles", 1), ""},
		"two networks":             {devicesByRack + second, node(`"compute"`, `rack = "a"`), "one device, two networks"},
		"two networks, two":        {devicesByRack + second, node(`"compute"`, `rack = "b"`), ""},
		"the same on all":          {physicalNetworks, node(`"compute"`, ``), ""},
		"a label of a role":        {physicalNetworks, node(`"compute"`, `"openstack-control-plane" = "enabled"`), "not a label of yours"},
		"a label of Kubernetes":    {physicalNetworks, node(`"compute"`, `"kubernetes.io/hostname" = "x"`), "not a label of yours"},
		"of the kubelet":           {physicalNetworks, node(`"compute"`, `"beta.kubernetes.io/arch" = "x"`), "not a label of yours"},
		"a label of KupenStack":    {physicalNetworks, node(`"compute"`, `"kupenstack.io/x" = "y"`), "not a label of yours"},
		"a label for load":         {physicalNetworks, node(`"compute"`, `"node.kubernetes.io/exclude-from-external-load-balancers" = ""`), ""},
		"a role of Kubernetes":     {physicalNetworks, node(`"compute"`, `"node-role.kubernetes.io/worker" = ""`), ""},
		"a label of others":        {physicalNetworks, node(`"compute"`, `"topology.kubernetes.io/zone" = "x"`), ""},
		"a tunnel": {
			physicalNetworks + `  profile = profile.tunnels`, "profile \"tunnels\" {\n  service \"neutron\" { values = { network = { interface = { tunnel = \"eth1\" } } } }\n}\n",
			"a device with another use",
		},
		"another tunnel": {
			physicalNetworks + `  profile = profile.tunnels`, "profile \"tunnels\" {\n  service \"neutron\" { values = { network = { interface = { tunnel = \"eth2\" } } } }\n}\n", "",
		},
		"migration": {
			devicesByRack + `  profile = profile.moves`, "profile \"moves\" {\n  service \"nova\" { conf = { libvirt = { live_migration_interface = \"ens3f0\" } } }\n}\n",
			"a device with another use",
		},
		"migration of some": {
			devicesByRack, node(`"compute"`, `rack = "b"`) + moving("ens3f0"), "",
		},
		"migration of a profile": {
			devicesByRack, strings.Replace(node(`"compute"`, `rack = "b"`), "roles", "profile = profile.moves\n  roles", 1) + moving("ens3f0"),
			"a device with another use",
		},
		"migration of a profile elsewhere": {
			devicesByRack, strings.Replace(node(`"compute"`, `rack = "b"`), "roles", "profile = profile.moves\n  roles", 1) + moving("eno1"), "",
		},
		"told once": {
			devicesByRack + `  profile = profile.moves`, strings.Replace(node(`"compute"`, `rack = "b"`), "roles", "profile = profile.also\n  roles", 1) + moving("ens3f0") +
				"profile \"also\" {\n  slot = 2\n  from = [profile.moves]\n  service \"nova\" { conf = { libvirt = { other = 1 } } }\n}\n",
			"a device with another use",
		},
		"of PXE":             {onEach("ironic-pxe"), node(`"compute", "control-plane"`, ``), "a device with another use"},
		"of PXE elsewhere":   {onEach("ironic-pxe"), node(`"compute"`, ``) + "node \"c\" {\n  roles = [\"control-plane\"]\n}\n", ""},
		"of PXE by a person": {onEach("eth1") + pxe, node(`"network", "control-plane"`, ``) + pxeProfile, "a device with another use"},
		"of no PXE any more": {onEach("ironic-pxe") + pxe, node(`"network", "control-plane"`, ``) + pxeProfile, ""},
		"of a bridge beside": {
			physicalNetworks + `  profile = profile.bridges`, "profile \"bridges\" {\n  service \"neutron\" { conf = { auto_bridge_add = { \"br-more\" = \"eth5\" } } }\n}\n",
			"a device beside those of physical networks",
		},
		"a bridge beside": {
			physicalNetworks + `  profile = profile.bridges`, "profile \"bridges\" {\n  service \"neutron\" { conf = { auto_bridge_add = { \"br-more\" = \"\" } } }\n}\n", "",
		},
		"a bridge without devices": {
			"physical_network \"public\" { bridge = \"br-public\" }\n  profile = profile.bridges", "profile \"bridges\" {\n  service \"neutron\" { conf = { auto_bridge_add = { \"br-public\" = \"eth5\" } } }\n}\n",
			"a device beside those of physical networks", // a warning
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, withoutAgents(withOneConductor(composed.Source("ovs", "", c.blocks)))+c.node)
			units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
			got := ""
			for _, d := range diags {
				got += d.Summary
			}
			if got != c.want {
				t.Fatalf("%q, want %q: %v", got, c.want, diags)
			}
			if c.want != "" || !strings.Contains(c.node, "labels = {rack") {
				return
			}
			for _, u := range units {
				if n, ok := u.Spec.(*unit.Node); ok && (n.Labels["rack"] == "" || n.Labels["openvswitch"] != "enabled") {
					t.Errorf("the node gets %v", n.Labels)
				}
			}
		})
	}
	text := withoutAgents(composed.Source("ovs", "", devicesByRack)) + node(`"compute"`, `rack = "x"`)
	m, ev := composed.Text(t, text)
	_, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
	line := func(of string) int { return strings.Count(text[:strings.Index(text, of)], "\n") + 1 }
	there := fmt.Sprintf(`physical_network "Public", at main.hcl:%d`, line("devices ="))
	if len(diags) != 1 || diags[0].Subject.Start.Line != line("node \"n\"") || !strings.Contains(diags[0].Detail, there) || fmt.Sprint(diags[0].Address) != "node.n" {
		t.Errorf("%+v, and not %s", diags, there)
	}
}

// TestOwnLabelPlace points at the label, and not at all of them.
func TestOwnLabelPlace(t *testing.T) {
	text := composed.Source("ovs", "", "") + "node \"n\" {\n  roles  = [\"compute\"]\n  labels = {\n    rack = \"a\"\n    \"kubernetes.io/os\" = \"x\"\n  }\n}\n" + composed.Network
	m, ev := composed.Text(t, text)
	_, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
	want := strings.Count(text[:strings.Index(text, "\"kubernetes.io/os")], "\n") + 1
	if len(diags) != 1 || diags[0].Subject == nil || diags[0].Subject.Start.Line != want {
		t.Fatalf("%v, want one at line %d", diags, want)
	}
}
