package addr

import "strings"

// Move returns where o stands after what from names has become what to names, and whether o was
// concerned at all. Both are modules, or both are objects of one mode and kind.
//
// Where neither from nor to has a key at its end, all keys of the block or the call move along. Where
// one has, only what from names exactly moves: network.a to network.b["x"] moves the one object
// without a key. Keys before the end are taken as they are written.
func (o Object) Move(from, to Address) (Object, bool) {
	switch from := from.(type) {
	case Object:
		to, ok := to.(Object)
		if !ok || from.mode != o.mode || from.kind != o.kind || from.name != o.name || from.module != o.module {
			return o, false
		}
		if from.key.set || to.key.set {
			return to, from.key == o.key
		}
		return to.WithKey(o.key), true
	case Module:
		to, ok := to.(Module)
		if !ok {
			return o, false
		}
		moved, ok := o.module.move(from, to)
		return o.In(moved), ok
	}
	return o, false
}

// move is Object.Move for the module that an object stands in.
func (m Module) move(from, to Module) (Module, bool) {
	if m.IsRoot() || !strings.HasPrefix(m.path, from.path) { // most are elsewhere, which is told at once
		return m, false
	}
	source, target, path := from.Steps(), to.Steps(), m.Steps()
	if len(source) == 0 || len(target) == 0 || len(path) < len(source) {
		return m, false
	}
	last := len(source) - 1
	all := !source[last].Key.set && !target[len(target)-1].Key.set
	for i, step := range source {
		if step.Name != path[i].Name || step.Key != path[i].Key && (i < last || !all) {
			return m, false
		}
	}
	if all {
		target[len(target)-1].Key = path[last].Key
	}
	var moved Module
	for _, step := range append(target, path[len(source):]...) {
		moved = moved.child(step.Name, step.Key)
	}
	return moved, true
}
