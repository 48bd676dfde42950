package daemon_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// notes are a ledger in memory.
type notes struct {
	mutex sync.Mutex
	id    string
	slow  chan struct{} // nothing is taken until it is closed; nil for at once
}

func (n *notes) Admitted(context.Context) (string, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.id, nil
}

func (n *notes) Admit(_ context.Context, id string) error {
	if n.slow != nil {
		<-n.slow
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.id = id
	return nil
}

// mute is a status branch whose server takes nothing.
type mute struct{}

func (mute) Publish(ctx context.Context, _ map[string][]byte, _ string, _ []string) (*gitrepo.Commit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (mute) Read(context.Context) (map[string][]byte, error) { return nil, nil }

func (mute) Plans(context.Context, []string) ([]report.OpenPlan, error) { return nil, nil }

func (mute) Moved() bool { return false }

// TestTheRecordWaitsForNoReport: which revision is in force is on record as soon as it is admitted, while a server of Git
// takes no report: a process that took over would go back to the one before.
func TestTheRecordWaitsForNoReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.source.answers(true)
		ledger := &notes{}
		o.Tracker.Ledger = ledger
		o.Publisher = &daemon.Publisher{Target: mute{}, Tracker: o.Tracker, Log: zerolog.Nop()}
		recorded := func() bool {
			id, _ := ledger.Admitted(t.Context())
			return id != "" && id == o.Tracker.State().Applied.Hash
		}
		defer o.run()()
		o.serves(time.Minute, "blog")
		o.until(2*time.Second, "the first on record", recorded)

		before := o.Tracker.State().Applied.Hash
		write(t, o.dir, "more.hcl", "project \"two\" {}\n")
		o.news <- daemon.SourceChanged
		o.until(time.Minute, "the second revision", func() bool { return o.Tracker.State().Applied.Hash != before })
		o.until(2*time.Second, "the second on record", recorded)
	})
}

// second puts another revision into the place of the first, and returns it when it is in force.
func (o *office) second() string {
	o.t.Helper()
	first := o.engine.Load().InForce()
	write(o.t, o.dir, "more.hcl", "project \"two\" {}\n")
	o.news <- daemon.SourceChanged
	o.until(time.Minute, "the second revision", func() bool { return o.engine.Load().InForce() != first })
	return o.engine.Load().InForce()
}

// TestTheRecordBesideOnesThatAreRefused: which revision is in force is on record although newer ones are refused by then,
// and although the one before it could not be kept yet: a process that took over would go back to that one.
func TestTheRecordBesideOnesThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		record  bool // takes its time; else the clone is in use
		refused []string
	}{
		"the clone is in use":                   {false, []string{""}},
		"the record takes its time":             {true, []string{""}},
		"the record takes the time of a second": {true, []string{"", "# again\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, busy := newOffice(t, false), make(chan struct{})
				o.source.answers(true)
				ledger := &notes{}
				if o.Tracker.Ledger = ledger; test.record {
					ledger.slow = busy
				} else {
					o.source.inUse = busy
				}
				free := sync.OnceFunc(func() { close(busy) })
				defer o.run()()
				defer free()
				o.serves(time.Minute, "blog")

				second := o.second()
				write(t, o.dir, "more.hcl", "")
				for _, more := range test.refused {
					before := o.Tracker.State().Applied.Hash
					write(t, o.dir, "main.hcl", more+"cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n") // asks for nothing
					o.news <- daemon.SourceChanged
					o.until(time.Minute, "another one that is refused", func() bool {
						newest := o.Tracker.State().Applied.Hash
						return newest != before && o.engine.Load().Snapshot().RefusedRevision == newest
					})
				}
				if test.record {
					free()
				}
				o.until(2*time.Second, "the second on record", func() bool {
					id, _ := ledger.Admitted(t.Context())
					return id == second && o.Tracker.State().InForce.Hash == second
				})
			})
		})
	}
}

// TestTheCloneKeepsWhatIsOnRecord: nothing is kept before it is on record, as a process that begins without Git goes on
// with what was kept only where the record says the same.
func TestTheCloneKeepsWhatIsOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, busy := newOffice(t, false), make(chan struct{})
		o.source.answers(true)
		o.Tracker.Ledger = &notes{slow: busy}
		defer o.run()()
		o.serves(time.Minute, "blog")
		synctest.Wait()
		if id := o.source.keeps(); id != "" {
			t.Errorf("it keeps %s before that is on record", id)
		}
		close(busy)
		o.until(2*time.Second, "what is on record kept", func() bool { return o.source.keeps() == o.engine.Load().InForce() })
	})
}

// closed is a ledger that takes nothing while it is shut.
type closed struct {
	notes
	shut  atomic.Bool
	hangs bool // until the caller does not wait any more
	tried atomic.Bool
}

func (c *closed) Admit(ctx context.Context, id string) error {
	if !c.shut.Load() {
		return c.notes.Admit(ctx, id)
	}
	c.tried.Store(true)
	if c.hangs {
		<-ctx.Done()
	}
	return errors.New("no answer")
}

// late is a status branch whose server hangs until it is open.
type late struct {
	mute
	open    atomic.Bool
	message atomic.Pointer[string]
}

func (l *late) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	if !l.open.Load() {
		return l.mute.Publish(ctx, files, message, merged)
	}
	if ctx.Err() == nil {
		l.message.Store(&message)
	}
	return nil, ctx.Err()
}

