package memory

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// growth is by how many percent the heap may grow over what is alive before garbage is collected. Go's own 100
	// is for programs whose time counts.
	growth = 22
	// worthwhile is how much has to come back for a collection that nothing else asks for.
	worthwhile = 8 << 20
	// rarely is the shortest time between two of these.
	rarely = time.Minute
)

// Spare has this process keep little garbage, unless GOGC says how much. Each command calls it when it starts.
func Spare() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
}

// Rest gives memory back. The zero value is ready; it is safe for concurrent use.
type Rest struct {
	mutex sync.Mutex
	last  time.Time
}

// GiveBack returns to the system what is not needed after work, where that is much. It is for moments when nothing is
// going on, takes a collection, and does so rarely however often it is called. It tells whether it did.
func (r *Rest) GiveBack() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.last.IsZero() && time.Since(r.last) < rarely || idle() < worthwhile {
		return false
	}
	debug.FreeOSMemory()
	r.last = time.Now()
	return true
}

// idle is how much of the heap's memory was not alive when garbage was collected last.
func idle() uint64 {
	found := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(found)
	alive, held := found[0].Value.Uint64(), uint64(0)
	for _, class := range found[1:] {
		held += class.Value.Uint64()
	}
	return held - min(alive, held)
}
