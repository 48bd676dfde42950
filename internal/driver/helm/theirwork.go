package helm

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// theirPatience is how long after the last sign of it somebody else's command of Helm is waited for. Helm gives a hook
// five minutes by itself, and those who give it longer rarely give it this. Nobody can tell a command that was killed from
// one that works.
const theirPatience = 30 * time.Minute

// theirs tells whether a revision is none of ours, or of an older program's.
func (s stored) theirs() bool { return s.labels[labelRun] == "" || s.foreign() }

// alive is when a revision was written last: when it was made, by the clock of the API server, or at one of its hooks, by
// that of whoever runs Helm. A clock that is far ahead tells nothing.
func (s stored) alive(now time.Time) time.Time {
	seconds, err := strconv.ParseInt(s.labels["modifiedAt"], 10, 64)
	at := time.Unix(seconds, 0)
	if err != nil || at.Before(s.made) || at.After(now.Add(theirPatience)) {
		return s.made
	}
	return at
}

// findTheirWork finds out whether somebody else is at work on the release right now. A revision that we left pending is
// taken over at once, as there is one writer of ours: it was killed.
func (d *Driver) findTheirWork(v *view) {
	n := v.newest
	if n == nil || !n.status.IsPending() || !n.theirs() {
		return
	}
	now := d.cluster.Now()
	until := n.alive(now).Add(theirPatience)
	if !until.After(now) {
		return
	}
	v.after = until.Sub(now)
	v.theirWork = v.hide(fmt.Sprintf("somebody else's helm %s is at work on revision %d since %s (%s), and is waited for until %s at most: if it was cut off, helm rollback ends the wait",
		strings.TrimPrefix(n.status.String(), "pending-"), n.version, n.made.UTC().Format(time.RFC3339), n.description, until.UTC().Format(time.RFC3339)))
}
