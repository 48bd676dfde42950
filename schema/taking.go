package schema

import (
	"maps"
	"slices"
)

// Taking is what an object takes of the quota of its project. Limits are called as the quota of a project calls them.
type Taking struct {
	// Counts is the limit of how many there are.
	Counts string
	// Sizes are attributes, by the limits that they count for.
	Sizes map[string]string
	// Of is the attribute that refers to what has those of Sizes where the object has none; "" for none.
	Of string
	// Largest are attributes, by limits that hold for each object alone: the size of a volume, or the items of a map, of
	// which our mark is one more.
	Largest map[string]string
	// Noted are attributes, by limits of Largest: one more item of the map is in an object that is made with false.
	Noted map[string]string
	// Shared are attributes that refer to a thing, by the limits of how many objects may refer to the same one.
	Shared map[string]string
	// Parts are nested blocks and lists, by the limits that each of their elements counts for.
	Parts map[string]string
	// Lone are lists, by limits that a new object counts one for while none of the lists is written.
	Lone map[string][]string
	// First are the keys of parts that OpenStack gives a new object by itself.
	First []string
	// Brings is what OpenStack makes by itself, by limits, in a project with the first object that somebody makes there.
	Brings map[string]int64
	// Room says that parts which are taken out go before others come.
	Room bool
}

// Limits are those that depend on how large an object is, in no order. They grow by object.
func (t *Taking) Limits() []string {
	return append(slices.Collect(maps.Keys(t.Sizes)), slices.Collect(maps.Keys(t.Parts))...)
}

// takes tells whether an object takes of a limit.
func (t *Taking) takes(limit string) bool {
	_, lone := t.Lone[limit]
	for _, names := range []map[string]string{t.Sizes, t.Largest, t.Shared, t.Parts} {
		if _, is := names[limit]; is {
			return true
		}
	}
	return lone || limit == t.Counts
}

// Resizes tells whether an attribute says how large an object is.
func (t *Taking) Resizes(attribute string) bool {
	for _, names := range []map[string]string{t.Sizes, t.Largest, t.Parts} {
		if slices.Contains(slices.Collect(maps.Values(names)), attribute) {
			return true
		}
	}
	return t.Of != "" && attribute == t.Of
}
