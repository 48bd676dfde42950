package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// IdleRegistries warns of entries of registries that stand in for nothing: they are misspelt, or are left over. Images
// are those that services and their charts name, in full, but for those that somebody wrote as they are.
func IdleRegistries(m *model.Model, images []string) diag.Diagnostics {
	if m.TearDown || m.Cloud.Images == nil {
		return nil
	}
	written := m.Cloud.Images.Registries
	if m.Cloud.TLS != nil && m.Cloud.TLS.Image == "" && secured(m) {
		images = append(slices.Clone(images), schema.DefaultTLSImage)
	}
	if len(images) == 0 {
		return nil // nothing is deployed
	}
	used := map[string]bool{}
	for _, image := range images {
		used[standsIn(image, written)] = true
	}
	var found diag.Diagnostics
	for _, registry := range slices.Sorted(maps.Keys(written)) {
		if used[registry] {
			continue
		}
		where := m.Cloud.Images.RegistriesAt.At(registry)
		found.Append(diag.Diagnostic{
			Severity: diag.Warning, Code: codeRegistry, Subject: &where, Summary: "a registry without images",
			Detail: fmt.Sprintf("no image of a service is of %s, so that nothing is pulled from %s in its place", registry, written[registry]),
			Hint:   "there are images of " + strings.Join(registriesOf(images), ", ") + "; or take it out",
		})
	}
	return found
}

// registriesOf are the registries of images, sorted.
func registriesOf(images []string) []string {
	found := map[string]bool{}
	for _, image := range images {
		registry, _, _ := strings.Cut(image, "/")
		found[registry] = true
	}
	return slices.Sorted(maps.Keys(found))
}
