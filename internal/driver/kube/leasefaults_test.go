package kube_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// electorate is some processes that want one lease, each with a way of its own to the cluster.
type electorate struct {
	t      *testing.T
	server *leases
	ctx    context.Context
	group  sync.WaitGroup
	began  chan string // who works
	all    map[string]*candidacy
}

// candidacy is one of them.
type candidacy struct {
	*kube.Lease
	way   *way
	stops context.CancelFunc
	drain time.Duration // how long its work goes on after it was told to end

	once  sync.Once
	ended chan struct{} // closed once its work is told for the first time that the lease is lost
}

func newElectorate(ctx context.Context, t *testing.T, names ...string) *electorate {
	e := &electorate{t: t, server: &leases{}, ctx: ctx, began: make(chan string, 100), all: map[string]*candidacy{}}
	e.server.handed = e.handed
	for _, who := range names {
		c := &candidacy{
			Lease: kube.NewLease("kupenstack-system", who, zerolog.Nop()), way: &way{server: e.server, who: who},
			ended: make(chan struct{}),
		}
		c.Access = kube.NewAccess(&rest.Config{Host: "http://cluster.test", Transport: c.way})
		e.all[who] = c
	}
	return e
}

// handed looks at each change of who has the lease: nobody loses it who may still write, and nobody frees it but who has it.
func (e *electorate) handed(by, before, after string) {
	if before == after || before == "" {
		return
	}
	if after == "" && by != before {
		e.t.Errorf("%s throws %s out", by, before)
	}
	if e.all[before].Guard() == nil {
		e.t.Errorf("%s makes the lease that of %q while %s may write", by, after, before)
	}
}

// start has a process want the lease, again and again as a daemon does, until it is stopped or all are.
func (e *electorate) start(who string) *candidacy {
	c := e.all[who]
	ctx, stop := context.WithCancel(e.ctx)
	c.stops = stop
	e.group.Go(func() {
		for ctx.Err() == nil {
			_ = c.Hold(ctx, nil, func(working context.Context) error {
				e.began <- who
				<-working.Done()
				if ctx.Err() == nil {
					c.once.Do(func() { close(c.ended) })
				}
				time.Sleep(c.drain)
				return nil
			})
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	})
	return c
}

// writers are those who may write now. More than one is a mistake.
func (e *electorate) writers() []string {
	var found []string
	for who, c := range e.all {
		if c.Guard() == nil {
			found = append(found, who)
		}
	}
	if len(found) > 1 {
		slices.Sort(found)
		e.t.Errorf("%v may write at once", found)
	}
	return found
}

// watch looks for that time who may write.
func (e *electorate) watch(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end) && !e.t.Failed(); {
		e.writers()
		time.Sleep(200 * time.Millisecond)
	}
}

// way is that of one process to the cluster.
type way struct {
	server *leases
	who    string

	mutex sync.Mutex
	fault fault
	heals chan struct{} // closed when the fault is over
}

// fault is what is wrong with a way.
type fault string

const (
	faultless fault = ""
	refused   fault = "refused"
	hanging   fault = "hanging"   // nothing arrives before it is over
	stopped   fault = "stopped"   // so it is, and the process does not notice either that its own time is over
	lateComer fault = "latecomer" // as hanging, but what was sent arrives when it is over, also what nobody waits for any more
	unheard   fault = "unheard"   // what was sent arrives, and no answer comes back before it is over
)

// set makes the way good or bad.
func (w *way) set(f fault) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.fault != faultless {
		close(w.heals)
	}
	w.fault, w.heals = f, make(chan struct{})
}

// RoundTrip answers without a network, so that leases can be tested under a clock of its own.
func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	w.mutex.Lock()
	fault, heals := w.fault, w.heals
	w.mutex.Unlock()
	serve := func() *http.Response {
		answer := httptest.NewRecorder()
		r.Header.Set(sender, w.who)
		w.server.ServeHTTP(answer, r)
		return answer.Result()
	}
	switch fault {
	case faultless:
	case refused:
		return nil, errors.New("no route to the cluster")
	case stopped:
		<-heals
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
	case hanging, lateComer:
		select {
		case <-heals:
		case <-r.Context().Done():
			if fault == lateComer && r.Body != nil {
				content, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				late := r.Clone(context.WithoutCancel(r.Context()))
				late.Body = io.NopCloser(bytes.NewReader(content))
				late.Header.Set(sender, w.who)
				go func() {
					<-heals
					w.server.ServeHTTP(httptest.NewRecorder(), late)
				}()
			}
			return nil, r.Context().Err()
		}
	case unheard:
		answer := serve()
		select {
		case <-heals:
			return answer, r.Context().Err()
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return serve(), nil
}

// TestWhoLostTheLeaseThrowsNobodyOut: a process whose requests hang loses the lease. When the cluster hears it again it leaves
// the new holder alone, and ends its work at once.
func TestWhoLostTheLeaseThrowsNobodyOut(t *testing.T) {
	for _, fault := range []fault{refused, hanging, stopped, lateComer, unheard} {
		for run := range 20 {
			t.Run(fmt.Sprintf("%s %d", fault, run), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, stop := context.WithCancel(t.Context())
					e := newElectorate(ctx, t, "a", "b", "c")
					e.all["a"].drain = time.Second
					a := e.start("a")
					<-e.began
					e.start("b")
					e.start("c")
					e.watch(5 * time.Second)
					a.way.set(fault)
					var next string
					for next == "" && !t.Failed() {
						e.watch(200 * time.Millisecond)
						select {
						case next = <-e.began:
						default:
						}
					}
					e.watch(time.Duration(run) * 150 * time.Millisecond)
					a.way.set(faultless)
					e.watch(time.Minute)
					select {
					case <-a.ended:
					default:
						t.Error("who lost the lease works on")
					}
					if found := e.writers(); len(found) != 1 || found[0] != next {
						t.Errorf("%s took over, and %v may write a minute later", next, found)
					}
					stop()
					e.group.Wait()
				})
			})
		}
	}
}

