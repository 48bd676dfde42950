package compose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// bridgesOfConf is where both charts take bridges. Neutron's makes br-ex as well whatever is said there: its own value
// is null, which no value takes away. Nothing is put into that one.
const bridgesOfConf = "conf.auto_bridge_add"

// physicalValues lead Neutron to the physical networks: it is told what may lie on them, and on each node
// whoever looks after its bridges is told which these are.
func physicalValues(service string, cloud *model.Cloud) []setting {
	if len(cloud.Physical) == 0 {
		return nil
	}
	var mappings, flat, vlans []string
	bridges, tagged := map[string]any{}, false
	for _, n := range cloud.Physical {
		mappings = append(mappings, n.Name+":"+n.Bridge)
		bridges[n.Bridge] = "" // the charts make the bridge; what is put into it, see physicalDevices
		if n.Flat {
			flat = append(flat, n.Name)
		}
		for _, tags := range n.VLANs {
			tagged = true
			if !strings.Contains(tags, ":") {
				tags += ":" + tags
			}
			vlans = append(vlans, n.Name+":"+tags)
		}
	}
	withOVS, withOVN := condition{network: networkOVS}, condition{network: networkOVN}
	switch service {
	case "neutron":
		const ml2 = "conf.plugins.ml2_conf."
		list := []setting{
			{path: ml2 + "ml2_type_flat.flat_networks", value: strings.Join(flat, ",")},
			{path: "conf.plugins.openvswitch_agent.ovs.bridge_mappings", value: strings.Join(mappings, ","), when: withOVS},
			{path: bridgesOfConf, value: bridges, when: withOVS},
		}
		if tagged {
			list = append(list, setting{path: ml2 + "ml2_type_vlan.network_vlan_ranges", value: strings.Join(vlans, ",")})
		}
		return list
	case "ovn":
		return []setting{
			{path: "conf.ovn_bridge_mappings", value: strings.Join(mappings, ","), when: withOVN},
			{path: bridgesOfConf, value: bridges, when: withOVN},
			// Without an address of each node's own, routers of VLANs on several nodes would share one.
			{path: "conf.auto_chassis_mac_mappings", value: tagged, when: withOVN},
		}
	}
	return nil
}

// tellPhysical warns where people write something in the place of what leads a service to the physical networks, and leave one of them
// out: its bridge and device are there, and nothing of Neutron comes to it. A range of tags may be another one.
func (c *composer) tellPhysical(s *model.Service) {
	for _, set := range physicalValues(s.Name, &c.m.Cloud) {
		text, is := set.value.(string)
		v := get(c.written[s.Name], set.path)
		if _, secret := v.(hidden); secret || !is || !set.when.holds(&c.m.Cloud) || !covers(c.written[s.Name], set.path) {
			continue
		}
		given := namesIn(v)
		var missing []string
		for _, entry := range namesIn(text) {
			name, of, _ := strings.Cut(entry, ":")
			flat, tags := of == "", strings.Contains(of, ":")
			if flat && v == nil {
				continue // Neutron takes any where the option is not there
			}
			if !slices.ContainsFunc(given, func(one string) bool {
				return one == entry || one == "*" && flat || tags && (one == name || strings.HasPrefix(one, name+":"))
			}) {
				missing = append(missing, entry)
			}
		}
		if len(missing) == 0 {
			continue
		}
		at, path := c.whereKey(s, s.Settings, steps(set.path))
		c.failAt(codeUnsafe, at, "without a physical network",
			fmt.Sprintf("%s of %s takes the place of what the physical networks of the cloud lead to, and has no %s", path, s.Name, strings.Join(missing, ", ")),
			"take it away, or add to it: "+text)
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// connected tells of physical networks that nothing connects. Those of a Neutron that is switched off may stay.
func (c *composer) connected() {
	if networks := c.m.Cloud.Physical; len(networks) > 0 && c.m.Cloud.Deploys() && c.m.Service("neutron") == nil {
		c.fail(codeMissing, networks[0].Range, noAddress(), "a service is missing", "physical networks need neutron, which the cloud does not deploy",
			`write beside them: service "neutron" {}`)
	}
}

// physical tells of networks that lie on a physical network that there is not, or that takes none of their kind.
func (c *composer) physical(r *model.Resource) {
	cloud := &c.m.Cloud
	if len(cloud.Physical) == 0 || r.Kind != "network" || r.Address.Mode() == addr.Data || !r.Desired.Type().HasAttribute(physicalAttribute) || !r.Desired.Type().HasAttribute(typeAttribute) {
		return
	}
	v, marks := r.Desired.GetAttr(physicalAttribute).Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return
	}
	i := slices.IndexFunc(cloud.Physical, func(n model.PhysicalNetwork) bool { return n.Name == v.AsString() })
	if i < 0 {
		var names []string
		for _, n := range cloud.Physical {
			names = append(names, n.Name)
		}
		name := strconv.Quote(v.AsString())
		if len(marks) > 0 {
			name = unit.TextSensitive
		}
		c.failNetwork(r, physicalAttribute, "no such physical network", "the cloud has no physical_network "+name, "there are: "+strings.Join(names, ", "))
		return
	}
	of, _ := r.Desired.GetAttr(typeAttribute).Unmark()
	if of.Type() != cty.String || !of.IsKnown() || of.IsNull() {
		return
	}
	switch n := cloud.Physical[i]; {
	case of.AsString() == "flat" && !n.Flat:
		c.failNetwork(r, typeAttribute, "no flat network there", fmt.Sprintf("physical_network %q has flat = false", n.Name), "make it a vlan, or allow flat networks there")
	case of.AsString() == "vlan" && len(n.VLANs) == 0:
		c.failNetwork(r, typeAttribute, "no VLANs there", fmt.Sprintf("physical_network %q has no vlans", n.Name), "write the tags that may be given into its vlans")
	}
}

func (c *composer) failNetwork(r *model.Resource, attribute, summary, detail, hint string) {
	where := r.Range
	if written, ok := r.Ranges[attribute]; ok {
		where = written
	}
	c.fail(codeValue, where, r.Address, summary, detail, hint)
}

const (
	physicalAttribute = "provider_physical_network"
	typeAttribute     = "provider_network_type"
)
