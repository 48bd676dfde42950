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
}

// Pinned tells whether an image has a digest by itself.
func Pinned(image string) bool {
	_, digest, found := strings.Cut(image, "@")
	return found && digestPattern.MatchString(digest)
}

// Pins returns the digests of images; an empty map, and never nil, when there are none.
func (l *Lock) Pins() map[string]string {
	pins := map[string]string{}
	if l != nil {
		for _, i := range l.Images {
			pins[i.Name] = i.Digest
		}
	}
	return pins
}

func (i Image) wrong() string {
	switch {
	case i.Name == "" || strings.ContainsAny(i.Name, "@ \t\n"):
		return "the name of an image without a digest is needed"
	case !digestPattern.MatchString(i.Digest):
		return "the digest is not sha256: and 64 hexadecimal digits"
	}
	return ""
}

func sortedImages(images []Image) []Image {
	sorted := slices.Clone(images)
	slices.SortFunc(sorted, func(a, b Image) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(sorted, func(a, b Image) bool { return a.Name == b.Name })
}
