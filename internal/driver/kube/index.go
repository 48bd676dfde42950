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
	wanted map[unit.Identity]addr.Object   // which unit wants an object
	wants  map[addr.Object][]unit.Identity // and back
}

func newIndex() *index {
	return &index{byRef: map[unit.ObjectRef][]addr.Object{}, byUnit: map[addr.Object][]unit.ObjectRef{}, wanted: map[unit.Identity]addr.Object{}, wants: map[addr.Object][]unit.Identity{}}
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

// want notes which objects a unit wants from now on. What moves from one unit to another is not deleted by the
// first.
func (x *index) want(target unit.Target) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range x.wants[target.Address] {
		if x.wanted[id] == target.Address {
			delete(x.wanted, id)
		}
	}
	delete(x.wants, target.Address)
	spec, ok := target.Spec.(*unit.Objects)
	if !ok {
		return
	}
	for _, item := range spec.Items {
		id := unit.RefOf(item).Identity()
		x.wanted[id] = target.Address
		x.wants[target.Address] = append(x.wants[target.Address], id)
	}
}

// wantedByOther tells whether another unit than one wants an object.
func (x *index) wantedByOther(than addr.Object, ref unit.ObjectRef) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	by, ok := x.wanted[ref.Identity()]
	return ok && by != than
}
