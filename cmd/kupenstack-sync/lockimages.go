package main

import (
	"context"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// imageChange is what became of one image.
type imageChange struct {
	chartlock.Image
	Before string `json:"before,omitempty"` // its digest
}

// images returns what the images of releases are locked to now, where that is wanted, and what is another digest
// than before. The charts are those of a lock.
func (l *locking) images(ctx context.Context, before, charts *chartlock.Lock, releases []*unit.Release) ([]chartlock.Image, []imageChange, error) {
	changes := []imageChange{}
	var locking []*unit.Release
	for _, release := range releases {
		if release.Pins == nil {
			continue
		}
		of := *release
		if entry, found := charts.Find(wantedBy(release)); found {
			of.Chart.Version, of.Chart.Digest, of.Chart.Commit = entry.Version, entry.Digest, entry.Commit
		}
		locking = append(locking, &of)
	}
	if len(locking) == 0 {
		return nil, changes, nil
	}
	named, err := l.options.Images(ctx, locking)
	if err != nil {
		return nil, nil, err
	}
	known := before.Pins()
	var kept []chartlock.Image
	var open []string
	for i, images := range named {
		for _, image := range images {
			digest, found := known[image]
			switch {
			case chartlock.Pinned(image):
			case found && !l.upgrades(locking[i].Chart.Name):
				kept = append(kept, chartlock.Image{Name: image, Digest: digest})
			default:
				open = append(open, image)
			}
		}
	}
	slices.Sort(open)
	open = slices.Compact(open)
	kept = slices.DeleteFunc(kept, func(i chartlock.Image) bool { return slices.Contains(open, i.Name) }) // which another release asks for
	resolved, err := l.options.LockImages(ctx, open)
	if err != nil {
		return nil, nil, err
	}
	for _, image := range resolved {
		if was := known[image.Name]; was != image.Digest {
			changes = append(changes, imageChange{Image: image, Before: was})
		}
	}
	return append(kept, resolved...), changes, nil
}

// shortened is a digest as it is shown, with as much of it as tells it from another one.
func shortened(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }
