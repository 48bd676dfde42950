package chartkeys

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// grouping is how the library makes DaemonSets for groups of nodes: of all that is below a place it takes what has the name
// of one of the chart's DaemonSets, and does not say what it left.
type grouping struct {
	at       string   // the place
	template string   // that does it
	kinds    []string // of groups, the keys that it takes
	listed   bool     // the groups are in lists, by what is said of each
}

func groupings() []grouping {
	return []grouping{
		{conf + ".overrides", "helm-toolkit.utils.daemonset_overrides", []string{"hosts", "labels"}, true},
		{"overrides", "helm-toolkit.utils.daemonset_overrides_root", []string{"labels", "overrides_default"}, false},
	}
}

// groupKeys are those of a group in a list of a kind.
func groupKeys(kind string) []string {
	if kind == "hosts" {
		return []string{"conf", "name"}
	}
	return []string{"conf", "label"}
}

// groupsOf returns the names of the DaemonSets that may have groups, by the place. Where a template does not say which one it
// is, or one of another chart may have groups there, any name may be right, and there are none.
func groupsOf(c Chart) map[string][]string {
	named := regexp.MustCompile(`\$daemonset\s*:?=\s*"([^"]+)"`)
	found := map[string][]string{}
	for _, g := range groupings() {
		var names []string
		for _, text := range c.Templates {
			if !strings.Contains(text, `"`+g.template+`"`) {
				continue
			}
			all := named.FindAllStringSubmatch(text, -1)
			if all == nil || c.Name == "" {
				names = nil
				break
			}
			for _, match := range all {
				names = append(names, c.Name+"_"+match[1])
			}
		}
		if names != nil {
			slices.Sort(names)
			found[g.at] = slices.Compact(names)
		}
	}
	return found
}

// inGroups tells of a key that the library does not take where it looks for groups of nodes: the name of a DaemonSet, a kind of
// groups, or what is said of one in a list, to which within leads.
func (k *Keys) inGroups(path []string, values any) (within, hint string, is bool) {
	for _, g := range groupings() {
		names, known := k.groups[g.at]
		steps := strings.Split(g.at, ".")
		inside := len(path) - len(steps)
		if !known || inside < 1 || !slices.Equal(path[:len(steps)], steps) {
			continue
		}
		at, key := path[:len(path)-1], path[len(path)-1]
		switch inside {
		case 1:
			if !slices.Contains(names, key) && !k.has(path) {
				return "", hintOf(at, key, names), true
			}
		case 2:
			if !slices.Contains(g.kinds, key) {
				return "", hintOf(at, key, g.kinds), slices.Contains(names, at[len(at)-1])
			}
			if within, hint := inGroup(path, values); g.listed && within != "" {
				return within, hint, true
			}
		}
	}
	return "", "", false
}

// inGroup finds the first key of a listed group that is none.
func inGroup(path []string, values any) (within, hint string) {
	keys := groupKeys(path[len(path)-1])
	for i, element := range listAt(path, values) {
		m, _ := element.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(keys, key) {
				return fmt.Sprintf("[%d].%s", i, key), hintOf(nil, key, keys)
			}
		}
	}
	return "", ""
}

// has tells whether the values of the chart have a key.
func (k *Keys) has(path []string) bool {
	var at any = k.defaults
	for _, step := range path {
		m, _ := at.(map[string]any)
		inner, is := m[step]
		if !is {
			return false
		}
		at = inner
	}
	return true
}

// hintOf says what was meant by a key of a map, or what there is.
func hintOf(at []string, key string, keys []string) string {
	if near := config.Nearest(key, keys); near != "" {
		return "did you mean " + strings.Join(append(slices.Clone(at), near), ".") + "?"
	}
	return config.OneOf(key, keys)
}
