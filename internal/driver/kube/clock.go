package kube

import (
	"net/http"
	"sync/atomic"
	"time"
)

// clockGrain is how far clocks may differ without that meaning anything: a Date has whole seconds, and an answer takes
// its time.
const clockGrain = 2 * time.Second

// clock is that of the API server, whose answers tell it. Times that are in objects, such as when a Job was made, are by
// that clock; the one of this machine may be hours off.
type clock struct {
	ahead atomic.Int64 // of ours, in nanoseconds
}

// hear takes what an answer says of the time; one that says nothing changes nothing.
func (c *clock) hear(answer http.Header) {
	date, err := http.ParseTime(answer.Get("Date"))
	if err != nil {
		return
	}
	ahead := time.Until(date)
	if ahead.Abs() <= clockGrain {
		ahead = 0
	}
	c.ahead.Store(int64(ahead))
}

// now is our time until an answer told another.
func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Now returns the time by the API server's clock, within two seconds, as its last answer told it.
func (c *Cluster) Now() time.Time { return c.clock.now() }
