package daemon_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
)

// heart notes until when it was said that the world was observed.
type heart struct {
	mutex sync.Mutex
	beats []time.Time
	fail  error
	blind bool
}

func (h *heart) set(fail error, blind bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.fail, h.blind = fail, blind
}

func (h *heart) observes() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return !h.blind
}

func (h *heart) count() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.beats)
}

func (h *heart) Beat(_ context.Context, until time.Time) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.fail == nil && until.Equal(time.Now()) {
		h.beats = append(h.beats, until)
	}
	return h.fail
}

func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &heart{blind: true}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		pulse := &daemon.Pulse{Target: h, Every: time.Hour, Log: zerolog.Nop()}
		go func() {
			defer close(ended)
			pulse.Run(ctx, h.observes)
		}()
		expect := func(n int, within time.Duration) {
			t.Helper()
			for begun := time.Now(); h.count() < n; synctest.Wait() {
				if time.Since(begun) > within {
					t.Fatalf("%d beats, want %d", h.count(), n)
				}
				time.Sleep(time.Minute)
			}
		}
		quiet := func(n int, until time.Duration) {
			t.Helper()
			time.Sleep(until)
			synctest.Wait()
			if h.count() != n {
				t.Fatalf("%d beats, want %d", h.count(), n)
			}
		}
		// The first one comes as soon as everything has been seen: who starts anew every half an hour beats.
		quiet(0, 30*time.Minute)
		h.set(nil, false)
		expect(1, 3*time.Minute)
		quiet(1, 50*time.Minute) // an unchanged world costs nothing for most of the time
		expect(2, 17*time.Minute)
		// While not everything can be seen there is none, and after that there is one again.
		h.set(nil, true)
		quiet(2, 3*time.Hour)
		h.set(nil, false)
		expect(3, 67*time.Minute)
		// A failure delays it, and not by as much as the next one is away.
		h.set(errors.New("refused"), false)
		quiet(3, 70*time.Minute)
		h.set(nil, false)
		expect(4, 20*time.Minute)
		stop()
		<-ended
	})
}

func TestNoPulse(t *testing.T) {
	for _, pulse := range []*daemon.Pulse{nil, {Every: 0}} {
		pulse.Run(t.Context(), func() bool { panic("nobody asked for that") }) // it returns at once
	}
}
