package helm

import (
	"slices"
	"strings"

	"github.com/distribution/reference"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// valuesFile is where a chart has its defaults.
const valuesFile = "values.yaml"

// tags are the images of a chart by name, which OpenStack-Helm's charts all have in images.tags. A chart without
// has none.
func (s *source) tags() map[string]any {
	s.once.Do(func() {
		for _, file := range s.files {
			if file.Name != valuesFile {
				continue
			}
			if values, err := chartutil.ReadValues(file.Data); err == nil { // else it cannot be rendered, which is told
				images, _ := values["images"].(map[string]any)
				s.images, _ = images["tags"].(map[string]any)
			}
		}
	})
	return s.images
}

// redirect has the images of a release pulled from where the specification says: those that its values name
// and those that only the chart does.
func redirect(values map[string]any, chart map[string]any, spec *unit.Release) {
	if len(spec.Registries) == 0 {
		return
	}
	images, _ := values["images"].(map[string]any)
	named, _ := images["tags"].(map[string]any)
	tags := map[string]any{}
	for _, known := range []map[string]any{chart, named} {
		for name, image := range known {
			tags[name] = image
		}
	}
	for name, image := range tags {
		if text, is := image.(string); is && !slices.Contains(spec.OwnImages, name) {
			tags[name] = redirected(text, spec.Registries)
		}
	}
	if len(tags) == 0 {
		return
	}
	if images == nil {
		images = map[string]any{}
		values["images"] = images
	}
	images["tags"] = tags
}

// redirected is an image in the registry that stands in for its own; the image itself where none does, or it is
// no image.
func redirected(image string, registries map[string]string) string {
	named, err := reference.ParseNormalizedNamed(image) // docker.io/library where a name is short
	if err != nil {
		return image
	}
	best := ""
	for of := range registries {
		if len(of) > len(best) && (named.Name() == of || strings.HasPrefix(named.Name(), of+"/")) {
			best = of
		}
	}
	if best == "" {
		return image
	}
	return registries[best] + strings.TrimPrefix(named.String(), best)
}
