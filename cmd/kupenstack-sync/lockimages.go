package main

import (
	"context"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// imageChange is what became of one image.
type imageChange struct {
	chartlock.Image
	Before string `json:"before,omitempty"` // its digest
}

// images returns what the images of releases are locked to now, nil where that is not wanted, and what is another
// digest than before. The charts are those of a lock.
func (l *locking) images(ctx context.Context, before, charts *chartlock.Lock, releases []*unit.Release) ([]chartlock.Image, []imageChange, error) {
	changes := []imageChange{}
	var locking []*unit.Release
	for _, release := range releases {
		if !release.Locked {
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
	services, upgraded := map[string][]string{}, map[string]bool{}
	for i, images := range named {
		for _, image := range images {
			if !chartlock.Pinned(image) {
				services[image] = append(services[image], locking[i].Name)
				upgraded[image] = upgraded[image] || l.upgrades(locking[i].Chart.Name)
			}
		}
	}
	locked := []chartlock.Image{}
	var open []chartlock.Image
	for _, image := range slices.Sorted(maps.Keys(services)) {
		slices.Sort(services[image])
		if digest, known := before.Digest(image); known && !upgraded[image] {
			locked = append(locked, chartlock.Image{Name: image, Digest: digest, Services: services[image]})
		} else {
			open = append(open, chartlock.Image{Name: image, Services: services[image]})
		}
	}
	resolved, err := l.options.Digests(ctx, open)
	if err != nil {
		return nil, nil, err
	}
	for _, now := range resolved {
		if was, _ := before.Digest(now.Name); was != now.Digest {
			changes = append(changes, imageChange{Image: now, Before: was})
		}
		locked = append(locked, now)
	}
	return locked, changes, nil
}

// shortened is a digest as it is shown, with as much of it as tells it from another one.
func shortened(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }
