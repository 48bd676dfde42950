package kube

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// keyHolds is where a stripped object keeps what a field manager has; no server writes such a key.
	keyHolds = "holds"
	// keyTime is when that manager wrote, in four bytes, where it is one of the latest and wrote more than the status.
	keyTime = "time"
	// mostLatest is how many field managers are named that wrote to an object.
	mostLatest = 3
)

// othersIn returns of the managed fields of an object which field managers that are none of ours have which fields, the
// newest first, so that a difference can name who made it. That is kept with each object that is watched, and whole these
// entries can be as large as the object: so of each field there are four bytes, see [holdings]. The status is left out,
// which controllers write all the time. With keep, only what lies at that path counts.
func othersIn(entries []any, object map[string]any, keep ...string) []any {
	type other struct {
		manager, at string
		holds       string
		wrote       bool
	}
	var others []other
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		manager, _ := e["manager"].(string)
		at, _ := e["time"].(string) // of one form, so that texts have the order of times
		fields, _ := e["fieldsV1"].(map[string]any)
		if manager == "" || strings.HasPrefix(manager, Manager) {
			continue
		}
		var has holdings
		if has.add(root, only(fields, keep), object); len(has) > 0 {
			others = append(others, other{manager, at, has.pack(), at != "" && e["subresource"] != "status"})
		}
	}
	slices.SortStableFunc(others, func(a, b other) int { return cmp.Compare(b.at, a.at) })
	var kept []any
	timed := 0
	for _, o := range others {
		entry := map[string]any{"manager": o.manager, keyHolds: o.holds}
		if at := packTime(o.at); o.wrote && timed < mostLatest && at != "" {
			entry[keyTime] = at
			timed++
		}
		kept = append(kept, entry)
	}
	return kept
}

// only returns what lies at a path of fields, with the path; without one all but the status.
func only(fields map[string]any, keep []string) map[string]any {
	if len(keep) == 0 {
		fields = maps.Clone(fields)
		delete(fields, "f:status")
		return fields
	}
	below, ok := fields[keep[0]].(map[string]any)
	if ok && len(keep) > 1 {
		below = only(below, keep[1:])
	}
	if len(below) == 0 {
		return nil
	}
	return map[string]any{keep[0]: below}
}

// stripped tells whether the managed fields are what [strip] leaves of them.
func stripped(entries []any) bool {
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(entry any) bool {
		e, _ := entry.(map[string]any)
		_, ok := e[keyHolds]
		return !ok
	})
}

// place is the short name of a field or of an element of a list within an object. Its lowest bit is that of [whole].
type place uint32

const (
	root  place  = 2166136261 &^ whole
	prime uint32 = 16777619 // of FNV-1a
	// whole is set where somebody has a field with all that may be in it, such as a list that is not merged.
	whole place = 1
)

func (p place) field(key string) place { return p.below("f", key) }

func (p place) element(index int) place { return p.below("i", strconv.Itoa(index)) }

func (p place) below(kind, name string) place {
	h := uint32(p)
	for _, part := range []string{kind, name} {
		for i := range len(part) {
			h = (h ^ uint32(part[i])) * prime
		}
		h = (h ^ 0xff) * prime // which is in no text
	}
	return place(h) &^ whole
}

// holdings are the places of all that a field manager has of an object, and of what they are in.
type holdings []place

// add takes in what an entry of the managed fields has of a value. There an element of a list goes by its keys or by
// itself, and here by where it is, as a difference knows nothing of those.
func (h *holdings) add(at place, fields map[string]any, value any) {
	for key, below := range fields {
		var next place
		var inside any
		if name, ok := strings.CutPrefix(key, "f:"); ok {
			in, _ := value.(map[string]any)
			next, inside = at.field(name), in[name]
		} else {
			items, _ := value.([]any)
			i := element(key, items)
			if i < 0 {
				continue // also the ".", which stands for the value itself
			}
			next, inside = at.element(i), items[i]
		}
		of, _ := below.(map[string]any)
		if len(of) == 0 {
			next |= whole
		}
		*h = append(*h, next)
		h.add(next&^whole, of, inside)
	}
}