// TestTheRecordAtTheEnd: what is in force and is not on record yet when a daemon is told to end is put there: who comes
// after it would go back to the one before. The last report does not wait for that.
func TestTheRecordAtTheEnd(t *testing.T) {
	for name, test := range map[string]struct{ hangs, lasting bool }{
		"it waits for another try":  {false, false},
		"in the middle of a try":    {true, false},
		"the record hangs for good": {true, true},
		"the record stays shut":     {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, ledger, board := newOffice(t, false), &closed{hangs: test.hangs}, &late{}
				o.source.answers(true)
				o.Tracker.Ledger = ledger
				o.Publisher = &daemon.Publisher{Target: board, Tracker: o.Tracker, Log: zerolog.Nop()}
				stop := sync.OnceFunc(o.run())
				defer stop()
				o.serves(time.Minute, "blog")
				first := o.engine.Load().InForce()
				o.until(2*time.Second, "the first kept", func() bool { return o.source.keeps() == first })

				ledger.shut.Store(true)
				second := o.second()
				o.until(2*time.Second, "a try to put the second on record", ledger.tried.Load)
				ledger.shut.Store(test.lasting)
				board.open.Store(true)
				stop()
				want := second
				if test.lasting {
					want = first
				}
				if id, _ := ledger.Admitted(t.Context()); id != want || o.source.keeps() != want {
					t.Errorf("on record is %s and kept is %s, want %s", id, o.source.keeps(), want)
				}
				if message := board.message.Load(); message == nil || !strings.Contains(*message, second) {
					t.Errorf("no last report speaks of %s", second)
				}
			})
		})
	}
}

// TestTheEndWaitsForNoServerOfGit: one that hangs keeps a process that is told to end, and nothing else to do, from giving
// the lease back for a moment only.
func TestTheEndWaitsForNoServerOfGit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.Grace = 25 * time.Second
		o.source.answers(true)
		o.Publisher = &daemon.Publisher{Target: mute{}, Tracker: o.Tracker, Log: zerolog.Nop()}
		stop := sync.OnceFunc(o.run())
		defer stop()
		o.serves(time.Minute, "blog")
		told := time.Now()
		stop()
		if took := time.Since(told); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestNewsDoNotHasten: a record that cannot be written is tried again at growing distances, however often there are news,
// and at once for another revision.
func TestNewsDoNotHasten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mutex sync.Mutex
		revision, broken, tries := "one", true, map[string]int{}
		do := func(change func()) { mutex.Lock(); defer mutex.Unlock(); change() }
		admitted, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			daemon.RecordNews(ctx, admitted, func() (is string) { do(func() { is = revision }); return is }, func(_ context.Context, id string) (err error) {
				do(func() {
					if tries[id]++; broken {
						err = errors.New("no answer")
					}
				})
				return err
			}, zerolog.Nop())
		}()
		newsFor := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				admitted <- struct{}{}
			}
		}
		newsFor(time.Minute)
		do(func() {
			if n := tries["one"]; n < 4 || n > 8 {
				t.Errorf("within a minute it was tried %d times", n)
			}
			revision = "two"
		})
		newsFor(time.Second)
		do(func() {
			if tries["two"] == 0 {
				t.Error("another revision waited for the first one")
			}
			broken = false
		})
		newsFor(2 * time.Minute)
		do(func() { tries["two"] = 0 })
		newsFor(2 * time.Minute)
		do(func() {
			if tries["two"] > 0 {
				t.Errorf("what was kept is kept again %d times", tries["two"])
			}
			revision, broken = "three", true
		})
		newsFor(time.Second)
		do(func() { revision, broken, tries["three"] = "", false, 0 }) // a newer one is there, and refused
		newsFor(2 * time.Minute)
		do(func() {
			if tries["three"] != 1 {
				t.Errorf("what was in force last was kept %d times", tries["three"])
			}
		})
		cancel()
		<-done
	})
}

// lagging is a ledger that has one write of a revision take its time, and knows all that were done, in order.
type lagging struct {
	notes
	hold atomic.Pointer[string] // that revision; nil for none
	free chan struct{}          // closed to let it go on
	ids  []string
}

func (l *lagging) Admit(ctx context.Context, id string) error {
	if hold := l.hold.Load(); hold != nil && *hold == id && l.hold.CompareAndSwap(hold, nil) {
		<-l.free
	}
	l.mutex.Lock()
	l.ids = append(l.ids, id)
	l.mutex.Unlock()
	return l.notes.Admit(ctx, id)
}

// TestTheRecordNeverGoesBack: once the engine acts on a revision no word of the one before it gets on record any more,
// however long that was on its way: a process that is killed then would have the next one go back.
func TestTheRecordNeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, ledger := newOffice(t, false), &lagging{free: make(chan struct{})}
		o.source.answers(true)
		o.Tracker.Ledger = ledger
		first := ""
		o.admit = func(ctx context.Context, id string) error {
			err := o.Admit(ctx, id)
			if first == "" {
				first = id
				ledger.hold.Store(&id) // if it is told of a second time
			}
			return err
		}
		defer o.run()()
		free := sync.OnceFunc(func() { close(ledger.free) })
		defer free()
		o.serves(time.Minute, "blog")
		second := o.second()
		free()
		synctest.Wait()
		ledger.mutex.Lock()
		defer ledger.mutex.Unlock()
		if at := slices.Index(ledger.ids, second); at < 0 || slices.Contains(ledger.ids[at:], first) {
			t.Errorf("%s is acted on after %s, and on record came %q", second, first, ledger.ids)
		}
	})
}
