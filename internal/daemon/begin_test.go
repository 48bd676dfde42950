package daemon_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// quietly has reports hang while they are told to.
type quietly struct {
	branch
	hangs atomic.Bool
	tried atomic.Bool
}

func (q *quietly) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	if q.hangs.Load() {
		q.tried.Store(true)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return q.branch.Publish(ctx, files, message, merged)
}

func (q *quietly) says(name, text string) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return strings.Contains(string(q.files[name]), text)
}

func (q *quietly) published() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.calls
}

// TestTellsThatItCannotBegin: a process that cannot read what it has to know before it begins does nothing, and the report of
// the one before, by which all is well, does not stay. What is over soon is not told, and a server of Git that hangs keeps nobody
// from beginning.
func TestTellsThatItCannotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, target := newOffice(t, true), &quietly{}
		o.source.answers(true)
		o.Publisher.Target = target
		stop := o.run()
		const usual = `"verdict": "blocked"` // the cloud of an office tells less than the account of a namespace needs
		o.until(2*time.Minute, "the usual report", func() bool { return target.says("status.json", usual) })
		stop()
		hash, reports := o.Tracker.State().InForce.Hash, target.published()

		var damaged atomic.Bool
		engineOf := o.Engine
		o.Engine = func(ctx context.Context, changed func()) (*engine.Engine, error) {
			if damaged.Load() {
				return nil, errors.New("what is suspended is not known")
			}
			return engineOf(ctx, changed)
		}
		restart := func() {
			o.Tracker = o.track(o.source)
			o.Publisher = &daemon.Publisher{Tracker: o.Tracker, Target: target, Log: zerolog.Nop()}
			damaged.Store(true)
			stop = o.run()
		}
		restart()
		time.Sleep(40 * time.Second)
		if n := target.published(); n != reports {
			t.Errorf("%d reports were published for what lasted 40 seconds", n-reports)
		}
		o.until(time.Minute, "a report", func() bool { return target.published() > reports })
		if !target.says("status.json", `"verdict": "unknown"`) || !target.says("README.md", "cluster: what is suspended is not known") || !target.says("status.json", hash) {
			t.Errorf("the report says\n%s", target.files["README.md"])
		}
		reports = target.published()
		time.Sleep(10 * time.Minute)
		if n := target.published(); n != reports {
			t.Errorf("the same was published %d times more", n-reports)
		}
		damaged.Store(false)
		o.until(2*time.Minute, "the usual report again", func() bool { return target.says("status.json", usual) })
		stop()

		restart()
		target.hangs.Store(true)
		o.until(2*time.Minute, "a report that hangs", target.tried.Load)
		damaged.Store(false)
		o.come("wiki")
		o.serves(90*time.Second, "wiki")
		stop()
	})
}
