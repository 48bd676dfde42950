package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Gone returns the fields that an apply of desired as the manager takes away: those that it alone has applied before,
// by the managed fields of the live object, and that desired has no more. What live has by the watch is without these,
// so the server is asked, unless live has nothing beyond desired. An answer is remembered as long as both stay the same.
func (c *Cluster) Gone(ctx context.Context, manager string, desired, live *unstructured.Unstructured) ([]unit.Field, error) {
	if !beyond(desired, live) {
		return nil, nil
	}
	about, err := verdictOf(manager, desired, live)
	if err != nil {
		return nil, err
	}
	if fields, ok := c.verdicts.goes(about); ok {
		return fields, nil
	}
	whole, err := c.read(ctx, unit.RefOf(desired.Object))
	if err != nil || whole == nil || whole.GetUID() != live.GetUID() {
		return nil, err // it is another one by now, and the watch is about to tell
	}
	fields := c.TakenAway(appliedBy(manager, whole), desired, whole)
	c.verdicts.putGone(about, fields)
	return fields, nil
}

// beyond tells whether an object may have something that is not written in desired.
func beyond(desired, live *unstructured.Unstructured) bool {
	content := desired.Object
	if isSecret(desired) {
		content = withoutStringData(content)
	}
	for key, value := range live.Object {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
		default:
			if exceeds(content[key], value) {
				return true
			}
		}
	}
	for _, key := range []string{"annotations", "labels", "finalizers"} {
		if exceeds(metadataOf(desired)[key], metadataOf(live)[key]) {
			return true
		}
	}
	return false
}

// exceeds tells whether a value that is there may have more than what is wanted. Of what is in lists it is only certain
// while that is the same.
func exceeds(want, have any) bool {
	switch have := have.(type) {
	case map[string]any:
		fields, _ := want.(map[string]any)
		for key, value := range have {
			if exceeds(fields[key], value) {
				return true
			}
		}
		return false
	case []any:
		return !has("", want, have)
	default:
		return want == nil && !empty(have)
	}
}

// appliedBy returns what of an object, as the server has it, a field manager alone has applied. Of an element of a list
// that is what identifies it, too.
func appliedBy(manager string, object *unstructured.Unstructured) *unstructured.Unstructured {
	var own map[string]any
	var others []map[string]any
	for _, entry := range managersIn(metadataOf(object)) {
		e, _ := entry.(map[string]any)
		fields, _ := e["fieldsV1"].(map[string]any)
		switch {
		case e["subresource"] == "status":
		case e["manager"] == manager && e["operation"] == "Apply":
			own = fields
		default:
			others = append(others, fields)
		}
	}
	part, _ := partOf(object.Object, own, others).(map[string]any)
	if part == nil {
		part = map[string]any{}
	}
	part["apiVersion"], part["kind"] = object.GetAPIVersion(), object.GetKind()
	return &unstructured.Unstructured{Object: part}
}

// partOf returns what of a value the managed fields have, but for what those of others have as well; nil for nothing.
func partOf(value any, fields map[string]any, others []map[string]any) any {
	switch value := value.(type) {
	case map[string]any:
		part := map[string]any{}
		for key, below := range fields {
			name, ok := strings.CutPrefix(key, "f:")
			inside, there := value[name]
			if !ok || !there {
				continue
			}
			if p := partBelow(key, inside, below, others); p != nil {
				part[name] = p
			}
		}
		if len(part) == 0 {
			return nil
		}
		return part
	case []any:
		parts := map[int]any{}
		for key, below := range fields {
			i := element(key, value)
			if i < 0 {
				continue // also the ".", which stands for the list itself
			}
			p := partBelow(key, value[i], below, others)
			if of, ok := p.(map[string]any); ok {
				maps.Copy(of, identifying(key))
			}
			if p != nil {
				parts[i] = p
			}
		}
		var list []any
		for _, i := range slices.Sorted(maps.Keys(parts)) {
			list = append(list, parts[i])
		}
		if list == nil {
			return nil
		}
		return list
	default:
		return nil
	}
}

// partBelow is partOf for what the managed fields have under a key.
func partBelow(key string, value, below any, others []map[string]any) any {
	fields, _ := below.(map[string]any)
	var also []map[string]any
	for _, other := range others {
		of, ok := other[key].(map[string]any)
		switch {
		case !ok:
		case len(of) == 0:
			return nil // another one has all of it
		default:
			also = append(also, of)
		}
	}
	if len(fields) == 0 { // all of it is the manager's
		if len(also) > 0 {
			return nil
		}
		return value
	}
	return partOf(value, fields, also)
}

// identifying returns what identifies an element of a list, by its name in the managed fields.
func identifying(name string) map[string]any {
	var keys map[string]any
	if text, ok := strings.CutPrefix(name, "k:"); !ok || json.Unmarshal([]byte(text), &keys) != nil {
		return nil
	}
	return keys
}
