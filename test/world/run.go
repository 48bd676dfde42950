package world

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// Result is how a command ended.
type Result struct {
	Code           int
	Stdout, Stderr string
	CPU            time.Duration // that it used, of users and system
}

// Run runs kupenstack-sync to its end.
func (w *World) Run(t testing.TB, limit time.Duration, args ...string) Result {
	t.Helper()
	return w.run(t, w.env, limit, args)
}

// RunWith runs kupenstack-sync with other variables.
func (w *World) RunWith(t testing.TB, variables []string, limit time.Duration, args ...string) Result {
	t.Helper()
	return w.run(t, w.Env(variables...), limit, args)
}

// RunUntil does the same, and calls then once when the command says a text.
func (w *World) RunUntil(t testing.TB, limit time.Duration, text string, then func()) Result {
	t.Helper()
	return w.run(t, w.env, limit, nil, &alarm{text: []byte(text), ring: then})
}

// alarm rings once when a text has been written to it.
type alarm struct {
	text, said []byte
	ring       func()
}

func (a *alarm) Write(p []byte) (int, error) {
	if a.ring == nil {
		return len(p), nil
	}
	if a.said = append(a.said, p...); bytes.Contains(a.said, a.text) {
		a.ring()
		a.ring, a.said = nil, nil
	}
	return len(p), nil
}

// run also gives standard error to all who listen, while it comes.
func (w *World) run(t testing.TB, env []string, limit time.Duration, args []string, listeners ...io.Writer) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, w.Sync, args...)
	command.Env, command.Dir = env, w.dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, io.MultiWriter(append(listeners, &stderr)...)
	// A test that is cut off leaves nothing behind; the kernel goes by the thread that starts the process.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	err := command.Run()
	runtime.UnlockOSThread()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("kupenstack-sync %s: %v", strings.Join(args, " "), err)
	}
	r := Result{
		Code: command.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String(),
		CPU: command.ProcessState.UserTime() + command.ProcessState.SystemTime(),
	}
	w.NoSecrets(t, "the output of kupenstack-sync", r.Stdout+r.Stderr)
	return r
}

// Running is a daemon.
type Running struct {
	*process.Process
	URL string // of /healthz and its like
}

// StartDaemon starts kupenstackd. It is killed at the end of the test at the latest.
func (w *World) StartDaemon(t testing.TB, name string, args ...string) *Running {
	t.Helper()
	return w.startDaemon(t, w.env, name, args)
}

func (w *World) startDaemon(t testing.TB, env []string, name string, args []string) *Running {
	t.Helper()
	started, err := process.Start(filepath.Join(w.dir, "daemons"), process.Spec{
		Name: name, Args: append([]string{w.Daemon, "--interval", "1s", "--listen", "127.0.0.1:0", "--log-level", "debug"}, args...), Env: env, Dir: w.dir, Bound: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &Running{Process: started}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		w.NoSecrets(t, "what "+name+" answers", r.answers(ctx))
		if err := started.Stop(ctx, 30*time.Second); err != nil {
			t.Errorf("stop %s: %v", name, err)
		}
		log := started.LogTail(64 << 20)
		w.NoSecrets(t, "the log of "+name, log)
		w.NoSecrets(t, "the last report", w.wholeReport(t))
		told, err := w.ToldInCluster(ctx)
		if err != nil {
			t.Error(err)
		}
		w.NoSecrets(t, "what the cluster tells", told)
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", name, started.LogTail(8<<10))
		}
	})
	Await(t, 5*time.Minute, func() (bool, string) {
		log := started.LogTail(64 << 10)
		if found := listening.FindStringSubmatch(log); found != nil {
			r.URL = "http://" + found[1]
		}
		return r.URL != "", log
	})
	return r
}

// StartPass starts a pass of kupenstack-sync behind the proxies. It is killed at the end of the test at the latest.
func (p *Proxies) StartPass(t testing.TB, name string, args ...string) *process.Process {
	t.Helper()
	started, err := process.Start(filepath.Join(p.world.dir, "passes"), process.Spec{Name: name, Args: append([]string{p.world.Sync}, args...), Env: p.env, Dir: p.world.dir, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := started.Stop(ctx, 0); err != nil {
			t.Errorf("stop %s: %v", name, err)
		}
		p.world.NoSecrets(t, "the output of "+name, started.LogTail(64<<20))
	})
	return started
}

// answers are what a daemon says of itself, as far as it still answers.
func (r *Running) answers(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second) // one that sleeps answers nothing
	defer cancel()
	var all strings.Builder
	for _, path := range []string{"/readyz", "/metrics"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+path, nil)
		if err != nil {
			continue // it never came to answer
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // the test has ended it
		}
		_, _ = io.Copy(&all, response.Body) // what came counts
		_ = response.Body.Close()
	}
	return all.String()
}

// wholeReport is all that the status branch has now.
func (w *World) wholeReport(t testing.TB) string {
	t.Helper()
	if w.Repository.Hash(t, "refs/heads/"+StatusBranch) == "" {
		return ""
	}
	files := w.Repository.Tree(t, "refs/heads/"+StatusBranch)
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all.WriteString(name + "\n" + files[name] + "\n")
	}
	return all.String()
}

// listening finds the address in the daemon's log.
var listening = regexp.MustCompile(`"address":"([^"]+)"`)
