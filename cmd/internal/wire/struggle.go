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
	what  string // was written again last
	times int    // in a row
	last  time.Time
	again time.Time // nothing is written before
}

// restored counts that something was written again.
func (s *struggle) restored(what string, now time.Time) {
	if now.Sub(s.last) >= struggleWindow {
		s.times = 0
	}
	s.what, s.last, s.times = what, now, s.times+1
	if over := s.times - mostRestored; over >= 0 {
		s.again = now.Add(min(time.Second<<min(over, 9), struggleAtMost))
	}
}

// finding says what somebody takes away each time, nil for nothing. The words stay the same while it goes on. Who that is
// leaves no trace.
func (s *struggle) finding(now time.Time) error {
	if s.times < mostRestored || now.Sub(s.last) >= struggleWindow {
		return nil
	}
	return fmt.Errorf("somebody else takes away %s each time that it is written again, which is done after growing pauses now: find out who, as a process that starts meanwhile may take it for lost", s.what)
}
