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
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
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

// refusing is where reports go that can be refused.
type refusing struct {
	branch
	mutex sync.Mutex
	why   error
}

func (r *refusing) refuse(why error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.why = why
}

func (r *refusing) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.why != nil {
		return nil, r.why
	}
	return r.branch.Publish(ctx, files, message, merged)
}

// TestNobodyVouchesForAnOldReport: the heart stands still while the report cannot be replaced, and beats again after.
func TestNobodyVouchesForAnOldReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, target, h := newOffice(t, true), &refusing{}, &heart{}
		target.refuse(&gitrepo.Error{Kind: gitrepo.Rejected, Text: "protected branch"})
		o.source.answers(true)
		o.Publisher.Target, o.Pulse = target, &daemon.Pulse{Target: h, Every: time.Hour, Log: zerolog.Nop()}
		defer o.run()()
		o.until(5*time.Minute, "the first plan", func() bool { return o.Publisher.Behind() })
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if n := h.count(); n > 0 {
			t.Errorf("%d beats beside a report that is not there", n)
		}
		target.refuse(nil)
		o.until(3*time.Hour, "a beat", func() bool { return h.count() > 0 })
	})
}

// TestBehind: a report that says nothing new is the newest one, and one that is only late is no reason to stand still.
func TestBehind(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		expect := func(behind bool, after string) {
			t.Helper()
			if d.publisher.Behind() != behind {
				t.Errorf("%s: %v", after, !behind)
			}
		}
		tell := func(phase engine.Phase, fail error) {
			d.target.fail = fail
			_, _ = d.publisher.Publish(t.Context(), d.snapshot(phase, ""), nil, true)
		}
		tell(engine.PhaseReady, nil)
		expect(false, "a report")
		tell(engine.PhaseFailed, &gitrepo.Error{Kind: gitrepo.Unreachable})
		expect(false, "no connection")
		tell(engine.PhaseFailed, errors.New("refused"))
		expect(true, "a refusal")
		tell(engine.PhaseFailed, &gitrepo.Error{Kind: gitrepo.Unreachable})
		expect(true, "no connection after a refusal")
		tell(engine.PhaseReady, errors.New("refused"))
		expect(false, "what the report says is true again")
		tell(engine.PhaseFailed, errors.New("refused"))
		tell(engine.PhaseFailed, nil)
		expect(false, "a report again")
	})
}
