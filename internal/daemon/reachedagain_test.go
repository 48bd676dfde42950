package daemon_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// server is one of Git that is there or is not, with a repository and the branch for its reports.
type server struct {
	branch
	*hanging
	says []said
}

// said is what a report says of the repository.
type said struct {
	at   time.Time
	away bool
}

var errAway = errors.New("connection refused")

func (s *server) down(yes bool) {
	s.branch.mutex.Lock()
	defer s.branch.mutex.Unlock()
	s.fail = nil
	if yes {
		s.fail = errAway
	}
}

func (s *server) Head(ctx context.Context) (gitrepo.Revision, error) {
	s.branch.mutex.Lock()
	err := s.fail
	s.branch.mutex.Unlock()
	if err != nil {
		return gitrepo.Revision{}, err
	}
	return s.hanging.Head(ctx)
}

func (s *server) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	foreign, err := s.branch.Publish(ctx, files, message, merged)
	if err == nil {
		s.branch.mutex.Lock()
		defer s.branch.mutex.Unlock()
		s.says = append(s.says, said{time.Now(), strings.Contains(string(files[report.FileReadme]), errAway.Error())})
	}
	return foreign, err
}

// last is what the newest report says; false where there is none.
func (s *server) last() (said, bool) {
	s.branch.mutex.Lock()
	defer s.branch.mutex.Unlock()
	if len(s.says) == 0 {
		return said{}, false
	}
	return s.says[len(s.says)-1], true
}

// served is an office whose repository and reports are with one server.
func served(t *testing.T) (*office, *server) {
	t.Helper()
	o := newOffice(t, false)
	o.source.answers(true)
	s := &server{hanging: o.source}
	o.Tracker = o.track(s)
	o.Publisher = &daemon.Publisher{Target: s, Tracker: o.Tracker, Log: zerolog.Nop()}
	return o, s
}

// TestReportedOnceReachedAgain: a report that says that the repository cannot be reached is put right at once when it has
// reached it, whenever the next poll was to be.
func TestReportedOnceReachedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, s := served(t)
		o.Interval = 10 * time.Second
		stop := o.run()
		defer stop()
		o.serves(time.Minute, "blog")
		for i := range 20 { // however poll and report come to lie
			o.until(2*time.Minute, "a report that all is well", func() bool { last, any := s.last(); return any && !last.away })
			s.down(true)
			time.Sleep(10*time.Minute + time.Duration(i)*3*time.Second)
			s.down(false)
			time.Sleep(3 * time.Minute)
		}
		stop() // it may be about to report
		away := 0
		for i, says := range s.says {
			if !says.away {
				continue
			}
			if away++; i+1 == len(s.says) || s.says[i+1].away || s.says[i+1].at.Sub(says.at) > 2*time.Second {
				t.Errorf("report %d of %d says that the repository cannot be reached, and the next one does not put it right: %v", i, len(s.says), s.says)
				break
			}
		}
		if away == 0 {
			t.Error("no report ever said that the repository cannot be reached: this proves nothing")
		}
	})
}

// TestLastReportOnceReachedAgain: nor does the last report of a daemon say that the repository cannot be reached which it is pushed to.
func TestLastReportOnceReachedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, s := served(t)
		o.Interval = 10 * time.Second
		stop := o.run()
		o.serves(time.Minute, "blog")
		o.until(2*time.Minute, "a report", func() bool { _, any := s.last(); return any })
		s.down(true)
		o.until(2*time.Minute, "trouble", func() bool { return len(o.Problems()) > 0 })
		s.down(false)
		stop()
		if last, _ := s.last(); last.away {
			t.Error("the last report says that the repository cannot be reached")
		}
	})
}
