package compose

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// insideGroups is how long the path to what is said of groups of nodes for a chart is at least.
const insideGroups = 5

// writtenKeys are the keys that people wrote for a service, for its chart to be held against, by path.
func (c *composer) writtenKeys(s *model.Service) []unit.WrittenKey {
	var found []unit.WrittenKey
	for _, path := range keyPaths(c.written[s.Name], nil) {
		if path[0] != "conf" || len(path) < insideGroups || path[1] != "overrides" {
			found = append(found, c.writtenKey(s, s.Settings, path))
		}
	}
	found = append(found, c.keysForNodes(s)...)
	slices.SortStableFunc(found, func(a, b unit.WrittenKey) int { return slices.Compare(a.Path, b.Path) })
	return slices.CompactFunc(found, func(a, b unit.WrittenKey) bool { return slices.Equal(a.Path, b.Path) })
}

// writtenValues are the keys of the values of a chart block.
func writtenValues(r *model.Resource, values map[string]any) []unit.WrittenKey {
	var found []unit.WrittenKey
	for _, path := range keyPaths(values, nil) {
		found = append(found, unit.WrittenKey{Path: path, Text: "values" + pathOf(path), Range: at(r, "values")})
	}
	return found
}

// keyPaths lead to all keys of a tree.
func keyPaths(tree map[string]any, above []string) [][]string {
	var paths [][]string
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		path := append(slices.Clone(above), key)
		inner, _ := tree[key].(map[string]any)
		paths = append(append(paths, path), keyPaths(inner, path)...)
	}
	return paths
}

// keysForNodes are those that profiles write for their nodes.
func (c *composer) keysForNodes(s *model.Service) []unit.WrittenKey {
	var found []unit.WrittenKey
	for _, own := range c.ownOfNodes(s) {
		for _, path := range attributePaths(own.Conf, []string{"conf"}) {
			found = append(found, c.writtenKey(s, own.Settings, path))
		}
	}
	return found
}

// attributePaths lead to all keys of maps, whatever is in them.
func attributePaths(v cty.Value, above []string) [][]string {
	var paths [][]string
	v, _ = v.Unmark()
	if t := v.Type(); !v.IsKnown() || v.IsNull() || !t.IsObjectType() && !t.IsMapType() {
		return nil
	}
	inner := v.AsValueMap()
	for _, key := range slices.Sorted(maps.Keys(inner)) {
		path := append(slices.Clone(above), key)
		paths = append(append(paths, path), attributePaths(inner[key], path)...)
	}
	return paths
}

// ownOfNodes are the conf of a service that profiles have for their nodes, once for each profile.
func (c *composer) ownOfNodes(s *model.Service) []model.NodeService {
	var found []model.NodeService
	done := map[string]bool{}
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if done[n.Profile] {
			continue
		}
		done[n.Profile] = true
		for _, own := range n.Services {
			if own.Name == s.Name && own.Conf != cty.NilVal {
				found = append(found, own)
			}
		}
	}
	return found
}

// writtenKey tells where a key was written: in values, which wins, or in conf or images.
func (c *composer) writtenKey(s *model.Service, settings []model.Setting, path []string) unit.WrittenKey {
	at, text := c.whereKey(s, settings, path)
	return unit.WrittenKey{Path: path, Text: text, Range: at.where}
}

// whereKey is where a key was written, and how it is written there.
func (c *composer) whereKey(s *model.Service, settings []model.Setting, path []string) (origin, string) {
	name, inside := "values", path
	at, ok := c.decides(s, settings, name, inside, nil)
	if !ok && path[0] == "conf" {
		name, inside = path[0], path[1:]
		at, _ = c.decides(s, settings, name, inside, nil)
	}
	if !ok && len(path) > len(steps(tagsIn)) && slices.Equal(path[:len(steps(tagsIn))], steps(tagsIn)) {
		name, inside = "images", path[len(steps(tagsIn)):]
		at, _ = c.decides(s, settings, name, inside, nil)
	}
	return at, name + pathOf(inside)
}
