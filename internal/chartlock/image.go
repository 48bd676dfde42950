package chartlock

import (
	"cmp"
	"slices"
	"strings"
)

// Image is what an image was locked to.
type Image struct {
	Name   string `json:"image"`  // as charts name it, where it is pulled from: quay.io/airshipit/nova:2026.1-ubuntu_noble
	Digest string `json:"digest"` // of its index where it has one, for machines of any kind: sha256:…
	// Services are those that run it, sorted, so that another digest is a change of these and of no others.
	Services []string `json:"services"`
}

// Pinned tells whether an image has a digest by itself.
func Pinned(image string) bool {
	_, digest, found := strings.Cut(image, "@")
	return found && digestPattern.MatchString(digest)
}

// Digest returns what an image was locked to, and false when it was not.
func (l *Lock) Digest(image string) (string, bool) {
	if l == nil {
		return "", false
	}
	i, found := slices.BinarySearchFunc(l.Images, image, func(i Image, name string) int { return cmp.Compare(i.Name, name) })
	if !found {
		return "", false
	}
	return l.Images[i].Digest, true
}

// Pins returns the digests of the images that a service runs, by image; nil when there are none.
func (l *Lock) Pins(service string) map[string]string {
	if l == nil {
		return nil
	}
	var pins map[string]string
	for _, i := range l.Images {
		if !slices.Contains(i.Services, service) {
			continue
		}
		if pins == nil {
			pins = map[string]string{}
		}
		pins[i.Name] = i.Digest
	}
	return pins
}

func (i Image) wrong() string {
	switch {
	case i.Name == "" || strings.ContainsAny(i.Name, "@ \t\n"):
		return "the name of an image without a digest is needed"
	case !digestPattern.MatchString(i.Digest):
		return "the digest is not sha256: and 64 hexadecimal digits"
	case len(i.Services) == 0:
		return "it has no service"
	}
	return ""
}

func sortedImages(images []Image) []Image {
	sorted := slices.Clone(images)
	slices.SortFunc(sorted, func(a, b Image) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(sorted, func(a, b Image) bool { return a.Name == b.Name })
}
