package helm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxUnpinned is how many images without a digest are told.
const maxUnpinned = 5

// pin puts the digests of images behind their names in the values: of those in images.tags, whether the values or
// only the chart has them, and of whatever containers the values bring along. Hooks and what Helm stores have them
// then as everything else has.
func pin(values map[string]any, chart *source, spec *unit.Release) {
	if !spec.Locked {
		return
	}
	with := func(image string) (string, bool) {
		digest, found := spec.Pins[image]
		return image + "@" + digest, found
	}
	pinContainers(values, with)
	images, _ := values["images"].(map[string]any)
	named, _ := images["tags"].(map[string]any)
	all := maps.Clone(chart.tags())
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, named)
	for name, image := range all {
		text, _ := image.(string)
		if whole, found := with(text); found {
			place(values, "images", "tags")[name] = whole
		}
	}
}

// pinContainers pins what values have below the key image, as containers of pods do.
func pinContainers(at any, with func(string) (string, bool)) {
	switch at := at.(type) {
	case map[string]any:
		for key, v := range at {
			text, is := v.(string)
			if !is || key != "image" {
				pinContainers(v, with)
			} else if whole, found := with(text); found {
				at[key] = whole
			}
		}
	case []any:
		for _, v := range at {
			pinContainers(v, with)
		}
	}
}

// checkPins refuses what would run an image without a digest, where images are locked.
func checkPins(spec *unit.Release, hooks []*release.Hook, manifests []releaseutil.Manifest) error {
	if !spec.Locked {
		return nil
	}
	images, err := imagesIn(hooks, manifests)
	if err != nil {
		return unit.Blocked(fmt.Sprintf("chart %s: %v", spec.Chart.Name, err))
	}
	var unlocked, apart []string
	for _, image := range images {
		switch _, locked := spec.Pins[image]; {
		case chartlock.Pinned(image):
		case locked:
			apart = append(apart, image)
		default:
			unlocked = append(unlocked, image)
		}
	}
	switch {
	case len(unlocked) > 0:
		return unit.Blocked(fmt.Sprintf("%s has no digest of %s, which %s would run: run kupenstack-sync lock, and commit %s",
			chartlock.File, listed(unlocked), spec.Name, chartlock.File))
	case len(apart) > 0:
		return unit.Blocked(fmt.Sprintf("chart %s has %s neither in images.tags nor from the values, so that it cannot be held to its digest: give the chart another way to it, or write lock = false in images of the cloud",
			spec.Chart.Name, listed(apart)))
	}
	return nil
}

// listed names some images.
func listed(images []string) string {
	if more := len(images) - maxUnpinned; more > 0 {
		images = append(slices.Clone(images[:maxUnpinned]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(images, ", ")
}

// imagesIn are the images of all containers in documents that may run, sorted, each once: Helm's tests never do here.
func imagesIn(hooks []*release.Hook, manifests []releaseutil.Manifest) ([]string, error) {
	found := map[string]bool{}
	read := func(name, text string) error {
		for _, document := range split(text) {
			var object any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			gatherImages(object, found)
		}
		return nil
	}
	for _, h := range hooks {
		if onlyTests(h) {
			continue
		}
		if err := read(h.Path, h.Manifest); err != nil {
			return nil, err
		}
	}
	for _, m := range manifests {
		if err := read(m.Name, m.Content); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// onlyTests tells whether nothing but `helm test` runs a hook. What the chart writes as test-success is among those.
func onlyTests(h *release.Hook) bool {
	return !slices.ContainsFunc(h.Events, func(event release.HookEvent) bool { return event != release.HookTest })
}

// gatherImages adds the images of containers wherever there are any: in pods and what makes them, and in kinds that
// only an operator knows.
func gatherImages(at any, found map[string]bool) {
	switch at := at.(type) {
	case map[string]any:
		for key, v := range at {
			gatherImages(v, found)
			containers, is := v.([]any)
			if !is || key != "containers" && key != "initContainers" {
				continue
			}
			for _, c := range containers {
				container, _ := c.(map[string]any)
				if image, _ := container["image"].(string); image != "" {
					found[image] = true
				}
			}
		}
	case []any:
		for _, v := range at {
			gatherImages(v, found)
		}
	}
}
