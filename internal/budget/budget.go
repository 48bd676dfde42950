package budget

import (
	"sync"
	"time"
)

// Budget is what one API may be asked in an hour. Create it with [New]. It may be used by many goroutines.
type Budget struct {
	perHour int

	mutex sync.Mutex
	sent  uint64
	left  float64 // below zero for debt
	at    time.Time
}

// New returns a budget of that many requests an hour, of which all are there at first. With 0 it only counts.
func New(perHour int) *Budget {
	return &Budget{perHour: perHour, left: float64(perHour), at: time.Now()}
}

// Spend counts a request that is sent.
func (b *Budget) Spend() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.fill()
	b.sent++
	b.left--
}

// Wait returns how long nothing new is to begin, 0 for not at all.
func (b *Budget) Wait() time.Duration {
	if b.perHour == 0 {
		return 0
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.fill()
	if b.left >= 1 {
		return 0
	}
	// Rounded up, so that who waits for that long finds a request.
	return time.Duration((1-b.left)*float64(time.Hour)/float64(b.perHour)) + time.Millisecond
}

// Sent returns how many requests were sent so far.
func (b *Budget) Sent() uint64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.sent
}

// Left returns how many requests may be sent now, below zero for debt. It is false where there is no bound.
func (b *Budget) Left() (int, bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.fill()
	return int(b.left), b.perHour > 0
}

// fill adds what has come in since the last time.
func (b *Budget) fill() {
	now := time.Now()
	b.left = min(b.left+now.Sub(b.at).Hours()*float64(b.perHour), float64(b.perHour))
	b.at = now
}
