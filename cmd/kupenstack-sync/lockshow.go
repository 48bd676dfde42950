package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// outcome is what became of a lock file.
type outcome struct {
	lock          *chartlock.Lock
	changes       []change
	images        []imageChange
	removed       []chartlock.Entry // charts that the configuration has no use for any more
	removedImages []chartlock.Image
	why           string // that nothing was to be locked; "" where something was
}

// outcomeOf compares a lock, which may be nil, with what it is now.
func outcomeOf(before, lock *chartlock.Lock, changes []change, images []imageChange, releases []*unit.Release) outcome {
	o := outcome{lock: lock, changes: changes, images: images}
	if before != nil {
		for _, e := range before.Entries {
			if !slices.ContainsFunc(lock.Entries, func(now chartlock.Entry) bool { return now.Repository == e.Repository && now.Name == e.Name }) {
				o.removed = append(o.removed, e)
			}
		}
		for _, i := range before.Images {
			if _, still := lock.Digest(i.Name); !still {
				o.removedImages = append(o.removedImages, i)
			}
		}
	}
	switch pinning := slices.ContainsFunc(releases, func(r *unit.Release) bool { return r.Locked }); {
	case len(lock.Entries) > 0 || len(lock.Images) > 0:
	case len(releases) == 0:
		o.why = "The configuration deploys no charts: there is nothing to lock."
	case pinning:
		o.why = "The configuration takes no chart from a repository, and all images have digests by themselves: there is nothing to lock."
	default:
		o.why = "The configuration takes no chart from a repository: there is nothing to lock."
	}
	return o
}

func (l *locking) show(o outcome) error {
	if o.lock == nil {
		o.lock = &chartlock.Lock{}
	}
	if l.options.output == outputJSON {
		return printJSON(l.out, struct {
			Charts        int               `json:"charts"`
			Changed       []change          `json:"changed"`
			Removed       []chartlock.Entry `json:"removed"`
			Images        int               `json:"images"`
			ChangedImages []imageChange     `json:"changed_images"`
			RemovedImages []chartlock.Image `json:"removed_images"`
		}{
			len(o.lock.Entries), listed(o.changes), listed(o.removed),
			len(o.lock.Images), listed(o.images), listed(o.removedImages),
		})
	}
	var b strings.Builder
	for _, c := range o.changes {
		switch {
		case c.Republished:
			fmt.Fprintf(&b, "  ! %s %s of %s has another content than before, under the same version\n", c.Name, c.Version, c.Repository)
		case c.Before == "":
			fmt.Fprintf(&b, "  + %s %s of %s\n", c.Name, shown(c.Version, c.Commit), c.Repository)
		default:
			fmt.Fprintf(&b, "  ~ %s %s -> %s of %s\n", c.Name, shown(c.Before, c.BeforeCommit), shown(c.Version, c.Commit), c.Repository)
		}
	}
	for _, e := range o.removed {
		fmt.Fprintf(&b, "  - %s %s of %s\n", e.Name, shown(e.Version, e.Commit), e.Repository)
	}
	for _, i := range o.images {
		if i.Before == "" {
			fmt.Fprintf(&b, "  + image %s@%s\n", i.Name, shortened(i.Digest))
		} else {
			fmt.Fprintf(&b, "  ~ image %s@%s -> %s\n", i.Name, shortened(i.Before), shortened(i.Digest))
		}
	}
	for _, i := range o.removedImages {
		fmt.Fprintf(&b, "  - image %s@%s\n", i.Name, shortened(i.Digest))
	}
	out := len(o.removed) + len(o.removedImages)
	switch charts, images := len(o.lock.Entries), len(o.lock.Images); {
	case o.why != "" && out > 0:
		fmt.Fprintf(&b, "%s What %s had was taken out.\n", o.why, chartlock.File)
	case o.why != "":
		fmt.Fprintln(&b, o.why)
	case images > 0:
		fmt.Fprintf(&b, "%s: %d charts and %d images locked, %d and %d changed%s.\n", chartlock.File, charts, images, len(o.changes), len(o.images), takenOut(out))
	default:
		fmt.Fprintf(&b, "%s: %d locked, %d changed%s.\n", chartlock.File, charts, len(o.changes), takenOut(out))
	}
	_, err := io.WriteString(l.out, b.String())
	return err
}

func takenOut(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d taken out", n)
}

// listed is a list that JSON has even where there is nothing in it.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// shown returns a version as it is shown, with the beginning of the commit where there is one: charts of a Git
// repository change without another version.
func shown(version, commit string) string {
	if commit == "" {
		return version
	}
	return version + " (" + commit[:12] + ")"
}
