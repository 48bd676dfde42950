package compose

import (
	"maps"
	"slices"
	"strings"
)

// The values of a chart are a tree of maps. Our tables name places in it as Helm's --set does,
// with dots; no key of theirs has one.

func steps(path string) []string { return strings.Split(path, ".") }

// put sets a place and makes the maps above it.
func put(tree map[string]any, path string, v any) {
	keys := steps(path)
	for _, key := range keys[:len(keys)-1] {
		below, ok := tree[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			tree[key] = below
		}
		tree = below
	}
	tree[keys[len(keys)-1]] = v
}

// get returns what is at a place, nil where nothing is.
func get(tree map[string]any, path string) any {
	var at any = tree
	for _, key := range steps(path) {
		below, _ := at.(map[string]any)
		at = below[key]
	}
	return at
}

// covers tells whether the tree decides about a place: it has a value there, or something that is
// no map where the place would have to be inside.
func covers(tree map[string]any, path string) bool {
	var at any = tree
	for _, key := range steps(path) {
		below, ok := at.(map[string]any)
		if !ok {
			return true
		}
		if at, ok = below[key]; !ok {
			return false
		}
	}
	return true
}

// takenAway tells whether the tree leaves a place empty: null there, or around it, takes away what the chart has, which is as false
// then.
func takenAway(tree map[string]any, path string) bool {
	var at any = tree
	for _, key := range steps(path) {
		below, _ := at.(map[string]any)
		inner, there := below[key]
		if there && inner == nil {
			return true
		}
		at = inner
	}
	return false
}

// hasKey tells whether the tree has the very key, be it null.
func hasKey(tree map[string]any, path string) bool {
	keys := steps(path)
	last := len(keys) - 1
	var at any = tree
	for _, key := range keys[:last] {
		below, _ := at.(map[string]any)
		at = below[key]
	}
	around, _ := at.(map[string]any)
	_, there := around[keys[last]]
	return there
}

// overlay lays one tree over another: maps are merged, anything else is replaced. Neither of them
// is changed, nor are maps shared with the result.
func overlay(base, over map[string]any) map[string]any {
	merged := map[string]any{}
	for _, tree := range []map[string]any{base, over} {
		for key, v := range tree {
			above, isMap := v.(map[string]any)
			if !isMap {
				merged[key] = v
				continue
			}
			below, _ := merged[key].(map[string]any)
			merged[key] = overlay(below, above)
		}
	}
	return merged
}

// beyond returns what of over is not the same in base, so that overlay(base, result) has
// everything that over has.
func beyond(base, over map[string]any) map[string]any {
	more := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(over)) {
		v := over[key]
		before, there := base[key]
		inner, isMap := v.(map[string]any)
		below, wasMap := before.(map[string]any)
		switch {
		case isMap && wasMap:
			if part := beyond(below, inner); len(part) > 0 {
				more[key] = part
			}
		case !there || !same(before, v):
			more[key] = v
		}
	}
	return more
}

// except returns a tree without what another one decides, and the path to the first thing that is something else by that, nil
// for none.
func except(tree, by map[string]any) (left map[string]any, lost []string) {
	left = map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		decided, there := by[key]
		inner, isMap := tree[key].(map[string]any)
		below, decidesWithin := decided.(map[string]any)
		switch {
		case !there:
			left[key] = tree[key]
		case isMap && decidesWithin:
			part, path := except(inner, below)
			if len(part) > 0 {
				left[key] = part
			}
			if lost == nil && path != nil {
				lost = append([]string{key}, path...)
			}
		case lost == nil && !same(tree[key], decided) && !sameHidden(tree[key], decided):
			lost = []string{key}
		}
	}
	return left, lost
}

func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	default:
		switch b.(type) {
		case map[string]any, []any:
			return false
		}
		return a == b
	}
}
