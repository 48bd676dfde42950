package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// imageFamily is who builds images of OpenStack.
type imageFamily struct {
	system   string   // what their tags have behind the release
	releases []string // that there are images of
	without  []string // the services that it builds none for: those of OpenStack-Helm's family stand in
}

// imageFamilies are those that OpenStack-Helm's values_overrides have. Of LOCI's, Heat's jobs have the image of
// Heat there in place of that of the client, which is the same program.
func imageFamilies() map[string]imageFamily {
	return map[string]imageFamily{
		schema.FamilyOpenStackHelm: {system: "-ubuntu_noble", releases: releases()},
		schema.FamilyLOCI:          {system: "-ubuntu_noble_loci", releases: []string{"2025.1", "2025.2"}, without: []string{"libvirt"}},
	}
}

func familyOf(images *model.Images) string {
	if images == nil {
		return schema.FamilyOpenStackHelm
	}
	return cmp.Or(images.Family, schema.FamilyOpenStackHelm)
}

// systemOf is what tags of a service's images have behind the release.
func systemOf(service string, images *model.Images) string {
	family := imageFamilies()[familyOf(images)]
	if slices.Contains(family.without, service) {
		family = imageFamilies()[schema.FamilyOpenStackHelm]
	}
	return family.system
}

// checkFamily tells of a family that has no images of the release of OpenStack.
func (c *composer) checkFamily() {
	cloud := &c.m.Cloud
	name := familyOf(cloud.Images)
	family := imageFamilies()[name]
	if !knownRelease(cloud.Release) || slices.Contains(family.releases, cloud.Release) {
		return
	}
	c.fail(codeRelease, cloud.Images.Range, noAddress(), "no images of this release",
		fmt.Sprintf("the family %q has no images of the release %q", name, cloud.Release), "there are: "+strings.Join(family.releases, ", ")+"; or leave family away")
}

// uncovered are the releases that there are no images of for a service. It gets those of its chart then.
func uncovered() map[string][]string {
	return map[string][]string{"designate": {"2025.1", "2025.2"}, "ironic": {"2025.1", "2025.2"}, "magnum": {"2025.1", "2025.2"}, "skyline": {"2025.1"}}
}

func covered(service, release string) bool { return !slices.Contains(uncovered()[service], release) }

// ofRelease tells whether a service has images of a release of OpenStack.
func ofRelease(service, release string) bool {
	return releaseTags()[service] != nil && covered(service, release)
}

func imageValues(service string, cloud *model.Cloud) []setting {
	if !covered(service, cloud.Release) {
		return nil
	}
	var list []setting
	for tag, image := range imagesByTag(service) {
		list = append(list, setting{path: "images.tags." + tag, value: imageRegistry + image + ":" + cloud.Release + systemOf(service, cloud.Images)})
	}
	return list
}

// pullValues are what OpenStack-Helm's charts take for a Secret that images are pulled with: their service
// accounts have it.
func pullValues(service string, images *model.Images) []setting {
	if images == nil || images.PullSecret == "" {
		return nil
	}
	return []setting{
		{path: "endpoints.oci_image_registry.auth.enabled", value: true},
		{path: "secrets.oci_image_registry." + service, value: images.PullSecret},
		{path: "manifests.secret_registry", value: false}, // which would make another one
	}
}

// tagsIn is where charts have their images, by name.
const tagsIn = "images.tags"

// ownImages are the entries of images.tags that somebody wrote, sorted.
func ownImages(written map[string]any) []string {
	tags, _ := get(written, tagsIn).(map[string]any)
	return slices.Sorted(maps.Keys(tags))
}

// writtenImages are the images of a service's own attribute as values of its chart; nil for none.
func writtenImages(s *model.Service) map[string]any {
	if len(s.Images) == 0 {
		return nil
	}
	tags := map[string]any{}
	for name, image := range s.Images {
		tags[name] = image
	}
	return map[string]any{"images": map[string]any{"tags": tags}}
}

// tellImages says of a service that it is not of the release that the cloud has, as long as one of its images is left
// to the chart.
func (c *composer) tellImages(s *model.Service) {
	release := c.m.Cloud.Release
	if covered(s.Name, release) {
		return
	}
	left := slices.Sorted(maps.Keys(imagesByTag(s.Name)))
	left = slices.DeleteFunc(left, func(tag string) bool { return get(c.written[s.Name], tagsIn+"."+tag) != nil })
	if len(left) == 0 {
		return
	}
	c.diags.Append(diag.Diagnostic{
		Severity: diag.Warning, Code: codeImages, Subject: &s.Range, Address: s.Address, Summary: "images of another release",
		Detail: fmt.Sprintf("no images of %s are known for the release %s; of its chart's it gets %s", s.Name, release, strings.Join(left, ", ")),
		Hint:   "to choose others: images = { … }",
	})
}

// imagesOf tells a release where its images are pulled from, and what they were locked to.
func (c *composer) imagesOf(release *unit.Release, service string) {
	images := c.m.Cloud.Images
	if images == nil {
		return
	}
	if len(images.Registries) > 0 {
		release.Registries, release.OwnImages = images.Registries, ownImages(c.written[service])
	}
	if images.Lock {
		release.Locked, release.Pins = true, c.facts.Lock.Pins(service)
		if service == "neutron" && c.connects() {
			release.Beside = []string{c.imageOfAgent()}
		}
	}
}
