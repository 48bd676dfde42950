package engine

import (
	"math/rand/v2"
	"time"
)

const (
	firstRetry  = time.Second
	lastRetry   = 5 * time.Minute
	maxAttempts = 5 // failures in a row after which a single pass gives a unit up

	firstPoll = 2 * time.Second // of what is progressing and sends no events
	lastPoll  = 15 * time.Second

	// maxSame is how often one and the same difference is applied before somebody else is taken to
	// undo it each time.
	maxSame = 3
	// fightWindow is how close together such changes are; it is longer than the longest delay.
	fightWindow = 15 * time.Minute
	// maxFights is how many things are told apart that came back, of one unit.
	maxFights = 64

	maxReplans = 5
)

// retryDelay grows with the failures in a row, with jitter so that what failed together does not
// come back together.
func retryDelay(attempts int) time.Duration {
	return jitter(grow(firstRetry, lastRetry, attempts-1))
}

// pollDelay is when to look again at what moves by itself: when its driver says, or else soon, and
// the less often the longer nothing has changed.
func pollDelay(after time.Duration, polls int) time.Duration {
	if after == 0 {
		after = firstPoll
	}
	return jitter(grow(after, max(after, lastPoll), polls/2))
}

// brokenDelay is for what only somebody else can mend or answer, and is mostly heard of by itself.
func brokenDelay(polls int) time.Duration { return jitter(grow(firstPoll, lastRetry, polls)) }

func grow(first, last time.Duration, steps int) time.Duration {
	d := first
	for range min(max(steps, 0), 20) {
		if d *= 2; d >= last {
			return last
		}
	}
	return d
}

// jitter takes off or adds up to a fifth.
func jitter(d time.Duration) time.Duration {
	return d - d/5 + rand.N(2*d/5+1) //nolint:gosec // spreads load, keeps no secret
}
