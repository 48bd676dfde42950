//go:build beds

package charts_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
			if release != "2026.1" { // there are no images of these
				source = composed.Without(source, "designate", "ironic", "magnum", "skyline")
			}
			m, ev := composed.Text(t, strings.Replace(source, `"2026.1"`, `"`+release+`"`, 1))
			compared := 0
			for _, r := range releases(composed.Compose(t, m, ev, compose.Facts{})) {
				tags, _ := at(r.Values, "images.tags").(map[string]any)
				defaults, _ := at(theirs(t, dir, r.Name).Values, "images.tags").(map[string]any)
				wantRelease(t, r.Name, release, defaults, tags)
				name := release + "-ubuntu_noble.yaml"
				if family == schema.FamilyLOCI && r.Name != "libvirt" {
					name = "loci-" + name
				}
				file := filepath.Join(dir, "values_overrides", r.Name, name)
				if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
					continue
				}
				overrides, _ := at(overridesIn(t, file), "images.tags").(map[string]any)
				for _, tag := range slices.Sorted(maps.Keys(overrides)) {
					got, _ := tags[tag].(string)
					client := family == schema.FamilyLOCI && r.Name == "heat" && strings.Contains(got, "/openstack-client:")
					if _, read := defaults[tag]; !read || client || !ofSomeRelease(overrides[tag]) {
						continue // of what no release is in, the newest serves all of them
					}
					if compared++; got != overrides[tag] {
						t.Errorf("%s of %s, %s: %s is %q, and OpenStack-Helm has %v", family, release, r.Name, tag, got, overrides[tag])
					}
				}
			}
			if compared < 50 {
				t.Errorf("%s of %s: %d images were compared", family, release, compared)
			}
		}
	}
}

// ofSomeRelease tells whether an image has a release of OpenStack in its tag.
func ofSomeRelease(image any) bool {
	text, _ := image.(string)
	return regexp.MustCompile(`:20[0-9]{2}\.[12]\b`).MatchString(text)
}

// wantRelease wants every image that has a release in a chart to be of the cloud's.
func wantRelease(t *testing.T, chart, release string, defaults, tags map[string]any) {
	t.Helper()
	for _, tag := range slices.Sorted(maps.Keys(defaults)) {
		// The agent for BGP is off, and there are no images of it of other releases in OpenStack-Helm's lists.
		if chart == "ovn" && (tag == "ovn_bgp_agent" || tag == "frr") || !ofSomeRelease(defaults[tag]) {
			continue
		}
		if got, _ := tags[tag].(string); !strings.Contains(got, ":"+release+"-") {
			t.Errorf("%s of %s stays at %v: it is %q", tag, chart, defaults[tag], got)
		}
	}
}
