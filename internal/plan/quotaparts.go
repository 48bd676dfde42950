package plan

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// coming is how many of the wanted parts are none of those that are there.
func coming(kind *schema.Block, list string, want known, there []string) int64 {
	parts, open := pieces(kind, list, want)
	there = slices.Clone(there)
	n := open
	for _, part := range parts {
		if i := slices.Index(there, part); i >= 0 {
			there = slices.Delete(there, i, i+1)
			continue
		}
		n++
	}
	return n
}

// going is how many of the parts that are there are on record as ours, and wanted no longer. What is not known yet comes in place
// of one of them, or is one.
func going(kind *schema.Block, list string, want known, there []string, entry *inventory.Entry) int64 {
	if entry == nil {
		return 0
	}
	wanted, _ := pieces(kind, list, want)
	n := int64(0)
	for _, part := range entry.Set[list] {
		if slices.Contains(there, part) && !slices.Contains(wanted, part) {
			n++
		}
	}
	return n
}

// pieces returns the parts of an object by their keys, and how many there are of which not all is known yet. Neutron takes no
// rule twice, and Nova makes a port for each time that a network is named. An interface of a router is a port, too.
func pieces(kind *schema.Block, name string, k known) (parts []string, open int64) {
	list, _ := k.attribute(name)
	if list == cty.NilVal || !list.IsKnown() || !list.CanIterateElements() {
		return nil, 0
	}
	nested := kind.Nested(name)
	for _, part := range list.AsValueSlice() {
		switch {
		case !part.IsWhollyKnown() || part.ContainsMarked():
			open++
		case nested != nil:
			if key := nested.KeyOf(part); !slices.Contains(parts, key) {
				parts = append(parts, key)
			}
		case part.Type() == cty.String && !part.IsNull():
			parts = append(parts, part.AsString())
		}
	}
	return parts, open
}
