package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const (
	reports = "refs/heads/kupenstack-status"
	nothing = "cloud \"c\" {\n  openstack {\n    cloud = \"c\"\n  }\n}\n"
	mistake = "network \"x\" {\n  colour = \"red\"\n}\n"
)

// open returns a pass over a repository and a cluster.
func open(t *testing.T, repository *gitserver.Repository, server *httptest.Server, may func() error) *onePass {
	t.Helper()
	o := newOptions(schema.New())
	o.output = outputText
	set := pflag.NewFlagSet("pass", pflag.ContinueOnError)
	o.Register(set)
	if err := set.Parse(flagsFor(t, repository, server)); err != nil {
		t.Fatal(err)
	}
	p, err := newPass(t.Context(), o, guard.Rights{Write: may}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.system.Close)
	return p
}

// TestNewest: a process that is in charge at last takes up what was pushed while it waited.
func TestNewest(t *testing.T) {
	slow.Test(t)
	for _, test := range []struct {
		name    string
		pushed  string // "" for nothing
		lost    bool   // the repository cannot be reached any more
		newer   bool   // that is what is taken up
		code    exit   // of the error, when there is one with a code
		fails   bool
		reports string // a part of the report
	}{
		{name: "nothing came"},
		{name: "a good commit", pushed: nothing + "locals { a = 1 }\n", newer: true},
		{name: "a commit with mistakes", pushed: mistake, fails: true, code: exitInvalid, reports: "colour"},
		{name: "nobody can be asked", lost: true, fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := gitserver.NewStore(t)
			repository := store.Create(t, "cloud")
			first := repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
			server := httptest.NewServer(&api{})
			t.Cleanup(server.Close) // after the watches have ended
			p := open(t, repository, server, func() error { return nil })
			wanted, err := p.tracker.Poll(t.Context())
			if err != nil || wanted == nil || wanted.ID != first {
				t.Fatalf("wanted is %+v, error %v", wanted, err)
			}
			later := first
			if test.pushed != "" {
				later = repository.Commit(t, map[string]string{"main.hcl": test.pushed}, "Go on")
			}
			if test.lost {
				if err := os.RemoveAll(repository.Dir); err != nil {
					t.Fatal(err)
				}
			}
			newest, err := p.newest(t.Context())
			if (err != nil) != test.fails {
				t.Fatalf("error %v", err)
			}
			var code exit
			if errors.As(err, &code); code != test.code {
				t.Errorf("it ends with %d, want %d: %v", code, test.code, err)
			}
			want := wanted
			if test.newer {
				want = &engine.Revision{ID: later}
			}
			if err == nil && newest.ID != want.ID {
				t.Errorf("it takes up %s, want %s", newest.ID, want.ID)
			}
			if test.lost {
				return
			}
			if test.reports == "" {
				if hash := repository.Hash(t, reports); hash != "" {
					t.Errorf("there is a report: %v", repository.Tree(t, reports))
				}
			} else if text := repository.Tree(t, reports)["README.md"]; !strings.Contains(text, test.reports) {
				t.Errorf("the report does not name %q:\n%s", test.reports, text)
			}
		})
	}
}

// TestAWaitingPassTakesUpWhatCame is the same from outside: another one is in charge, there is a push,
// and the other one ends.
func TestAWaitingPassTakesUpWhatCame(t *testing.T) {
	slow.Test(t)
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	cluster := &api{asked: make(chan struct{})}
	asked := cluster.asked
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close) // after the watches have ended
	cluster.hold("kupenstackd_1", time.Now())
	ended := make(chan int, 1)
	where := flagsFor(t, repository, server)
	go func() {
		code, _ := call(t, "", append(where, "--wait")...)
		ended <- code
	}()
	<-asked
	later := repository.Commit(t, map[string]string{"main.hcl": nothing + "locals { a = 1 }\n"}, "Go on")
	cluster.hold("", time.Now())
	if code := <-ended; code != exitDone {
		t.Fatalf("it ends with %d", code)
	}
	files := repository.Tree(t, reports)
	if !strings.Contains(files["status.json"], later) {
		t.Errorf("the report does not name %s:\n%s", later, files["status.json"])
	}
}

