package kube

import (
	"slices"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// index tells which units an object belongs to.
type index struct {
	mu     sync.Mutex
	byRef  map[unit.ObjectRef][]addr.Object
	byUnit map[addr.Object][]unit.ObjectRef
}

func newIndex() *index {
	return &index{byRef: map[unit.ObjectRef][]addr.Object{}, byUnit: map[addr.Object][]unit.ObjectRef{}}
}

// put replaces what is known of a unit.
func (x *index) put(address addr.Object, refs []unit.ObjectRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if slices.Equal(x.byUnit[address], refs) {
		return
	}
	for _, ref := range x.byUnit[address] {
		rest := slices.DeleteFunc(x.byRef[ref], func(other addr.Object) bool { return other == address })
		if len(rest) == 0 {
			delete(x.byRef, ref)
			continue
		}
		x.byRef[ref] = rest
	}
	x.byUnit[address] = slices.Clone(refs)
	for _, ref := range refs {
		x.byRef[ref] = append(x.byRef[ref], address)
	}
}

// units returns the units of an object.
func (x *index) units(ref unit.ObjectRef) []addr.Object {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.byRef[ref])
}
