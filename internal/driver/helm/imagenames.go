package helm

import (
	"context"
	"maps"
	"slices"

	"github.com/distribution/reference"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// RedirectableImages are the images, in full and sorted, that something may stand in for the registries of, as far as
// it can be told without asking any server; all says whether it could be told of every such release. See [Check]
// for which charts that takes.
func RedirectableImages(ctx context.Context, options Options, units []unit.Unit) (images []string, all bool) {
	from := newCharts(options)
	all = true
	found := map[string]bool{}
	for _, u := range units {
		spec, ok := u.Spec.(*unit.Release)
		if !ok || len(spec.Registries) == 0 {
			continue
		}
		source, err := from.atHand(ctx, spec.Chart)
		if err != nil {
			all = false
			continue
		}
		for _, image := range redirectable(spec.Values, source, spec) {
			if named, err := reference.ParseNormalizedNamed(image); err == nil {
				found[reference.TagNameOnly(named).String()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), all
}
