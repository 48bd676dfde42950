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

// TestTheRecordBesideOneThatIsRefused: which revision is in force is on record although a newer one is refused by then, and
// although the one before it could not be kept yet: a process that took over would go back to that one.
func TestTheRecordBesideOneThatIsRefused(t *testing.T) {
	for name, record := range map[string]bool{"the clone is in use": false, "the record takes its time": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, busy := newOffice(t, false), make(chan struct{})
				o.source.answers(true)
				ledger := &notes{}
				if o.Tracker.Ledger = ledger; record {
					ledger.slow = busy
				} else {
					o.source.inUse = busy
				}
				free := sync.OnceFunc(func() { close(busy) })
				defer o.run()()
				defer free()
				o.serves(time.Minute, "blog")

				before := o.Tracker.State().Applied.Hash
				write(t, o.dir, "more.hcl", "project \"two\" {}\n")
				o.news <- daemon.SourceChanged
				o.until(time.Minute, "the second revision", func() bool { return o.engine.Load().Snapshot().InForce != before })
				second := o.Tracker.State().Applied.Hash
				write(t, o.dir, "more.hcl", "")
				write(t, o.dir, "main.hcl", "cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n") // asks for nothing
				o.news <- daemon.SourceChanged
				o.until(time.Minute, "a third that is refused", func() bool { return o.engine.Load().Snapshot().RefusedRevision != "" })
				if record {
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
