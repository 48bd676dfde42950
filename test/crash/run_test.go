//go:build beds

package crash_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// A process is killed at request 7 and only there: the store saw exactly what came before.
func TestKilledAtRequestSevenAndOnlyThere(t *testing.T) {
	tests := []struct {
		name     string
		requests int // that the program sends
		after    bool
		killed   bool
		seen     int // by the store
	}{
		{"before", 9, false, true, 6},
		{"after", 9, true, true, 7},
		{"the last, before", 7, false, true, 6},
		{"the last, after", 7, true, true, 7},
		{"six requests, before", 6, false, false, 6},
		{"six requests, after", 6, true, false, 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			store := startStore(t)
			proxy := faultproxy.Start(t, faultproxy.Options{Target: store.URL})
			run := crash.Run{
				Program: self("blind", proxy.URL(), strconv.Itoa(test.requests)), Dir: t.TempDir(), Control: proxy.Control,
				Kill: []crash.Trigger{crash.AtRequest(proxy.Control, faultproxy.Match{Verb: "POST"}, crash.Point{Request: 7, After: test.after})},
			}
			if test.killed {
				// Stops the second life at its first request, so that the store shows what the first one left.
				run.Kill = append(run.Kill, crash.AtRequest(proxy.Control, faultproxy.Match{}, crash.Point{Request: 1}))
				second := proxy.Add(faultproxy.Rule{Sequence: 8, Match: faultproxy.Match{}})
				defer func() {
					if second.Fired() != 1 {
						t.Errorf("request 8, the first of the second life, came %d times", second.Fired())
					}
				}()
			}
			lives, err := run.Do(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if lives[0].Killed != test.killed {
				t.Errorf("killed is %v, want %v", lives[0].Killed, test.killed)
			}
			requests := proxy.Requests()
			for _, request := range requests[:min(7, len(requests))] {
				forwarded := request.Sequence < 7 || test.after
				if request.Forwarded != forwarded || request.Forwarded != (request.Upstream == 200) {
					t.Errorf("recorded %v", request)
				}
			}
			seen := store.seen()
			if test.killed {
				if len(lives) != 3 || !lives[1].Killed || len(requests) != 8+test.requests {
					t.Errorf("%d lives and %d requests, the second life killed: %v", len(lives), len(requests), lives[1].Killed)
				}
				seen -= test.requests // the third life sends all
			} else if len(lives) != 1 {
				t.Errorf("%d lives, want one", len(lives))
			}
			if seen != test.seen {
				t.Errorf("the store saw %d requests of the first life, want %d", seen, test.seen)
			}
		})
	}
}

func TestKillAtLogLineAndAfterTime(t *testing.T) {
	for name, trigger := range map[string]crash.Trigger{
		"log":  crash.AtLog(regexp.MustCompile(`^idling$`)),
		"time": crash.AfterBetween(faultproxy.Rand(1), time.Millisecond, 100*time.Millisecond),
	} {
		t.Run(name, func(t *testing.T) {
			seen := regexp.MustCompile(`idling`)
			lives, err := crash.Run{
				Program: self("idle"), Dir: t.TempDir(), Kill: []crash.Trigger{trigger},
				Until: func(_ context.Context, p *crash.Process) (bool, error) {
					// Only the second life's own line counts: the first one's process is not asked about.
					return strings.HasSuffix(p.Stdout, "2.stdout") && p.Logged(seen), nil
				},
			}.Do(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(lives) != 2 || !lives[0].Killed || lives[1].Killed {
				t.Errorf("lives are %+v", lives)
			}
			if output, err := os.ReadFile(lives[1].Stdout); err != nil || string(output) != "idling\n" {
				t.Errorf("output is %q, %v", output, err)
			}
		})
	}
}

func TestUntilStopsADaemon(t *testing.T) {
	store := startStore(t)
	lives, err := crash.Run{
		Program: self("daemon", store.URL, "3"), Dir: t.TempDir(),
		Until: func(context.Context, *crash.Process) (bool, error) { return store.seen() == 6, nil },
	}.Do(t.Context())
	if err != nil || len(lives) != 1 || lives[0].Killed {
		t.Errorf("lives are %+v, %v", lives, err)
	}
}

func TestFailures(t *testing.T) {
	broken := errors.New("cannot tell")
	tests := []struct {
		name string
		run  crash.Run
		want string
		is   error
	}{
		{"exit status", crash.Run{Program: self("broken")}, "out of order", nil},
		{"limit", crash.Run{Program: self("idle"), Limit: 300 * time.Millisecond}, "not done", context.DeadlineExceeded},
		{"condition", crash.Run{Program: self("idle"), Until: func(context.Context, *crash.Process) (bool, error) { return false, broken }}, "ask whether", broken},
		{"no program", crash.Run{Program: crash.Program{Path: "/nonexistent/program"}}, "start /nonexistent", os.ErrNotExist},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.run.Dir = t.TempDir()
			_, err := test.run.Do(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A kill takes the whole process group: here a shell and the child that it waits for.
func TestGroupDiesWithTheProgram(t *testing.T) {
	pid := t.TempDir() + "/pid"
	lives, err := crash.Run{
		Program: crash.Program{Path: "/bin/sh", Args: []string{"-c", `[ -e "$0" ] && exit; sleep 1000 & echo $! >"$0"; echo up; wait`, pid}},
		Dir:     t.TempDir(), Kill: []crash.Trigger{crash.AtLog(regexp.MustCompile(`^up$`))},
	}.Do(t.Context())
	if err != nil || len(lives) != 2 || !lives[0].Killed {
		t.Fatalf("lives are %+v, %v", lives, err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	// Nothing tells when a process that is not our child is gone.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for alive(child) {
		select {
		case <-ctx.Done():
			t.Fatal("the child outlived its group")
		case <-tick.C:
		}
	}
}

// alive counts a zombie, which only waits for its parent, as dead.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
