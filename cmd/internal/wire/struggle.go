package wire

import (
	"fmt"
	"time"
)

const (
	// mostRestored is how often in a row the same is written again at once: after that somebody else takes it away each time.
	mostRestored = 3
	// struggleWindow is how close together that is; it is longer than the longest pause.
	struggleWindow = 15 * time.Minute
	// struggleAtMost is the longest pause.
	struggleAtMost = 5 * time.Minute
)

// struggle keeps this process from writing again without a pause what somebody else takes away each time.
type struggle struct {
	what  string         // was written again too often, "" for nothing
	times map[string]int // each thing was written again in a row
	last  time.Time
	again time.Time // nothing is written before
}

// restored counts that something was written again, or those parts of it. Who deletes a lot at once, one after another, does
// that once.
func (s *struggle) restored(what string, now time.Time, parts ...string) {
	if now.Sub(s.last) >= struggleWindow || s.times == nil {
		s.what, s.times = "", map[string]int{}
	}
	if s.last = now; len(parts) == 0 {
		parts = []string{what}
	}
	over := -1
	for _, part := range parts {
		s.times[part]++
		over = max(over, s.times[part]-mostRestored)
	}
	if over >= 0 {
		s.what, s.again = what, now.Add(min(time.Second<<min(over, 9), struggleAtMost))
	}
}

// finding says what somebody takes away each time, nil for nothing. The words stay the same while it goes on. Who that is
// leaves no trace.
func (s *struggle) finding(now time.Time) error {
	if s.what == "" || now.Sub(s.last) >= struggleWindow {
		return nil
	}
	return fmt.Errorf("somebody else takes away %s each time that it is written again, which is done after growing pauses now: find out who, as a process that starts meanwhile may take it for lost", s.what)
}
