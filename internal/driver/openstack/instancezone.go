package openstack

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

// pinVersion tells which availability zone an instance was asked for in.
const pinVersion = "2.96"

// askedFor leaves of the zones of instances, as for an export, those that they were asked for in. Where one is otherwise is up
// to the scheduler, and changes with the aggregates that its host is in: a block that had it would replace the instance for
// that. A Nova that does not tell, or not now, has none that were asked for.
func (k instanceKind) askedFor(ctx context.Context, s *session, objects []found) {
	const zone = "availability_zone"
	var placed []*object
	for _, f := range objects {
		if _, known := f.object.values.look(zone); f.whole && known {
			placed = append(placed, f.object)
		}
	}
	if len(placed) == 0 {
		return
	}
	c := call{service: serviceCompute, path: pathOf("servers", "detail"), query: s.everywhere(), microversion: pinVersion}
	raws, _ := s.all(ctx, c, "servers") // an instance without is exported as well
	pinned := map[string]string{}
	for _, raw := range raws {
		pinned[textAt(raw, "id")] = textAt(raw, "pinned_availability_zone")
	}
	for _, o := range placed {
		if pinned[o.id] == "" || pinned[o.id] != textOf(o.values.get(zone)) {
			o.values.set(zone, cty.NullVal(cty.String))
		}
	}
}
