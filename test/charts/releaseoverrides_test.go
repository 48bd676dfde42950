//go:build beds

package charts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOverridesOfReleases wants everything besides images that OpenStack-Helm sets for a release of OpenStack to be
// what a service gets, by its chart or from us.
func TestOverridesOfReleases(t *testing.T) {
	dir := checkoutOfCharts(t)
	compared := 0
	for _, release := range []string{"2025.1", "2025.2", "2026.1"} {
		source := composed.Source("ovn", "ceph")
		if release != "2026.1" { // there are no images of these
			source = composed.Without(source, "designate", "ironic", "magnum", "skyline")
		}
		m, ev := composed.Text(t, strings.Replace(source, `"2026.1"`, `"`+release+`"`, 1))
		for _, r := range releases(composed.Compose(t, m, ev, compose.Facts{})) {
			file := filepath.Join(dir, "values_overrides", r.Name, release+"-ubuntu_noble.yaml")
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			values, err := chartutil.CoalesceValues(theirs(t, dir, r.Name), r.Values)
			if err != nil {
				t.Fatal(err)
			}
			overrides := overridesIn(t, file)
			delete(overrides, "images")
			for _, path := range leavesOf(overrides, "") {
				if strings.HasSuffix(path, ".wsgi-file") && release != "2025.1" {
					continue // their lists have it still, and the script went with 2025.2
				}
				compared++
				if got, want := at(values, path), at(overrides, path); !reflect.DeepEqual(got, want) {
					t.Errorf("%s of %s: %s is %v, and OpenStack-Helm has %v", r.Name, release, path, got, want)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// leavesOf are the paths of all that is no map, sorted.
func leavesOf(values map[string]any, before string) []string {
	var paths []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := strings.TrimPrefix(fmt.Sprintf("%s.%s", before, key), ".")
		if below, is := values[key].(map[string]any); is {
			paths = append(paths, leavesOf(below, path)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}