// TestLostInTheMiddle: a pass that loses the lease ends with that, sends nothing more, and reports nothing.
func TestLostInTheMiddle(t *testing.T) {
	for name, method := range map[string]string{"before it began": http.MethodPost, "while something is changed": http.MethodPatch} {
		t.Run(name, func(t *testing.T) {
			store := gitserver.NewStore(t)
			repository := store.Create(t, "cloud")
			repository.Commit(t, map[string]string{"main.hcl": nothing + "node \"w\" {\n  roles = [\"compute\"]\n}\n"}, "Begin")
			cluster := &api{holds: method, held: make(chan struct{}), release: make(chan struct{})}
			server := httptest.NewServer(cluster)
			t.Cleanup(server.Close) // after the watches have ended
			var lease sync.Mutex
			lost, granted := false, 0
			p := open(t, repository, server, func() error {
				lease.Lock()
				defer lease.Unlock()
				if lost {
					return unit.ErrNotWriter
				}
				granted++
				return nil
			})
			wanted, err := p.tracker.Poll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			errLost := errors.New("the lease was lost")
			ended := make(chan error, 1)
			go func() { ended <- p.converge(ctx, wanted) }()
			select {
			case <-cluster.held:
			case err := <-ended:
				t.Fatalf("it ended with %v before it changed anything: %q", err, cluster.changed())
			}
			lease.Lock()
			lost = true
			lease.Unlock()
			cancel(errLost)
			close(cluster.release)
			if err := <-ended; !errors.Is(err, errLost) {
				t.Errorf("it ended with %v", err)
			}
			// What another unit was about to send when the lease was lost may arrive after the one that is
			// held: it was allowed. Each was asked for once, so there cannot be more than that.
			if sent := cluster.changed(); len(sent) > granted {
				t.Errorf("it went on: %d requests were allowed, and there were %q", granted, sent)
			}
			if hash := repository.Hash(t, reports); hash != "" {
				t.Error("it reported without being in charge")
			}
		})
	}
}

// TestReportRefused: a pass whose report is refused tells how things stand all the same, and fails: who
// reads the status branch would take the last report for the newest.
func TestReportRefused(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	repository.RejectPushes(t, "nobody may push here")
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close) // after the watches have ended
	p := open(t, repository, server, func() error { return nil })
	wanted, err := p.tracker.Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = p.converge(t.Context(), wanted)
	var code exit
	if !errors.As(err, &code) || code != exitFailed {
		t.Errorf("it ends with %v", err)
	}
	if verdict := p.publisher.Verdict(); verdict != report.VerdictConverged {
		t.Errorf("its verdict is %q", verdict)
	}
	if hash := repository.Hash(t, reports); hash != "" {
		t.Error("the report was not refused, so this shows nothing")
	}
}

// TestAnotherNamespace: with a namespace that was misspelt nothing is taken over from the installation that
// there is, and nothing is written, the lease and the namespace for it included.
func TestAnotherNamespace(t *testing.T) {
	slow.Test(t)
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	broken := store.Create(t, "broken")
	broken.Commit(t, map[string]string{"main.hcl": mistake}, "Begin")
	for other, want := range map[string]int{"": exitDone, "kupenstack-sytsem": exitUsage} {
		for _, command := range []string{"plan", ""} {
			cluster := &api{other: other}
			server := httptest.NewServer(cluster)
			args := flagsFor(t, repository, server)
			if command != "" {
				args = append([]string{command}, args...)
			}
			if code, out := call(t, "", args...); code != want {
				t.Errorf("%q beside an installation in %q ends with %d, want %d:\n%s", command, other, code, want, out)
			}
			if other != "" && len(cluster.writes) > 0 {
				t.Errorf("%q beside an installation in %q sent %q", command, other, cluster.writes)
			}
			server.Close()
		}
	}
	// Nor is it by a pass that has only mistakes to report.
	cluster := &api{other: "kupenstack-sytsem"}
	server := httptest.NewServer(cluster)
	defer server.Close()
	if code, out := call(t, "", flagsFor(t, broken, server)...); code != exitInvalid || len(cluster.writes) > 0 {
		t.Errorf("with mistakes it ends with %d and sent %q:\n%s", code, cluster.writes, out)
	}
}
