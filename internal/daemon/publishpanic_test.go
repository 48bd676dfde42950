package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// panicking is where reports go, with a mistake that shows as often as it says.
type panicking struct {
	branch
	mutex sync.Mutex
	left  int
}

func (p *panicking) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.left > 0 {
		p.left--
		panic(errors.New("canary"))
	}
	return p.branch.Publish(ctx, files, message, merged)
}

// TestReportsThatPanic: the daemon goes on without a report, tries again, and tells nobody what was panicked with.
func TestReportsThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o, target := newOffice(t, true), &panicking{left: 3}
		o.source.answers(true)
		both := zerolog.New(zerolog.SyncWriter(&log))
		o.Publisher.Target, o.Publisher.Log, o.Log = target, both, both
		stop := o.run()
		o.until(5*time.Minute, "a report", func() bool {
			target.mutex.Lock()
			defer target.mutex.Unlock()
			return strings.Contains(string(target.files["status.json"]), `project.namespaces[\"blog\"]`)
		})
		o.serves(0, "blog")
		stop()
		if said := log.String(); target.left > 0 || strings.Contains(said, "canary") || strings.Count(said, "a panic was contained") != 3 {
			t.Errorf("%d are left, and the log says %s", target.left, said)
		}
	})
}
