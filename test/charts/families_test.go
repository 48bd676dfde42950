//go:build beds

package charts_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestFamiliesOfOpenStackHelm holds the images that a family has of a release against OpenStack-Helm's own list.
func TestFamiliesOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	for family, releasesOf := range map[string][]string{
		schema.FamilyOpenStackHelm: {"2025.1", "2025.2", "2026.1"}, schema.FamilyLOCI: {"2025.1", "2025.2"},
	} {
		for _, release := range releasesOf {
			source := composed.Source("ovn", "ceph", "images { family = \""+family+"\" }\n")
			m, ev := composed.Text(t, strings.Replace(composed.Without(source, "designate", "magnum", "skyline"), `"2026.1"`, `"`+release+`"`, 1))
			compared := 0
			for _, r := range releases(composed.Compose(t, m, ev, compose.Facts{})) {
				tags, _ := at(r.Values, "images.tags").(map[string]any)
				name := release + "-ubuntu_noble.yaml"
				if family == schema.FamilyLOCI && r.Name != "libvirt" {
					name = "loci-" + name
				}
				file := filepath.Join(dir, "values_overrides", r.Name, name)
				if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
					continue
				}
				theirs, _ := at(overridesIn(t, file), "images.tags").(map[string]any)
				for _, tag := range slices.Sorted(maps.Keys(tags)) {
					want, there := theirs[tag]
					client := family == schema.FamilyLOCI && r.Name == "heat" && strings.Contains(tags[tag].(string), "/openstack-client:")
					if !there || client || r.OpenStackRelease == "" {
						continue
					}
					if compared++; tags[tag] != want {
						t.Errorf("%s of %s, %s: %s is %v, and OpenStack-Helm has %v", family, release, r.Name, tag, tags[tag], want)
					}
				}
			}
			if compared < 50 {
				t.Errorf("%s of %s: %d images were compared", family, release, compared)
			}
		}
	}
}
