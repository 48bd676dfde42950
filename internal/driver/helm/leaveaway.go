package helm

import (
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// leaveAway takes out of the values of a release what is null in them and not in the chart. Helm takes away what the chart
// has, and hands on any other null to the templates. These would make something of it that programs read: a policy that
// everybody meets, a line of a configuration that no program can read, or no object at all.
//
// What is null in groups of nodes stays: templates lay these over the configuration of all nodes, which has no such key then.
func leaveAway(values map[string]any, loaded *chart.Chart, spec *unit.Release) {
	if !spec.NullLeavesAway {
		return
	}
	beside := map[string]bool{chartutil.GlobalKey: true} // what other charts read, whose keys these know
	for _, c := range loaded.Dependencies() {
		beside[c.Name()] = true
	}
	for _, d := range loaded.Metadata.Dependencies {
		beside[d.Alias] = true
	}
	for key, v := range values {
		if below, isMap := v.(map[string]any); isMap && !beside[key] && key != groupsOfNodes {
			leaveAwayIn(below, tableAt(loaded.Values, key), key == "conf")
		} else if _, has := loaded.Values[key]; v == nil && !has && !beside[key] {
			delete(values, key)
		}
	}
}

// groupsOfNodes is the key of groups of nodes that differ, at the top of values or in conf.
const groupsOfNodes = "overrides"

// leaveAwayIn does so in one map, where the chart has another one in its place.
func leaveAwayIn(values, has map[string]any, groups bool) {
	for key, v := range values {
		if groups && key == groupsOfNodes {
			continue
		}
		if below, isMap := v.(map[string]any); isMap {
			leaveAwayIn(below, tableAt(has, key), false)
		} else if _, known := has[key]; v == nil && !known {
			delete(values, key)
		}
	}
}

// tableAt is the map at a key, empty where there is none.
func tableAt(values map[string]any, key string) map[string]any {
	below, _ := values[key].(map[string]any)
	return below
}
