package unit

import (
	"errors"
	"time"
)

// ErrNotWriter says that this process does not hold the lease for sure: nothing may be changed any more. Somebody else may
// hold it, or nobody, as where the cluster was too slow to take a renewal in time.
var ErrNotWriter = errors.New("another instance is in charge, or the lease was not renewed in time")

// BlockedError says that trying again does not help until a person changes something.
type BlockedError struct {
	Reason string // a sentence that says what to do
	// Holder is the id of an object of the same kind that is in the way, "" where none is known: once that has been
	// changed or deleted it may be possible.
	Holder string
}

// Error returns the reason.
func (e *BlockedError) Error() string { return e.Reason }

// Blocked returns a [BlockedError].
func Blocked(reason string) error { return &BlockedError{Reason: reason} }

// IsBlocked tells whether err is or wraps a [BlockedError].
func IsBlocked(err error) bool {
	var blocked *BlockedError
	return errors.As(err, &blocked)
}

// HolderOf returns the id of what is in the way by a [BlockedError] in err, "" for none.
func HolderOf(err error) string {
	var blocked *BlockedError
	if errors.As(err, &blocked) {
		return blocked.Holder
	}
	return ""
}

// FollowsError says of something that it cannot be deleted by itself now, and is gone once what it is a part of is deleted.
type FollowsError struct {
	With string // the id of that
	Err  error
}

// Error returns the text of the error inside.
func (e *FollowsError) Error() string { return e.Err.Error() }

// Unwrap returns the error inside.
func (e *FollowsError) Unwrap() error { return e.Err }

// FollowsOf returns the id of what something goes with by a [FollowsError] in err, "" for none.
func FollowsOf(err error) string {
	var follows *FollowsError
	if errors.As(err, &follows) {
		return follows.With
	}
	return ""
}

// RetryError says when an attempt makes sense again.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error returns the text of the error inside.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap returns the error inside.
func (e *RetryError) Unwrap() error { return e.Err }

// RetryAfter returns what a [RetryError] in err asks for, or 0.
func RetryAfter(err error) time.Duration {
	var retry *RetryError
	if errors.As(err, &retry) {
		return retry.After
	}
	return 0
}
