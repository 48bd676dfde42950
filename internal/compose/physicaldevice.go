package compose

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// connectDevice is what puts a device into a bridge. The charts' own way is one map for all nodes, passes over devices
// that are not there, and takes the addresses of whatever it is given, the one of the default route included.
//
//go:embed physicaldevice.sh
var connectDevice string

const (
	// physicalUnit are the units that connect physical networks, by name as the key.
	physicalUnit = "physical-network"

	// imageOfAgent is the image of Neutron's agent for Open vSwitch, which has all that looks after bridges.
	imageOfAgent = "images.tags.neutron_openvswitch_agent"

	// switchFiles is where Open vSwitch is reached on a node.
	switchFiles = "/run/openvswitch"
)

// physicalDevices adds what puts devices into the bridges of physical networks.
func (c *composer) physicalDevices() {
	if !c.deployed("neutron") {
		return
	}
	c.spareDevices()
	c.devicesOfNodes()
	for i := range c.m.Cloud.Physical {
		n := &c.m.Cloud.Physical[i]
		places := placesOfDevices(n)
		if len(places) == 0 {
			continue
		}
		spec := &unit.Objects{}
		for _, device := range slices.Sorted(maps.Keys(places)) {
			spec.Items = append(spec.Items, c.connector(n, device, places[device]))
		}
		maker := "neutron"
		if c.m.Cloud.NetworkBackend == networkOVN {
			maker = networkOVN
		}
		edges := []unit.Edge{
			{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart},
			{To: serviceAddress(maker), Until: unit.Installed, Gate: unit.GateStart},
		}
		c.add(unit.Unit{
			Address: systemAddress(physicalUnit).WithKey(addr.StringKey(n.Name)), Class: unit.ClassSystem, Range: n.Range, Spec: spec,
			Edges: slices.DeleteFunc(edges, func(e unit.Edge) bool { return e.To.Kind() == "service" && !c.deployed(e.To.Name()) }),
		})
	}
}

// placesOfDevices are the nodes of each device, as labels that they have: any of these sets of them.
func placesOfDevices(n *model.PhysicalNetwork) map[string][]map[string]string {
	places := map[string][]map[string]string{}
	if n.Device != "" {
		places[n.Device] = []map[string]string{nil}
	}
	for _, d := range n.Devices {
		if d.Device != "" {
			places[d.Device] = append(places[d.Device], d.Labels)
		}
	}
	return places
}

// connector is the DaemonSet that connects a device. What it does is a part of its pods, so that something else
// replaces them, one node after another.
func (c *composer) connector(n *model.PhysicalNetwork, device string, places []map[string]string) map[string]any {
	name := unit.ObjectName(physicalUnit + "-" + n.Name)
	if n.Devices != nil {
		name = unit.ObjectName(physicalUnit + "-" + n.Name + "." + device) // no network has a dot in its name
	}
	labels := map[string]any{"kupenstack-physical-network": name}
	of := func(field string) map[string]any {
		return map[string]any{"fieldRef": map[string]any{"apiVersion": "v1", "fieldPath": field}}
	}
	pod := map[string]any{
		"hostNetwork": true,
		"affinity":    nodesWith(places),
		// It belongs wherever the switch is, whatever keeps others away.
		"tolerations":                  []any{map[string]any{"operator": "Exists"}},
		"automountServiceAccountToken": false,
		"containers": []any{map[string]any{
			"name": "connect", "image": c.pinned("neutron", c.imageOfAgent()), "imagePullPolicy": "IfNotPresent",
			"command": []any{"sh", "-c", connectDevice},
			"env": []any{
				map[string]any{"name": "NETWORK", "value": n.Name},
				map[string]any{"name": "BRIDGE", "value": n.Bridge},
				map[string]any{"name": "DEVICE", "value": device},
				map[string]any{"name": "NODE", "valueFrom": of("spec.nodeName")},
				map[string]any{"name": "ADDRESS", "valueFrom": of("status.hostIP")},
			},
			// As the containers of the charts that do this: devices of the node and the socket of the switch take it.
			"securityContext": map[string]any{"privileged": true, "runAsUser": int64(0), "readOnlyRootFilesystem": true},
			"readinessProbe": map[string]any{
				"exec": map[string]any{"command": []any{
					"sh", "-c",
					`ovs-vsctl --timeout=5 --db=unix:` + switchFiles + `/db.sock list-ports "$BRIDGE" | grep -qxF -- "$DEVICE"`,
				}},
				"periodSeconds": int64(10), "timeoutSeconds": int64(10),
			},
			"resources":    map[string]any{"requests": map[string]any{"cpu": "5m", "memory": "16Mi"}},
			"volumeMounts": []any{map[string]any{"name": "run-openvswitch", "mountPath": switchFiles}},
		}},
		"volumes": []any{map[string]any{"name": "run-openvswitch", "hostPath": map[string]any{"path": switchFiles, "type": "DirectoryOrCreate"}}},
	}
	if images := c.m.Cloud.Images; images != nil && images.PullSecret != "" {
		pod["imagePullSecrets"] = []any{map[string]any{"name": images.PullSecret}}
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "DaemonSet",
		"metadata": map[string]any{"name": name, "namespace": c.m.Cloud.Namespace, "labels": labels},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod},
		},
	}
}

