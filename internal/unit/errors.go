package unit

import (
	"errors"
	"time"
)

// ErrNotWriter says that somebody else holds the lease: nothing may be changed any more.
var ErrNotWriter = errors.New("another instance is in charge")

// BlockedError says that trying again does not help until a person changes something.
type BlockedError struct {
	Reason string // a sentence that says what to do
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
