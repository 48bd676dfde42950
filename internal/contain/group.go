package contain

import "sync"

// Group is goroutines that a call waits for. The zero Group bounds nothing.
type Group struct {
	slots   chan struct{}
	running sync.WaitGroup

	mutex sync.Mutex
	first *Panic
}

// AtOnce returns a group of which so many work at a time.
func AtOnce(most int) *Group { return &Group{slots: make(chan struct{}, most)} }

// Go does some work in a goroutine, once there is room for one more.
func (g *Group) Go(work func()) {
	if g.slots != nil {
		g.slots <- struct{}{}
	}
	g.running.Go(func() {
		if g.slots != nil {
			defer func() { <-g.slots }()
		}
		p := caught(work)
		if p == nil {
			return
		}
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if g.first == nil {
			g.first = p
		}
	})
}

// Wait waits until all work is done. The first panic in it is one of who waits, with a [Panic].
func (g *Group) Wait() {
	g.running.Wait()
	g.mutex.Lock()
	first := g.first
	g.mutex.Unlock()
	if first != nil {
		panic(first)
	}
}

// Go does some work in a goroutine that nobody waits for by a group. A panic in it ends the process, and tells no value.
func Go(work func()) { go ending(work) }

// Background is goroutines that outlive the call that started them. A panic in one ends the process, for nobody would hear
// that its work is not done any more; it tells no value.
type Background struct{ running sync.WaitGroup }

// Go does some work in a goroutine.
func (b *Background) Go(work func()) {
	b.running.Go(func() { ending(work) })
}

// Wait waits until all work is done.
func (b *Background) Wait() { b.running.Wait() }
