package kube

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// anyStep is the step of a pattern that takes every key and every element.
const anyStep = "*"

// Yield returns desired with what live has at some paths, as [Cluster.Compare] writes them; a step * takes every
// key or element. What live has not there is left out, and what only live has and nobody would take away is not
// added. So neither a comparison nor an apply of the result is about these fields. Both objects stay as they are,
// and it sends nothing.
func (c *Cluster) Yield(desired, live *unstructured.Unstructured, paths []string) *unstructured.Unstructured {
	yielded := desired.DeepCopy()
	for _, path := range paths {
		steps := stepsOf(path)
		if len(steps) == 0 {
			continue
		}
		if len(steps) > 1 && steps[0] == "data" && desired.GetKind() == "Secret" {
			yielded.Object = withoutStringData(yielded.Object)
		}
		yield("", yielded.Object, live.Object, steps)
	}
	return yielded
}

// HasField tells whether a path of that form leads to something in an object.
func (c *Cluster) HasField(object *unstructured.Unstructured, path string) bool {
	content := object.Object
	if object.GetKind() == "Secret" {
		content = withoutStringData(content)
	}
	return leads("", content, stepsOf(path))
}

// stepsOf takes a path apart. What is in brackets may have dots.
func stepsOf(path string) []string {
	var steps []string
	for path != "" {
		if inner, rest, closed := strings.Cut(path, "]"); path[0] == '[' && closed {
			steps, path = append(steps, inner[1:]), rest
			continue
		}
		path = strings.TrimPrefix(path, ".")
		end := strings.IndexAny(path, ".[")
		if end <= 0 {
			return append(steps, path)
		}
		steps, path = append(steps, path[:end]), path[end:]
	}
	return steps
}

func takes(step, label string) bool { return step == anyStep || step == label }

// yield changes want, the value of a field, and returns it.
func yield(field string, want, have any, steps []string) any {
	switch want := want.(type) {
	case map[string]any:
		fields, is := have.(map[string]any)
		if !is && have != nil {
			return want // they are nothing alike
		}
		for key, value := range want {
			there, present := fields[key]
			switch {
			case !takes(steps[0], key):
			case len(steps) > 1:
				want[key] = yield(key, value, there, steps[1:])
			case present:
				want[key] = runtime.DeepCopyJSONValue(there)
			default:
				delete(want, key)
			}
		}
		return want
	case []any:
		items, _ := have.([]any)
		if keys := identity(field, want, items); keys != nil {
			return yieldNamed(field, want, items, keys, steps)
		}
		return yieldPlaces(field, want, items, steps)
	default:
		return want
	}
}

// yieldNamed is yield for a list whose elements have something that identifies them.
func yieldNamed(field string, want, have []any, keys, steps []string) any {
	places := map[string][]int{}
	for i, item := range have {
		id := idOf(item, keys)
		places[id] = append(places[id], i)
	}
	result, taken, seen := []any{}, make([]bool, len(have)), map[string]int{}
	for _, item := range want {
		id := idOf(item, keys)
		nth := seen[id]
		seen[id]++
		there := nth < len(places[id])
		if there {
			taken[places[id][nth]] = true
		}
		switch {
		case !takes(steps[0], id):
		case len(steps) > 1 && there:
			item = yield("", item, have[places[id][nth]], steps[1:])
		case len(steps) > 1: // it is missing as a whole
		case there:
			item = runtime.DeepCopyJSONValue(have[places[id][nth]])
		default:
			continue
		}
		result = append(result, item)
	}
	for i, item := range have {
		if len(steps) == 1 && !taken[i] && !shared(field) && takes(steps[0], idOf(item, keys)) {
			result = append(result, runtime.DeepCopyJSONValue(item))
		}
	}
	return result
}

// yieldPlaces is yield for a list whose elements belong together by their places, which none may change.
func yieldPlaces(field string, want, have []any, steps []string) any {
	for i, item := range want {
		switch {
		case !takes(steps[0], strconv.Itoa(i)) || i >= len(have):
		case len(steps) > 1:
			want[i] = yield("", item, have[i], steps[1:])
		default:
			want[i] = runtime.DeepCopyJSONValue(have[i])
		}
	}
	if len(steps) > 1 {
		return want
	}
	for last := len(want) - 1; last >= len(have) && takes(steps[0], strconv.Itoa(last)); last-- {
		want = want[:last]
	}
	for next := len(want); next < len(have) && !shared(field) && takes(steps[0], strconv.Itoa(next)); next++ {
		want = append(want, runtime.DeepCopyJSONValue(have[next]))
	}
	return want
}

// leads tells whether steps lead to something in the value of a field.
func leads(field string, value any, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for key, element := range value {
			if takes(steps[0], key) && leads(key, element, steps[1:]) {
				return true
			}
		}
	case []any:
		keys := identity(field, value, value)
		for i, element := range value {
			label := strconv.Itoa(i)
			if keys != nil {
				label = idOf(element, keys)
			}
			if takes(steps[0], label) && leads("", element, steps[1:]) {
				return true
			}
		}
	}
	return false
}
