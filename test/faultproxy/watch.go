package faultproxy

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// watchPlan is how a rule wants a watch to end.
type watchPlan struct {
	limited bool
	events  int  // how many events pass before the end
	expire  bool // an ERROR event comes before the end
}

// EndWatches ends the open watches that match, cleanly, and returns how many that were.
func (c *Control) EndWatches(m Match) int { return c.endWatches(m, false) }

// ExpireWatches ends the open watches that match with an ERROR event of code 410 and reason
// Expired, and returns how many that were.
func (c *Control) ExpireWatches(m Match) int { return c.endWatches(m, true) }

// Watches is how many watches are open.
func (c *Control) Watches() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watches)
}

func (c *Control) endWatches(m Match, expire bool) int {
	path := compileGlob(m.Path)
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := 0
	for watch := range c.watches {
		if watch.x.ignored || !selects(m, path, watch.x) {
			continue
		}
		select {
		case watch.ends <- expire:
			ended++
		default: // it is ending already
		}
	}
	return ended
}

// watch puts a body that can be ended between two events before that of a watch's answer.
func (c *Control) watch(x *exchange, response *http.Response) io.ReadCloser {
	body := &watchBody{
		control: c, x: x, upstream: response.Body, plan: x.watch, format: watchFormat(response.Header.Get("Content-Type")),
		frames: make(chan []byte), ends: make(chan bool, 1), closed: make(chan struct{}),
	}
	go body.readFrames()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches[body] = struct{}{}
	return body
}

// watchBody is the body of a watch's answer, cut into events.
type watchBody struct {
	control  *Control
	x        *exchange
	upstream io.ReadCloser
	plan     watchPlan
	format   format

	frames chan []byte // closed at the end of upstream
	broken error       // why upstream ended; set before frames is closed
	ends   chan bool   // at most one: end now, with an ERROR event if true

	pending []byte // of the event that the reader is at
	ended   bool

	closing sync.Once
	closed  chan struct{}
}

func (b *watchBody) readFrames() {
	defer close(b.frames)
	read := b.format.reader(b.upstream)
	for {
		frame, err := read()
		if len(frame) > 0 {
			select {
			case b.frames <- frame:
			case <-b.closed:
				return
			}
		}
		if err != nil {
			b.broken = err
			return
		}
	}
}

// Read passes whole events only, so that an end never cuts one. An event that has begun to
// pass is passed to its end.
func (b *watchBody) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		switch {
		case b.ended:
			return 0, io.EOF
		case b.plan.limited && b.plan.events == 0:
			b.end(b.plan.expire)
		default:
			if err := b.next(); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next waits for an event, or for the order to end.
func (b *watchBody) next() error {
	select {
	case frame, more := <-b.frames:
		if !more {
			return b.broken
		}
		b.pending = frame
		b.plan.events--
	case expire := <-b.ends:
		b.end(expire)
	case <-b.closed:
		return io.ErrClosedPipe
	}
	return nil
}

func (b *watchBody) end(expire bool) {
	b.ended = true
	if !expire {
		return
	}
	frame, err := b.format.expired()
	if err != nil {
		b.control.update(b.x, func(record *Request) { record.Err = fmt.Sprintf("expire the watch: %v", err) })
		return
	}
	b.pending = frame
}

// Close ends the watch at the target as well.
func (b *watchBody) Close() error {
	b.closing.Do(func() {
		close(b.closed)
		b.control.mu.Lock()
		defer b.control.mu.Unlock()
		delete(b.control.watches, b)
	})
	return b.upstream.Close()
}
