package kube

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// items compares lists. Elements that are maps belong together by what identifies them, others by
// their place.
func (d *differ) items(at path, want, have []any) {
	name := at[len(at)-1].key
	keys := identity(name, want, have)
	if keys == nil {
		d.places(at, want, have)
		return
	}
	places := map[string][]int{}
	for i, item := range have {
		id := idOf(item, keys)
		places[id] = append(places[id], i)
	}
	taken, seen := make([]bool, len(have)), map[string]int{}
	for _, item := range want {
		id := idOf(item, keys)
		nth := seen[id] // charts repeat names of variables: the second belongs to the second
		seen[id]++
		next := at.element(step{label: id, nth: nth, match: func(element any) bool { return idOf(element, keys) == id }})
		if nth >= len(places[id]) {
			d.differs(next, item, nil)
			continue
		}
		place := places[id][nth]
		taken[place] = true
		d.value(next, item, have[place])
	}
	if !shared(name) {
		d.extra(at, have, func(i int) (string, bool) { return idOf(have[i], keys), taken[i] })
	}
}

// places compares lists element by element. Such a list belongs as a whole to whoever writes it.
func (d *differ) places(at path, want, have []any) {
	if slices.ContainsFunc(want, isScalar) && len(want) != len(have) {
		d.differs(at, want, anyOf(have))
		return
	}
	for i, item := range want {
		next := at.element(step{label: strconv.Itoa(i), nth: i})
		if i >= len(have) {
			d.differs(next, item, nil)
			continue
		}
		d.value(next, item, have[i])
	}
	d.extra(at, have, func(i int) (string, bool) { return strconv.Itoa(i), i < len(want) })
}

// extra notes elements that nobody wants.
func (d *differ) extra(at path, have []any, wanted func(int) (label string, wanted bool)) {
	for i, item := range have {
		if label, ok := wanted(i); !ok {
			d.found = append(d.found, difference{path: at.element(step{label: label, nth: i}), have: item, secret: d.secret, list: true})
		}
	}
}

func anyOf(items []any) any {
	if items == nil {
		return nil
	}
	return items
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}

// shared tells whether several may add elements to a list of the built-in kinds, by the fields'
// merge keys in the Kubernetes API.
func shared(field string) bool {
	switch field {
	case "containers", "initContainers", "ephemeralContainers", "env", "ports", "volumes", "volumeMounts", "volumeDevices",
		"hostAliases", "imagePullSecrets", "topologySpreadConstraints", "conditions", "secrets", "ownerReferences":
		return true
	default:
		return false
	}
}

// identity returns the keys whose values identify the elements of a list, or nil when only their
// place does.
func identity(field string, want, have []any) []string {
	for _, keys := range candidates(field) {
		if len(want) > 0 && identify(want, keys) && identify(have, keys) {
			return keys
		}
	}
	return nil
}

// candidates are the merge keys of lists in the Kubernetes API, the special ones by field.
func candidates(field string) [][]string {
	switch field {
	case "volumeMounts":
		return [][]string{{"mountPath"}}
	case "volumeDevices":
		return [][]string{{"devicePath"}}
	case "topologySpreadConstraints":
		return [][]string{{"topologyKey", "whenUnsatisfiable"}}
	case "conditions":
		return [][]string{{"type"}}
	case "ports":
		return [][]string{{"name"}, {"containerPort", "protocol"}, {"port", "protocol"}}
	case "tolerations", "subjects", "rules":
		return nil // their elements have such keys, but do not have them alone
	default:
		return [][]string{{"name"}, {"key"}, {"ip"}, {"uid"}}
	}
}

// identify tells whether every element has the first of the keys, as a text or number.
func identify(items []any, keys []string) bool {
	for _, item := range items {
		element, ok := item.(map[string]any)
		if !ok {
			return false
		}
		if value := element[keys[0]]; value == nil || value == "" || !isScalar(value) {
			return false
		}
	}
	return true
}

// idOf returns what identifies an element, as it is shown in a path.
func idOf(item any, keys []string) string {
	element, _ := item.(map[string]any)
	parts := make([]string, 0, len(keys))
	for _, key := range keys {
		value := element[key]
		if value == nil && key == "protocol" {
			value = "TCP" // the default
		}
		parts = append(parts, fmt.Sprint(value))
	}
	return strings.Join(parts, "/")
}
