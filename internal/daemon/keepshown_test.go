package daemon

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever changes what is shown each time is not answered in a hot loop, and a world that stays as it
// is costs nothing.
func TestKeepShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		changed, heard := make(chan struct{}, 1), make(chan struct{}, 1)
		var calls atomic.Int64
		var fighting atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			keepShown(ctx, changed, heard, func() bool {
				calls.Add(1)
				if !fighting.Load() {
					return true
				}
				select {
				case heard <- struct{}{}: // it was changed back at once
				default:
				}
				return false
			})
		}()
		expect := func(least, most int64, within time.Duration, after func()) {
			t.Helper()
			calls.Store(0) // first: what happens may be looked at at once
			after()
			time.Sleep(within)
			synctest.Wait()
			if n := calls.Load(); n < least || n > most {
				t.Errorf("%d looks in %v, want %d to %d", n, within, least, most)
			}
		}
		expect(0, 0, 24*time.Hour, func() {})
		expect(1, 1, time.Hour, func() { changed <- struct{}{} })
		expect(1, 1, time.Hour, func() { heard <- struct{}{} })
		expect(60, 140, time.Hour, func() {
			fighting.Store(true)
			changed <- struct{}{}
		})
		expect(1, 2, time.Hour, func() { fighting.Store(false) }) // it is looked at once more
		stop()
		<-ended
	})
}
