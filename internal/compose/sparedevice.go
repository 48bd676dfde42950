package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// pxeDevice is where Ironic's chart has its conductors answer machines unless something else is written.
const pxeDevice = "ironic-pxe"

// usesOfDevices are the values by which a service is told of a device that it takes the address of, by service.
func usesOfDevices() map[string][]string {
	return map[string][]string{
		"neutron": {"network.interface.tunnel"},
		"ovn":     {"network.interface.tunnel"},
		"nova": {
			"conf.hypervisor.host_interface", "conf.libvirt.live_migration_interface",
			"console.novnc.compute.vncserver_proxyclient_interface", "console.spice.compute.server_proxyclient_interface",
		},
	}
}

// spareDevices tells of devices that services were told to do something else with, which would lose its addresses.
func (c *composer) spareDevices() {
	for _, service := range []string{"neutron", networkOVN} {
		if s := c.m.Service(service); s != nil {
			c.bridgesOf(s, c.written[service], s.Settings)
			for _, own := range c.onNodes(s) {
				if !same(get(own.written, bridgesOfConf), get(c.written[service], bridgesOfConf)) {
					c.bridgesOf(s, own.written, own.settings)
				}
			}
		}
	}
	if !c.connects() {
		return
	}
	uses := usesOfDevices()
	for i := range c.m.Cloud.Physical {
		n := &c.m.Cloud.Physical[i]
		places := placesOfDevices(n)
		for _, service := range slices.Sorted(maps.Keys(uses)) {
			for _, path := range uses[service] {
				device, _ := get(c.written[service], path).(string)
				if device == "" || places[device] == nil {
					continue
				}
				attribute := "device"
				if n.Devices != nil {
					attribute = "devices"
				}
				c.fail(codeDevice, n.At(attribute), noAddress(), otherUse,
					fmt.Sprintf("%s is what %s of %s names, and in the bridge %s it would have no address any more", device, path, service, n.Bridge),
					"take another device, or have the service use the bridge, which the addresses move to")
			}
		}
	}
	for i := range c.m.Nodes {
		if n := &c.m.Nodes[i]; !n.Disabled && (slices.Contains(n.Roles, schema.RoleCompute) || slices.Contains(n.Roles, schema.RoleNetwork)) {
			c.spareOn(n)
		}
	}
}

const otherUse = "a device with another use"

// spareOn tells of devices that have another use on one node.
func (c *composer) spareOn(n *model.Node) {
	labels := c.labelsOfNode(n)
	for k := range c.m.Cloud.Physical {
		of := &c.m.Cloud.Physical[k]
		device := deviceOn(labels, of)
		if device == "" {
			continue
		}
		pxe, _ := get(c.written["ironic"], "network.pxe.device").(string)
		if c.deployed("ironic") && slices.Contains(n.Roles, schema.RoleControlPlane) && device == cmp.Or(pxe, pxeDevice) {
			c.fail(codeDevice, n.Range, n.Address, otherUse,
				fmt.Sprintf("on %s the device %s of the physical network %s is that with which Ironic's conductors answer machines, and in the bridge %s it would have no address any more", n.Name, device, of.Name, of.Bridge),
				"take another device, or write the bridge, which the addresses move to, as network.pxe.device in values of ironic")
		}
		for _, own := range n.Services {
			for _, path := range usesOfDevices()[own.Name] {
				written, err := withHidden(own.Conf, false, nil)
				if err != nil {
					continue // which is told elsewhere
				}
				tree := map[string]any{"conf": written}
				if used, _ := get(tree, path).(string); used != device || get(c.written[own.Name], path) == used {
					continue // what holds of the whole cloud was told
				}
				at, text := c.whereKey(c.m.Service(own.Name), own.Settings, steps(path))
				c.failAt(codeDevice, at, otherUse,
					fmt.Sprintf("%s of %s names %s, which on %s is the device of the physical network %s, and in the bridge %s it would have no address any more", text, own.Name, device, n.Name, of.Name, of.Bridge),
					"take another device, or have the service use the bridge, which the addresses move to")
			}
		}
	}
}

// deviceOn is the device of a network on a node with these labels; "" for none. That there are two was told.
func deviceOn(labels map[string]string, of *model.PhysicalNetwork) string {
	for _, d := range of.Devices {
		if matches(labels, d.Labels) {
			return d.Device
		}
	}
	return of.Device
}

// bridgesOf tells of devices that people have the charts put into bridges. The charts take the addresses of whatever they
// are given, be it what the node is reached by, and know nothing of the devices that are put into bridges here. Where
// there are none of those, it is a warning: what people write for charts counts.
func (c *composer) bridgesOf(s *model.Service, written map[string]any, settings []model.Setting) {
	bridges, _ := get(written, bridgesOfConf).(map[string]any)
	for _, bridge := range slices.Sorted(maps.Keys(bridges)) {
		device, _ := bridges[bridge].(string)
		if device == "" {
			continue
		}
		at, text := c.whereKey(s, settings, append(strings.Split(bridgesOfConf, "."), bridge))
		c.failAt(codeDevice, at, "a device beside those of physical networks",
			fmt.Sprintf("%s of %s has the chart put %s into the bridge %s, on all nodes and whatever else it is there for: the device loses its addresses, be they those that the node is reached by", text, s.Name, device, bridge),
			"write physical_network with this bridge and device, and take this away")
		if !c.connects() {
			c.diags[len(c.diags)-1].Severity = diag.Warning
		}
	}
}
