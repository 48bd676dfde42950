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
func redirect(values map[string]any, chart *source, spec *unit.Release) {
	if len(spec.Registries) == 0 {
		return
	}
	for name, image := range redirectable(values, chart, spec) {
		if elsewhere := redirected(image, spec.Registries); elsewhere != image {
			place(values, "images", "tags")[name] = elsewhere
		}
	}
}

// redirectable are the images of a release, by name, but for those that somebody wrote as they are.
func redirectable(values map[string]any, chart *source, spec *unit.Release) map[string]string {
	images, _ := values["images"].(map[string]any)
	named, _ := images["tags"].(map[string]any)
	all := map[string]string{}
	for _, tags := range []map[string]any{chart.tags(), named} {
		for name, image := range tags {
			text, is := image.(string)
			switch {
			case slices.Contains(spec.OwnImages, name):
			case is:
				all[name] = text
			default:
				delete(all, name)
			}
		}
	}
	return all
}

// digestOfSpec is the digest that a revision is compared by. What stands in for a registry that the release has no
// image of is no part of it: it changes nothing, and so makes no other revision.
func digestOfSpec(spec *unit.Release, chart *source) string {
	if len(spec.Registries) == 0 {
		return spec.Digest()
	}
	used := map[string]string{}
	for _, image := range redirectable(spec.Values, chart, spec) {
		if of := standIn(image, spec.Registries); of != "" {
			used[of] = spec.Registries[of]
		}
	}
	if len(used) == len(spec.Registries) {
		return spec.Digest()
	}
	narrowed := *spec
	narrowed.Registries = used
	if len(used) == 0 { // as without any
		narrowed.Registries, narrowed.OwnImages = nil, nil
	}
	return narrowed.Digest()
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
	of := standIn(image, registries)
	if of == "" {
		return image
	}
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return image
	}
	return registries[of] + strings.TrimPrefix(named.String(), of)
}

// standIn is the registry, or the part of one, that an image is of and that something stands in for; "" for none.
// Of several it is the longest.
func standIn(image string, registries map[string]string) string {
	named, err := reference.ParseNormalizedNamed(image) // docker.io/library where a name is short
	if err != nil {
		return ""
	}
	best := ""
	for of := range registries {
		if len(of) > len(best) && (named.Name() == of || strings.HasPrefix(named.Name(), of+"/")) {
			best = of
		}
	}
	return best
}
