package revision

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Collector puts off the collection of garbage in this process while configurations are read. Reading one
// makes several times as much as stays, within a second, and what stays grows all the while, so the usual
// rhythm looks at the same things again and again. Memory stays bounded: what is alive at the start may
// grow by as much as the trial in a process of its own got along with, before it is collected as usual.
//
// The rhythm is that of the process as a whole, so a process has one Collector for all its readers. The
// zero value is ready, and a nil Collector changes nothing. It is safe for concurrent use.
type Collector struct {
	mutex   sync.Mutex
	readers int   // at work
	percent int   // as it was before the first of them
	limit   int64 // the same
	much    int64 // so many bytes are worth collecting in between
}

// relax begins such a time, until the returned function is called. room is what may be added to what is
// alive now.
func (c *Collector) relax(room int64) (restore func()) {
	if c == nil {
		return func() {}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.readers++; c.readers == 1 {
		alive := read("/gc/heap/live:bytes")
		c.much = alive + room/2
		c.limit = debug.SetMemoryLimit(-1) // which only asks
		debug.SetMemoryLimit(min(c.limit, alive+room))
		c.percent = debug.SetGCPercent(-1)
	}
	return func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if c.readers--; c.readers == 0 {
			debug.SetGCPercent(c.percent)
			debug.SetMemoryLimit(c.limit)
		}
	}
}

// tidy collects what there is when it is much. It is called where little of it is alive.
func (c *Collector) tidy() {
	if c == nil {
		return
	}
	c.mutex.Lock()
	much := c.readers > 0 && read("/memory/classes/heap/objects:bytes") > c.much
	c.mutex.Unlock()
	if much {
		runtime.GC()
	}
}

// read returns a number that the runtime knows.
func read(name string) int64 {
	found := []metrics.Sample{{Name: name}}
	metrics.Read(found)
	return int64(found[0].Value.Uint64()) //nolint:gosec // bytes
}
