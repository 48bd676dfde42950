package world

import (
	"bytes"
	"regexp"
	"sync"
	"testing"
	"time"
)

// Line is a line of progress, and when it came.
type Line struct {
	Time           time.Time
	Address, Phase string
}

// Follow runs a pass of kupenstack-sync to its end, and notes when each unit moved on.
func (w *World) Follow(t testing.TB, limit time.Duration) (Result, []Line) {
	t.Helper()
	clock := &stopwatch{}
	r := w.run(t, w.env, limit, nil, clock)
	return r, clock.lines
}

// progressLine is what the command prints for a unit, such as "service.nova: reconciling (create)".
var progressLine = regexp.MustCompile(`^([a-z_]+\.\S+): ([a-z]+)(?: \(|$)`)

// stopwatch notes when lines were written to it.
type stopwatch struct {
	mu    sync.Mutex
	rest  []byte
	lines []Line
}

func (s *stopwatch) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.rest = append(s.rest, p...)
	for {
		line, rest, found := bytes.Cut(s.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		if parts := progressLine.FindSubmatch(line); parts != nil {
			s.lines = append(s.lines, Line{Time: now, Address: string(parts[1]), Phase: string(parts[2])})
		}
		s.rest = rest
	}
}
