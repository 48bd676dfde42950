package schema

import (
	"errors"
	"regexp"
)

// The families of images that the charts can run.
const (
	FamilyOpenStackHelm = "openstack-helm"
	FamilyLOCI          = "loci"
)

// kolla is what people try, as its images are the best known ones.
const kolla = "kolla"

var (
	registryPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)
	// imagePattern has a registry, which a dot, a port or localhost tells from the first part of a path: nodes may
	// look for a short name elsewhere than the lock file did.
	imagePattern = regexp.MustCompile(`^(localhost(:[0-9]+)?|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:[0-9]+)?|[a-z0-9]([a-z0-9-]*[a-z0-9])?:[0-9]+)` +
		`(/[a-z0-9]+([._-]+[a-z0-9]+)*)+` +
		`(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`)
	familyPattern = regexp.MustCompile(`^(` + FamilyOpenStackHelm + `|` + FamilyLOCI + `)$`)
)

// checkImage is Check for images and where they are.
func (f Format) checkImage(s string) error {
	switch f {
	case FormatRegistry:
		if len(s) > longestName || !registryPattern.MatchString(s) {
			return errors.New("a registry of images without https://, or a part of one, such as quay.io or registry.example.org/quay")
		}
	case FormatImage:
		if len(s) > longestPath || !imagePattern.MatchString(s) {
			return errors.New("an image with its registry, and with a tag, a digest or both, such as quay.io/airshipit/nova:2026.1-ubuntu_noble")
		}
	default:
		if s == kolla {
			return errors.New("openstack-helm or loci: images of Kolla start through kolla_start, and have other users, paths and programs than the scripts of the charts expect, so that nothing would come up")
		}
		if !familyPattern.MatchString(s) {
			return errors.New("openstack-helm or loci")
		}
	}
	return nil
}
