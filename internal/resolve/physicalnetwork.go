package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// physicalNetworks are those of the cloud, by name.
func (r *resolver) physicalNetworks(b *config.Block) []model.PhysicalNetwork {
	var networks []model.PhysicalNetwork
	for _, block := range b.Nested("physical_network") {
		networks = append(networks, model.PhysicalNetwork{
			Name: block.Label(), Bridge: r.text(block, "bridge"), Device: r.text(block, "device"), Flat: r.truth(block, "flat", true),
			VLANs: r.list(block, "vlans"), Range: block.Range, Ranges: ranges(block),
		})
	}
	slices.SortFunc(networks, func(a, b model.PhysicalNetwork) int { return cmp.Compare(a.Name, b.Name) })
	return networks
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
