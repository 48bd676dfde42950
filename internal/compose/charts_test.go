package compose_test

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// leaves lists the places of a tree that hold something else than maps.
func leaves(values map[string]any, prefix string) []string {
	var found []string
	for key, v := range values {
		if below, ok := v.(map[string]any); ok && len(below) > 0 {
			found = append(found, leaves(below, prefix+key+".")...)
			continue
		}
		found = append(found, prefix+key)
	}
	slices.Sort(found)
	return found
}

// paths are the value paths of OpenStack-Helm's charts: deep maps are cut off there.
func paths(t *testing.T) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "test", "charts", "testdata", "value-paths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]struct {
		Paths map[string]string `json:"value_paths"`
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for name, f := range facts {
		all[name] = f.Paths
	}
	return all
}

// known tells whether a chart has a path among its defaults, or takes keys below it freely.
func known(listed map[string]string, path string) bool {
	if kind, ok := listed[path]; ok && kind != "" {
		return true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if listed[path[:end]] == "map" {
			return true
		}
	}
	return false
}

// TestPathsExist checks that OpenStack-Helm's charts have each path that compose writes. The values
// of our test charts are a part of theirs.
func TestPathsExist(t *testing.T) {
	listed := paths(t)
	if known(listed["nova"], "pod.replica.osapi") || !known(listed["nova"], "pod.replicas.osapi") {
		t.Fatal("the check finds nothing")
	}
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		checked := 0
		for _, name := range names(units) {
			r := composed.Release(t, units, name)
			written := leaves(r.Values, "")
			for _, s := range r.Secrets {
				written = append(written, strings.Join(s.Path, "."))
			}
			for _, path := range written {
				checked++
				if !known(listed[name], path) && !strings.HasPrefix(path, "conf.backends.") && !strings.HasPrefix(path, "conf.barbican.") { // of which they take any
					t.Errorf("%s has no %s", name, path)
				}
			}
		}
		if checked < 200 {
			t.Errorf("only %d paths were checked", checked)
		}
	})
}

func names(units map[string]unit.Unit) []string {
	var list []string
	for _, u := range units {
		if r, ok := u.Spec.(*unit.Release); ok {
			list = append(list, r.Name)
		}
	}
	slices.Sort(list)
	return list
}
