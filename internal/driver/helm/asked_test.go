package helm

import (
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"
)

// TestGivenUpByAnOlderProgram: where the time of the last failure is not on record, the hour counts from the newest
// revision.
func TestGivenUpByAnOlderProgram(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name           string
		last, deployed time.Time
		stays          bool
	}{
		{"failed just now", now.Add(-time.Minute), now.Add(-48 * time.Hour), true},
		{"failed two hours ago", now.Add(-2 * time.Hour), now.Add(-time.Minute), false},
		{"no time, a revision of just now", time.Time{}, now.Add(-time.Minute), true},
		{"no time, a revision of two hours ago", time.Time{}, now.Add(-2 * time.Hour), false},
		{"no time at all", time.Time{}, time.Time{}, false},
	} {
		d := &Driver{cluster: newShelf()}
		v := viewOf(d, release.StatusFailed, nil, nil)
		v.newest.deployed = test.deployed
		v.record = progress{Run: "upgrade.run"}
		v.record.Failures, v.record.Cause, v.record.Last = maxFailures, "refused", test.last
		d.giveUp(v, "")
		if stays := strings.HasPrefix(v.failure.stays, "the upgrade failed 6 times, and is tried again at 2"); stays != test.stays || (v.after > 0) != stays || v.after > 72*time.Minute {
			t.Errorf("%s: %q, again after %s", test.name, v.failure.stays, v.after)
		}
	}
}
