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
	others map[unit.Identity]watchKey      // in which watch one of these is that others manage by its label
	shared map[watchKey]int                // and how many are in each
}

func newIndex() *index {
	return &index{
		byRef: map[unit.ObjectRef][]addr.Object{}, byUnit: map[addr.Object][]unit.ObjectRef{},
		wanted: map[unit.Identity]addr.Object{}, wants: map[addr.Object][]unit.Identity{}, others: map[unit.Identity]watchKey{}, shared: map[watchKey]int{},
	}
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

// want notes which objects a unit wants from now on, and who manages them by their labels; see [otherManager]. What moves
// from one unit to another is not deleted by the first.
func (x *index) want(target unit.Target, managers map[unit.ObjectRef]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unwant(target.Address)
	spec, ok := target.Spec.(*unit.Objects)
	if !ok {
		return
	}
	for _, item := range spec.Items {
		ref := unit.RefOf(item)
		id := ref.Identity()
		x.wanted[id] = target.Address
		x.wants[target.Address] = append(x.wants[target.Address], id)
		x.leave(id)
		if by := managers[ref]; by != "" {
			key := watchKey{apiVersion: ref.APIVersion, kind: ref.Kind, namespace: ref.Namespace, manager: by}
			x.others[id] = key
			x.shared[key]++
		}
	}
}

// leave says that an object is in none of the watches of what others manage; x.mu is held.
func (x *index) leave(id unit.Identity) {
	key, ok := x.others[id]
	if !ok {
		return
	}
	delete(x.others, id)
	if x.shared[key]--; x.shared[key] == 0 {
		delete(x.shared, key)
	}
}

// unwant forgets what a unit wants, but for what another one wants since; x.mu is held.
func (x *index) unwant(address addr.Object) {
	for _, id := range x.wants[address] {
		if x.wanted[id] == address {
			delete(x.wanted, id)
			x.leave(id)
		}
	}
	delete(x.wants, address)
}

// retain forgets what units want that nobody wants any more.
func (x *index) retain(wanted func(addr.Object) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for address := range x.wants {
		if !wanted(address) {
			x.unwant(address)
		}
	}
}

// watches tells whether an object that a unit wants is in a watch of what others manage. Where its kind is in no namespace,
// one that it names all the same counts for nothing.
func (x *index) watches(key watchKey) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for other := range x.shared {
		if key.namespace == "" {
			other.namespace = ""
		}
		if other == key {
			return true
		}
	}
	return false
}

// wantedByOther tells whether another unit than one wants an object.
func (x *index) wantedByOther(than addr.Object, ref unit.ObjectRef) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	by, ok := x.wanted[ref.Identity()]
	return ok && by != than
}
