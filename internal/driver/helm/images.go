package helm

import (
	"maps"
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
func redirect(values map[string]any, chart *source, spec *unit.Release) {
	if len(spec.Registries) == 0 {
		return
	}
	images, _ := values["images"].(map[string]any)
	named, _ := images["tags"].(map[string]any)
	all := maps.Clone(chart.tags())
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, named)
	for name, image := range all {
		text, is := image.(string)
		if !is || slices.Contains(spec.OwnImages, name) {
			continue
		}
		if elsewhere := redirected(text, spec.Registries); elsewhere != text {
			place(values, "images", "tags")[name] = elsewhere
		}
	}
}

// place returns the map at a place of values, which is made where there is none.
func place(values map[string]any, path ...string) map[string]any {
	for _, key := range path {
		inner, ok := values[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			values[key] = inner
		}
		values = inner
	}
	return values
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
