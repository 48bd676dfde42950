package crash

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"sync"
)

// output holds the lines that a process has written, and tells who waits for one.
type output struct {
	mu      sync.Mutex
	lines   [][]byte
	waiters []*lineWaiter
}

type lineWaiter struct {
	pattern *regexp.Regexp
	call    func()
}

// stream returns a writer for one of the process's two streams.
func (o *output) stream() io.Writer { return &lineWriter{output: o} }

// seen tells whether a complete line has matched so far.
func (o *output) seen(pattern *regexp.Regexp) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.lines, pattern.Match)
}

// wait has call called once, at the first line that matches from now on. The returned
// function gives up waiting.
func (o *output) wait(pattern *regexp.Regexp, call func()) (cancel func()) {
	waiter := &lineWaiter{pattern, call}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiters = append(o.waiters, waiter)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.waiters = slices.DeleteFunc(o.waiters, func(w *lineWaiter) bool { return w == waiter })
	}
}

func (o *output) add(line []byte) {
	o.mu.Lock()
	o.lines = append(o.lines, line)
	var calls []func()
	o.waiters = slices.DeleteFunc(o.waiters, func(w *lineWaiter) bool {
		if w.pattern.Match(line) {
			calls = append(calls, w.call)
			return true
		}
		return false
	})
	o.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// lineWriter cuts one stream into lines.
type lineWriter struct {
	output *output
	begun  []byte // of a line whose end has not come yet
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.begun = append(w.begun, data...)
	for {
		line, rest, complete := bytes.Cut(w.begun, []byte("\n"))
		if !complete {
			return len(data), nil
		}
		w.output.add(bytes.Clone(line))
		w.begun = rest
	}
}
