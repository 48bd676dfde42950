package unit

import (
	"slices"
	"strings"
)

// betweenDigests is between the digest of a set and those of its objects that pass.
const betweenDigests = "."

// Passes tells whether Kubernetes deletes an object of the set by itself: a Job with a time to live, once that has
// passed since its end.
func (o *Objects) Passes(item int) bool {
	object := o.Items[item]
	if id := RefOf(object).Identity(); id.Group != "batch" || id.Kind != "Job" {
		return false
	}
	spec, _ := object["spec"].(map[string]any)
	return spec["ttlSecondsAfterFinished"] != nil
}

// withPassing adds the digests of what passes to that of the set, so that a record of the latter tells which of these
// have been there.
func (o *Objects) withPassing(whole string) string {
	for i := range o.Items {
		if o.Passes(i) {
			whole += betweenDigests + o.digests.items[i]
		}
	}
	return whole
}

// SameSpec tells whether two digests are of one and the same spec, whether or not they name what passes: older records do
// not.
func SameSpec(before, now string) bool {
	was, _, _ := strings.Cut(before, betweenDigests)
	is, _, _ := strings.Cut(now, betweenDigests)
	return was != "" && was == is
}

// HadPassing tells whether an object that passes was in a set when that had the digest before, by the digests of the
// set and of the object now. Older records, which name nothing that passes, tell it of the same set only.
func HadPassing(before, now, item string) bool {
	_, passed, named := strings.Cut(before, betweenDigests)
	if !named {
		return SameSpec(before, now)
	}
	return slices.Contains(strings.Split(passed, betweenDigests), item)
}

// Outlasting returns what stays on record of a set that had the digest before, when we are about to delete what it has
// not with the digest now, "" where all of it is to go. Of what passes it names only what is in both: whatever else is not
// there later may have gone by us, and has not done its work then.
func Outlasting(before, now string) string {
	if before == "" {
		return ""
	}
	spec, passed, _ := strings.Cut(before, betweenDigests)
	_, stays, _ := strings.Cut(now, betweenDigests)
	lasting := []string{spec}
	for item := range strings.SplitSeq(passed, betweenDigests) {
		if item != "" && slices.Contains(strings.Split(stays, betweenDigests), item) {
			lasting = append(lasting, item)
		}
	}
	if len(lasting) == 1 {
		lasting = append(lasting, "") // it is said that there are none: an older record says nothing
	}
	return strings.Join(lasting, betweenDigests)
}
