package helm

import (
	"cmp"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// unreadableError says that the Secret of a revision is there, and what it has is no revision of Helm's.
type unreadableError struct {
	version int
	secret  string // its namespace and name
	err     error
}

func (e *unreadableError) Error() string {
	return fmt.Sprintf("revision %d cannot be read from Secret %s: %v", e.version, e.secret, e.err)
}

func (e *unreadableError) Unwrap() error { return e.err }

// whole tells whether all could be read that a revision is known by, and the one before it.
func (r *revision) whole() bool { return r.unread == nil }

// valuesKnown returns nil when it is known which values a release keeps of those that were generated, given the label of
// those that their Secrets have now. It is not where nothing but the labels of its revision can be read, and these are of others.
func (r *revision) valuesKnown(spec *unit.Release, now string) error {
	if r == nil || !r.bare || r.labels[labelValues] == now {
		return nil
	}
	for _, secret := range spec.Secrets {
		if !secret.Follows() {
			return unit.Blocked(fmt.Sprintf("%v: so it is not known what the release was installed with in place of what Secret %s/%s[%s] and others have now; "+
				"put that Secret back from a backup, or delete it to go on without it", r.unread, secret.Namespace, secret.Name, secret.Key))
		}
	}
	return nil
}

// unreadNote says what could not be read and was not needed, "" for nothing.
func (v *view) unreadNote() string {
	if v.newest == nil {
		return ""
	}
	unread := cmp.Or(v.unread, v.newest.unread)
	if unread == nil {
		return ""
	}
	return unread.Error() + ": what only that one had, and is still there, is left alone"
}