// TestOneWritesAtATime has processes come and go, and all kinds of faults between them and the cluster. They hold the lease for
// as long as each other, or each for as long as it was told.
func TestOneWritesAtATime(t *testing.T) {
	for seed := range uint64(50) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				ctx, stop := context.WithCancel(t.Context())
				e := newElectorate(ctx, t, "a", "b", "c")
				for _, who := range []string{"a", "b", "c"} {
					e.all[who].drain = time.Duration(random.IntN(20_000)) * time.Millisecond
					if seed%2 == 1 {
						e.all[who].Duration = []time.Duration{3 * time.Second, 5 * time.Second, 15 * time.Second, 40 * time.Second}[random.IntN(4)]
					}
					e.start(who)
					synctest.Wait()
				}
				faults := []fault{faultless, faultless, refused, hanging, stopped, lateComer, unheard}
				for range 40 {
					who := []string{"a", "b", "c"}[random.IntN(3)]
					e.all[who].way.set(faults[random.IntN(len(faults))])
					e.watch(time.Duration(random.IntN(25_000)) * time.Millisecond)
				}
				for _, c := range e.all {
					c.way.set(faultless)
				}
				e.watch(time.Minute)
				if len(e.writers()) != 1 {
					t.Error("a minute after all was well, nobody may write")
				}
				stop()
				e.group.Wait()
				if holder := e.server.holder(); holder != "" {
					t.Errorf("all have ended, and the lease is left to %s", holder)
				}
			})
		})
	}
}

// TestTakeOver: who waits has the lease of a process that died after no longer than is said, which is for as long as that one
// wrote into it, whatever the one who waits would write.
func TestTakeOver(t *testing.T) {
	for _, test := range []struct{ dead, waits time.Duration }{
		{0, 0},
		{3 * time.Second, 15 * time.Second},
		{time.Minute, 3 * time.Second},
	} {
		worst, said := time.Duration(0), time.Duration(0)
		for run := range 100 {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				e := newElectorate(ctx, t, "a", "b")
				e.all["a"].Duration, e.all["b"].Duration = test.dead, test.waits
				said = e.all["a"].Patience()
				a := e.start("a")
				<-e.began
				e.start("b")
				e.watch(time.Duration(20+2*(run%10))*time.Second + time.Millisecond)
				a.way.set(refused) // for good
				died := time.Now()
				<-e.began
				worst = max(worst, time.Since(died))
				stop()
				e.group.Wait()
			})
		}
		if early := said - worst; early < 0 || early > 1500*time.Millisecond+said/10 {
			t.Errorf("a lease of %v was taken over by one of %v in up to %v, and %v is what is said", test.dead, test.waits, worst, said)
		}
	}
}

// TestWhoCannotRenewStopsByItself: ten seconds after the last renewal that came about nothing is written any more, and soon
// after that the work is told to end; five seconds before the first moment at which another one may have the lease.
func TestWhoCannotRenewStopsByItself(t *testing.T) {
	for _, fault := range []fault{refused, hanging, lateComer} {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				e := newElectorate(ctx, t, "a")
				var last time.Time // under the server's lock
				e.server.handed = func(by, before, after string) {
					e.handed(by, before, after)
					last = time.Now()
				}
				a := e.start("a")
				<-e.began
				e.watch(7 * time.Second)
				a.way.set(fault)
				e.server.mutex.Lock()
				renewed := last
				e.server.mutex.Unlock()
				for a.Guard() == nil {
					time.Sleep(10 * time.Millisecond)
				}
				if after := time.Since(renewed); after < 10*time.Second || after > 10*time.Second+20*time.Millisecond {
					t.Errorf("it may write for %v after the last renewal", after)
				}
				<-a.ended
				if after := time.Since(renewed); after < 10*time.Second || after >= 13*time.Second {
					t.Errorf("its work is told to end %v after the last renewal", after)
				}
				stop()
				a.way.set(faultless)
				e.group.Wait()
			})
		})
	}
}

// TestALostLeaseThatIsFree: work is not gone on with when another one was in charge meanwhile, also when the lease is free again.
func TestALostLeaseThatIsFree(t *testing.T) {
	for name, free := range map[string]func(*electorate){
		"given back": func(e *electorate) { e.all["b"].stops() },
		"deleted":    func(e *electorate) { e.all["b"].way.set(refused); e.server.delete() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				e := newElectorate(ctx, t, "a", "b")
				a := e.start("a")
				<-e.began
				e.start("b")
				e.watch(4*time.Second + time.Millisecond) // between two renewals
				a.way.set(stopped)
				<-e.began
				free(e)
				synctest.Wait()
				a.way.set(faultless)
				<-a.ended
				if again := <-e.began; again != "a" || e.all["a"].Guard() != nil {
					t.Errorf("%s works then; the guard says %v", again, e.all["a"].Guard())
				}
				stop()
				e.group.Wait()
			})
		})
	}
}