// nodesWith chooses nodes with a bridge and any of these sets of labels.
func nodesWith(places []map[string]string) map[string]any {
	var terms []any
	for _, labels := range places {
		wanted := maps.Clone(labels)
		if wanted == nil {
			wanted = map[string]string{}
		}
		wanted[unit.OpenvSwitchLabel] = unit.LabelEnabled
		var expressions []any
		for _, key := range slices.Sorted(maps.Keys(wanted)) {
			expressions = append(expressions, map[string]any{"key": key, "operator": "In", "values": []any{wanted[key]}})
		}
		terms = append(terms, map[string]any{"matchExpressions": expressions})
	}
	required := map[string]any{"nodeSelectorTerms": terms}
	return map[string]any{"nodeAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": required}}
}

// connects tells whether devices are put into bridges.
func (c *composer) connects() bool {
	return slices.ContainsFunc(c.m.Cloud.Physical, func(n model.PhysicalNetwork) bool { return len(placesOfDevices(&n)) > 0 })
}

// imageOfAgent is the image as Neutron's chart has it.
func (c *composer) imageOfAgent() string {
	if written, ok := get(c.written["neutron"], imageOfAgent).(string); ok {
		return written
	}
	values := map[string]any{}
	fill(values, &c.m.Cloud, imageValues("neutron", &c.m.Cloud))
	image, _ := get(values, imageOfAgent).(string) // "" for a release that there is not, which was told
	if images := c.m.Cloud.Images; images != nil {
		return inPlaceOf(image, images.Registries)
	}
	return image
}

// devicesOfNodes tells of nodes for which there is no device of a network, or more than one, or one that is another
// network's as well.
func (c *composer) devicesOfNodes() {
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if n.Disabled || !slices.Contains(n.Roles, schema.RoleCompute) && !slices.Contains(n.Roles, schema.RoleNetwork) {
			continue
		}
		labels := c.labelsOfNode(n)
		taken := map[string]string{} // the networks, by device
		for k := range c.m.Cloud.Physical {
			of := &c.m.Cloud.Physical[k]
			if of.Devices == nil {
				continue
			}
			c.deviceOf(n, labels, of, taken)
		}
	}
}

func (c *composer) deviceOf(n *model.Node, labels map[string]string, of *model.PhysicalNetwork, taken map[string]string) {
	var found []int
	for i, d := range of.Devices {
		if matches(labels, d.Labels) {
			found = append(found, i)
		}
	}
	at := of.At("devices")
	place := fmt.Sprintf("devices of physical_network %q, at %s:%d", of.Name, at.File, at.Start.Line)
	switch {
	case len(found) == 0:
		c.fail(codeDevice, n.Range, n.Address, "no device on this node",
			fmt.Sprintf("no entry in %s, has labels of %s; its own are: %s", place, n.Name, cmp.Or(labelText(n.Labels), "none")),
			"give the node labels of an entry, or write one for its labels: without a device, if nothing is connected there")
	case len(found) > 1:
		c.fail(codeDevice, n.Range, n.Address, "two devices on one node",
			fmt.Sprintf("in %s, [%d] and [%d] both have labels of %s", place, found[0], found[1], n.Name), "write labels that only one of them has")
	default:
		device := of.Devices[found[0]].Device
		if other, is := taken[device]; is && device != "" {
			c.fail(codeDevice, n.Range, n.Address, "one device, two networks",
				fmt.Sprintf("on %s the device %s is that of the physical networks %s and %s, and a device is in one bridge only", n.Name, device, other, of.Name), "give each of them its own")
		}
		taken[device] = of.Name
	}
}

func matches(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if has, ok := labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

func labelText(labels map[string]string) string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		texts = append(texts, key+" = "+strconv.Quote(labels[key]))
	}
	return strings.Join(texts, ", ")
}
