package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// physicalNetworks are those of the cloud, by name.
func (r *resolver) physicalNetworks(b *config.Block) []model.PhysicalNetwork {
	var networks []model.PhysicalNetwork
	for _, block := range b.Nested("physical_network") {
		r.excludes(block)
		networks = append(networks, model.PhysicalNetwork{
			Name: block.Label(), Bridge: r.text(block, "bridge"), Device: r.text(block, "device"), Flat: r.truth(block, "flat", true),
			VLANs: r.list(block, "vlans"), Devices: r.devices(block), Range: block.Range, Ranges: ranges(block),
		})
	}
	slices.SortFunc(networks, func(a, b model.PhysicalNetwork) int { return cmp.Compare(a.Name, b.Name) })
	return networks
}

// devices are those of nodes with certain labels; nil when none are written.
func (r *resolver) devices(b *config.Block) []model.NodeDevice {
	a := b.Attribute("devices")
	if a == nil {
		return nil
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() || !v.IsWhollyKnown() {
		return nil
	}
	devices := []model.NodeDevice{}
	for i, entry := range v.AsValueSlice() {
		wrong := func(summary, detail string) {
			r.scope.wrong(codeValue, a, summary, fmt.Sprintf("devices[%d] %s", i, detail), config.Example(a.Schema))
		}
		if entry.IsNull() {
			wrong("value is missing", "must have a value, and this is null")
			continue
		}
		labels := entry.GetAttr("node_labels")
		if labels.IsNull() || labels.LengthInt() == 0 {
			wrong("no labels", "names no node_labels, so it is for no nodes; the device of all of them is written as device")
			continue
		}
		d := model.NodeDevice{Labels: map[string]string{}}
		for key, value := range labels.AsValueMap() {
			switch {
			case !r.labelKey(a, key):
			case value.IsNull():
				wrong("value is missing", fmt.Sprintf("must have a value for %s, and this is null", key))
			default:
				d.Labels[key] = value.AsString()
			}
		}
		if device := entry.GetAttr("device"); !device.IsNull() {
			d.Device = device.AsString()
		}
		devices = append(devices, d)
	}
	return devices
}

// labelKey tells whether a key is one of a label, which no type says.
func (r *resolver) labelKey(a *config.Attribute, key string) bool {
	err := schema.FormatLabelKey.Check(key)
	if err != nil {
		r.scope.wrong(codeValue, a, "not the key of a label", fmt.Sprintf("the key %q must be %v", key, err), config.Example(a.Schema))
	}
	return err == nil
}

// truth evaluates an attribute that is shown and true or false; otherwise stands for one that is not written.
func (r *resolver) truth(b *config.Block, name string, otherwise bool) bool {
	a := b.Attribute(name)
	if a == nil {
		return otherwise
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() || !v.IsKnown() {
		return otherwise
	}
	return v.True()
}

// list evaluates an attribute that is a list of strings which are shown.
func (r *resolver) list(b *config.Block, name string) []string {
	a := b.Attribute(name)
	if a == nil {
		return nil
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() {
		return nil
	}
	var texts []string
	for i, element := range v.AsValueSlice() {
		if element.IsNull() {
			r.scope.wrong(codeValue, a, "value is missing", fmt.Sprintf("%s[%d] must have a value, and this is null", name, i), config.Example(a.Schema))
			continue
		}
		texts = append(texts, element.AsString())
	}
	return texts
}
