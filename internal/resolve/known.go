package resolve

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Objects returns the addresses of all objects, in order; after [Parts] also of those with mistakes, as
// far as it is known which there are: nothing is known of a block or module whose for_each has one.
func (e *Evaluator) Objects() []addr.Object {
	var all []addr.Object
	for _, m := range e.modules {
		for _, b := range m.blocks {
			switch {
			case b.address.Kind() == profileKind:
			case !b.repeated():
				all = append(all, b.address)
			default:
				for _, i := range b.instances {
					all = append(all, i.address)
				}
			}
		}
	}
	slices.SortFunc(all, addr.Object.Compare)
	return all
}