// element returns where in a list the element is that the managed fields name so, or -1.
func element(name string, items []any) int {
	kind, text, _ := strings.Cut(name, ":")
	var wanted any
	if json.Unmarshal([]byte(text), &wanted) != nil {
		return -1
	}
	switch kind {
	case "k":
		keys, _ := wanted.(map[string]any)
		return slices.IndexFunc(items, func(item any) bool { return bears(item, keys) })
	case "v":
		return slices.IndexFunc(items, func(item any) bool { return same(wanted, item) })
	case "i":
		if n, ok := wanted.(float64); ok && n >= 0 && n < float64(len(items)) {
			return int(n)
		}
	}
	return -1
}

// bears tells whether an element of a list has the keys that identify it.
func bears(item any, keys map[string]any) bool {
	element, ok := item.(map[string]any)
	for key, value := range keys {
		have, there := element[key]
		ok = ok && there && same(value, have)
	}
	return ok && len(keys) > 0
}

func same(a, b any) bool { return isScalar(a) && isScalar(b) && sameScalar(a, b) }

// pack makes a text of the places that is the same each time.
func (h holdings) pack() string {
	slices.Sort(h)
	packed := make([]byte, 0, 4*len(h))
	for _, p := range slices.Compact(h) {
		packed = binary.BigEndian.AppendUint32(packed, uint32(p))
	}
	return string(packed)
}

// holds tells whether a packed text has a place.
func holds(packed string, p place) bool {
	for ; len(packed) >= 4; packed = packed[4:] {
		if place(binary.BigEndian.Uint32([]byte(packed[:4]))) == p {
			return true
		}
	}
	return false
}

// writerOf returns the field manager that wrote what a path leads to in a stripped object last, for people, where that is
// none of ours; "" where nobody has it, such as when it was taken away. Who has other fields is not meant, however lately
// that was.
func writerOf(entries []any, object any, to path) string {
	type around struct {
		place
		list bool
	}
	var over []around
	at, value, known, there := root, object, true, true
	for _, s := range to {
		items, list := value.([]any)
		over = append(over, around{at, list})
		if s.key != "" {
			fields, _ := value.(map[string]any)
			next, ok := fields[s.key]
			at, value, there = at.field(s.key), next, there && ok
			continue
		}
		i := s.index(items)
		if i < 0 {
			known, there = false, false
			break
		}
		at, value = at.element(i), items[i]
	}
	by := ""
	if known {
		by = newest(entries, at, at|whole)
	}
	for _, o := range slices.Backward(over) {
		// Who has all of a list took away what is not in it. Of a map that may have been somebody else.
		if by == "" && (o.list || there) {
			by = newest(entries, o.place|whole)
		}
	}
	return by
}

// packTime makes a short text of a time, "" of none.
func packTime(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return string(binary.BigEndian.AppendUint32(nil, uint32(at.Unix()))) //nolint:gosec // until 2106
}

// latest names the field managers that wrote to a stripped object last, with the times, for people: who takes something away
// leaves no other trace, and often has something else of the object. It is "" where nobody else wrote any of it.
func latest(entries []any) string {
	var names []string
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		manager, _ := e["manager"].(string)
		if at, _ := e[keyTime].(string); len(at) == 4 {
			seconds := binary.BigEndian.Uint32([]byte(at))
			names = append(names, strconv.Quote(manager)+" at "+time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339))
		}
	}
	return strings.Join(names, ", ")
}

// told adds to a field who wrote it last, or else who wrote to the object at all.
func told(field unit.Field, entries []any, object any, to path) unit.Field {
	if field.By = writerOf(entries, object, to); field.By == "" {
		field.Beside = latest(entries)
	}
	return field
}

// newest returns the newest field manager of those that have one of some places.
func newest(entries []any, places ...place) string {
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		packed, _ := e[keyHolds].(string)
		if slices.ContainsFunc(places, func(p place) bool { return holds(packed, p) }) {
			by, _ := e["manager"].(string)
			return by
		}
	}
	return ""
}

// managersIn returns the managed fields of an object.
func managersIn(metadata map[string]any) []any {
	entries, _ := metadata[fieldManagers].([]any)
	return entries
}
