package chartkeys

import (
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// writers are the templates of the library that write out all that a map has, by how deep.
func writers() map[string]int {
	const utils = "helm-toolkit.utils."
	return map[string]int{utils + "to_oslo_conf": 2, utils + "to_ini": 2}
}

// doubtful returns which of the keys at the ends of paths are neither read by their names nor written out by the library with
// all that is beside them, in their order: only a rendering tells whether these change anything. There are none of a chart that
// OpenStack-Helm has nothing to do with.
func (k *Keys) doubtful(paths [][]string, values any) []int {
	if k == nil || k.opaque || !k.toolkit {
		return nil
	}
	var found []int
	var written *reads
	for i, path := range paths {
		if len(path) == 0 || k.others[path[0]] || k.has(path) || k.writtenOut(path) || k.shapely(path) || conditional(path) || ofGroups(path) {
			continue
		}
		at, key := path[:len(path)-1], path[len(path)-1]
		if k.read(k.reads, at, key, k.reads.top.lost) {
			continue
		}
		if written == nil {
			written = newReads()
			written.texts(values)
			written.follow(k.library, k.reads.followed)
		}
		lost := k.reads.top.lost || written.top.lost
		if !k.read(written, at, key, lost) && (!lost || !k.read(k.reads, at, key, true)) {
			found = append(found, i)
		}
	}
	return found
}

// conditional tells of what the library looks for by names that it computes, and only for certificates and Secrets that no switch
// alone brings: annotations, and how endpoints are called outside.
func conditional(path []string) bool {
	return path[0] == "annotations" || path[0] == "endpoints" && slices.Contains(path, "host_fqdn_override")
}

// ofGroups tells of groups of nodes, of which the first look says what it can. Nobody renders more of them to learn about keys: what
// libvirt's chart takes for that doubles with each.
func ofGroups(path []string) bool {
	at := strings.Join(path, ".") + "."
	return slices.ContainsFunc(groupings(), func(g grouping) bool { return strings.HasPrefix(at, g.at+".") })
}

// writtenOut tells whether the chart has the library write out the map that a path leads into.
func (k *Keys) writtenOut(path []string) bool {
	return slices.ContainsFunc(k.reads.written, func(w writing) bool {
		inside := len(path) - len(w.path)
		return inside > 0 && inside <= w.deep && slices.Equal(path[:len(w.path)], w.path)
	})
}

// shapely tells whether a path leads to a key that Kubernetes has in what it is put into.
func (k *Keys) shapely(path []string) bool {
	shape := k.shapeOf(path[:len(path)-1])
	if shape == nil || !ofKubernetes(shape) {
		return false
	}
	_, known := fieldsOf(shape)[path[len(path)-1]]
	return known
}

// hintAt says what was meant by a key that changes nothing: one that the chart has or reads there, or else one that it has there
// in a map beside, as of another endpoint.
func (k *Keys) hintAt(path []string) string {
	at, key := path[:len(path)-1], path[len(path)-1]
	here := k.keysAt(at)
	if config.Nearest(key, here) == "" && len(at) > 0 {
		var beside []string
		for _, name := range k.keysAt(at[:len(at)-1]) {
			beside = append(beside, k.keysAt(append(slices.Clone(at[:len(at)-1]), name))...)
		}
		if config.Nearest(key, beside) != "" {
			here = beside
		}
	}
	return hintOf(at, key, here)
}

// keysAt are those that the values of the chart have in a map, and that its templates read there by name, sorted.
func (k *Keys) keysAt(at []string) []string {
	defaults := k.defaults
	for _, step := range at {
		defaults, _ = defaults[step].(map[string]any)
	}
	keys := slices.Collect(maps.Keys(defaults))
	for path := range k.reads.absolute {
		if steps := strings.Split(path, separator); len(steps) == len(at)+1 && slices.Equal(steps[:len(at)], at) {
			keys = append(keys, steps[len(at)])
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
