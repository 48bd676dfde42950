package compose

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// tellIdle warns of what is written and nothing comes of. It does no harm, and who wrote it takes it to do something.
func (c *composer) tellIdle(at origin, summary, detail, hint string) {
	c.failAt(codeIdle, at, summary, detail, hint)
	c.diags[len(c.diags)-1].Severity = diag.Warning
}

// tellIdleSize warns of the size of a volume that is not there.
func (c *composer) tellIdleSize(s *model.Service, values map[string]any) {
	if s.StorageSize == "" || onVolume(s.Name, values) {
		return
	}
	if keepsImages(values) {
		at, text := c.whereKey(s, s.Settings, steps(imagesClaim))
		c.tellIdle(c.lastOrigin(s, storageSize), "the size of no volume",
			fmt.Sprintf("storage_size of %s is that of a volume of ours, and %s, at %s:%d, is %s: images are kept on a claim that is there already, which has its own size",
				s.Name, text, at.where.File, at.where.Start.Line, cmp.Or(plainText(get(values, imagesClaim)), "null")),
			"take it away, and give that claim its size where it is made")
		return
	}
	c.tellIdle(c.lastOrigin(s, storageSize), "the size of no volume",
		fmt.Sprintf("storage_size of %s is that of a volume, and images are kept in %s, so that none has it", s.Name, cmp.Or(storageOf(plainText(get(values, imageStorage))), "nothing that the chart knows")),
		fmt.Sprintf("take it away; %s = %q keeps images on a volume, as long as %s is not deployed otherwise", imageStorage, schema.ImagesPVC, s.Name))
}

// imagesClaim is whether the chart of Glance makes the claim that images are on.
const imagesClaim = "manifests.pvc_images"

// onVolume tells whether a service that has volumes with these values keeps what it keeps on one of ours, as far as anybody
// knows: Glance may have images elsewhere.
func onVolume(service string, values map[string]any) bool {
	return service != imageService || keepsImages(values) && get(values, imagesClaim) != false && !takenAway(values, imagesClaim)
}

// keepsImages tells whether Glance has images on a volume, whoever has made that.
func keepsImages(values map[string]any) bool {
	kind := get(values, imageStorage)
	_, secret := kind.(hidden)
	return secret || storageOf(plainText(kind)) == schema.ImagesPVC
}

// tagged is the version that the tag of an image begins with, if it does. One number before something else may as well count
// somebody's own builds.
var tagged = regexp.MustCompile(`^[^@]*:v?(?:([0-9]+(?:\.[0-9]+)+)(?:[-_.][^/:@]*)?|([0-9]+))(?:@.*)?$`)

// highestVersion is the highest first number that a version of a service has, as far as tags go: what is higher is a release of
// OpenStack or a date.
const highestVersion = 99

// tellOtherVersion warns of a version beside an image of another one: the image is what runs.
func (c *composer) tellOtherVersion(s *model.Service) {
	tags := slices.Sorted(maps.Keys(versionImages()[s.Name]))
	if s.Name == databaseService {
		tags = []string{databaseService}
	}
	for _, tag := range tags {
		path := tagsIn + "." + tag
		image, _ := get(c.written[s.Name], path).(string)
		found := tagged.FindStringSubmatch(image)
		if s.Version == "" || found == nil || versionImages()[s.Name][tag][1] != "" {
			continue
		}
		version := found[1] + found[2]
		if agree(version, s.Version) {
			continue
		}
		by, text := c.whereKey(s, s.Settings, steps(path))
		c.tellIdle(c.lastOrigin(s, "version"), "another version than that of the image",
			fmt.Sprintf("version of %s is %s, and %s, at %s:%d, is %s: the image runs, and version has no effect on that", s.Name, s.Version, text, by.where.File, by.where.Start.Line, image),
			fmt.Sprintf("write version = %q, or take one of the two away", version))
	}
}

// agree tells whether two versions may be the same one, as far as both say.
func agree(a, b string) bool {
	of, as := strings.Split(a, "."), strings.FieldsFunc(b, func(r rune) bool { return strings.ContainsRune(".-_", r) })
	if n, err := strconv.Atoi(of[0]); err != nil || n > highestVersion {
		return true // it is no version
	}
	for i := range min(len(of), len(as)) {
		if of[i] != as[i] {
			_, err := strconv.Atoi(as[i])
			return err != nil // behind a dash
		}
	}
	return true
}
