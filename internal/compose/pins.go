package compose

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// hintLock is what to do about what is not locked.
const hintLock = "run kupenstack-sync lock, and commit " + chartlock.File

// pinned is an image that objects of ours run for a service, by the digest that it was locked to.
func (c *composer) pinned(service, image string) string {
	images, lock := c.m.Cloud.Images, c.facts.Lock
	if images == nil || !images.Lock || chartlock.Pinned(image) {
		return image
	}
	if digest := lock.Pins(service)[image]; digest != "" {
		return image + "@" + digest
	}
	if !c.facts.Unlocked && lock != nil && lock.Images != nil { // else no image has one, which is told once
		c.fail(codeUnlocked, images.Range, noAddress(), "an image is not locked",
			fmt.Sprintf("%s has no digest of %s, which runs beside %s", chartlock.File, image, service), hintLock)
	}
	return image
}

// checkPins tells of images that were never locked, or not for some services.
func (c *composer) checkPins() {
	images := c.m.Cloud.Images
	if !c.pins() || c.diags.HasErrors() {
		return
	}
	switch {
	case c.facts.Lock == nil || c.facts.Lock.Images == nil:
		c.fail(codeUnlocked, images.Range, noAddress(), "images are not locked", chartlock.File+" has no images, so that nobody could tell what would run", hintLock)
	case len(c.unpinned) > 0:
		c.fail(codeUnlocked, images.Range, noAddress(), "images are not locked",
			fmt.Sprintf("%s has no digest of what runs in %s", chartlock.File, strings.Join(c.unpinned, ", ")), hintLock)
	}
}

// pins tells whether images have to be locked.
func (c *composer) pins() bool {
	images := c.m.Cloud.Images
	return images != nil && images.Lock && !c.facts.Unlocked && c.m.Cloud.Deploys()
}

// checkServicePins finds out whether the lock has something of a service's own program, by the values of its chart. Which
// images a chart runs only the chart says, so that single ones without a digest are refused when it is rendered; of
// those that somebody wrote there is a warning before.
func (c *composer) checkServicePins(s *model.Service, values map[string]any) {
	if !c.pins() || c.facts.Lock == nil || c.facts.Lock.Images == nil {
		return
	}
	pins := c.facts.Lock.Pins(s.Name)
	imageOf := func(tag string) string {
		image, _ := get(values, tagsIn+"."+tag).(string)
		if image != "" && get(c.written[s.Name], tagsIn+"."+tag) == nil {
			image = inPlaceOf(image, c.m.Cloud.Images.Registries)
		}
		return image
	}
	named, locked := false, false
	for _, tag := range ownTags(s.Name) {
		image := imageOf(tag)
		named = named || image != ""
		locked = locked || chartlock.Pinned(image) || pins[image] != ""
	}
	if named && !locked {
		c.unpinned = append(c.unpinned, s.Name)
		return
	}
	var single []string
	for _, tag := range ownImages(c.written[s.Name]) {
		if image := imageOf(tag); image != "" && !chartlock.Pinned(image) && pins[image] == "" {
			single = append(single, fmt.Sprintf("%s (%s)", image, tag))
		}
	}
	if len(single) > 0 {
		c.diags.Append(diag.Diagnostic{
			Severity: diag.Warning, Code: codeUnlocked, Subject: &s.Range, Address: s.Address, Summary: "an image may not be locked",
			Detail: fmt.Sprintf("%s has no digest of %s for %s: what runs it is refused", chartlock.File, strings.Join(single, ", "), s.Name),
			Hint:   hintLock + "; or take it away where nothing runs it",
		})
	}
}

// ownTags are the entries of images.tags with a service's own program, of which something always runs.
func ownTags(service string) []string {
	var tags []string
	for image, names := range releaseTags()[service] {
		if image != clientImage {
			tags = append(tags, names...)
		}
	}
	for tag := range versionImages()[service] {
		tags = append(tags, tag)
	}
	return tags
}
