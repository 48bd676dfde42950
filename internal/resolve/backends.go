package resolve

import (
	"cmp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// backends are those of a service, by name.
func (r *resolver) backends(service *config.Block) []model.Backend {
	var backends []model.Backend
	for _, block := range service.Nested("backend") {
		r.excludes(block)
		b := model.Backend{
			Name: block.Label(), Type: r.text(block, "type"), Driver: r.text(block, "driver"), Default: r.truth(block, "default", false),
			Pool: r.text(block, "pool"), VolumeGroup: r.text(block, "volume_group"), Share: r.text(block, "share"), ISCSI: r.truth(block, "iscsi", false),
			Options: cty.EmptyObjectVal, Range: block.Range, Ranges: ranges(block),
		}
		if a := block.Attribute("options"); a != nil {
			if v, ok := r.setting(a); ok && !v.IsNull() {
				if within := model.AddsWithin(v.Type()); len(within) > 0 {
					r.misplaced(a, within)
				} else {
					b.Options, b.Origin = model.Settle(v), a.Origin()
				}
			}
		}
		backends = append(backends, b)
	}
	slices.SortFunc(backends, func(a, b model.Backend) int { return cmp.Compare(a.Name, b.Name) })
	return backends
}
