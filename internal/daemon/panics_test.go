package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

const panicCanary = "canary-of-a-panic"

// whichPanics says where the daemon of this process has a mistake, in a test that started it.
const whichPanics = "DAEMON_TEST_PANIC"

// mistaken is a source whose look panics.
type mistaken struct{ *hanging }

func (mistaken) Head(context.Context) (gitrepo.Revision, error) {
	panic(errors.New(panicCanary))
}

// TestPanicsInGoroutines: a mistake in what the daemon does beside its calls of drivers ends it, says where that was, and tells
// nobody what it was panicked with: neither what is read of Git nor of the cluster.
func TestPanicsInGoroutines(t *testing.T) {
	places := map[string]func(*office){
		"a look at the repository":  func(o *office) { o.Tracker = o.track(mistaken{o.source}) },
		"what is done beside":       func(o *office) { o.Keep = func(context.Context, func(error)) { panic(panicCanary) } },
		"where the cluster is told": func(o *office) { o.Suspend = func(_ context.Context, tell func(error)) { tell(unreadable{}) } },
	}
	if which := os.Getenv(whichPanics); which != "" {
		o := newOffice(t, false)
		o.source.answers(true)
		o.Listen = "127.0.0.1:0"
		places[which](o)
		_ = o.Run(t.Context())
		return
	}
	for which := range places {
		t.Run(which, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicsInGoroutines$")
			command.Env = append(os.Environ(), whichPanics+"="+which)
			output, err := command.CombinedOutput()
			for _, want := range []string{"panic: ", "a mistake of this program, a panic with a ", " in daemon_test.", "panics_test.go:", "internal/daemon."} {
				if err == nil || !strings.Contains(string(output), want) {
					t.Errorf("it ended with %v, and lacks %q:\n%s", err, want, output)
				}
			}
			if strings.Contains(string(output), panicCanary) {
				t.Errorf("it tells the value:\n%s", output)
			}
		})
	}
}

// unreadable is an error that nobody can read.
type unreadable struct{}

func (unreadable) Error() string { panic(panicCanary) }

// TestPanicsOfRequests: a mistake in what answers a request ends that, and the log says where it was.
func TestPanicsOfRequests(t *testing.T) {
	var log logged
	o := newOffice(t, false)
	o.Listen, o.Log = "127.0.0.1:0", zerolog.New(&log)
	o.Rendered = func() uint64 { panic(panicCanary) }
	o.Hooks = &daemon.Hooks{Listen: "127.0.0.1:0", Secret: func() (redact.Secret, error) { panic(panicCanary) }}
	o.Prepare()
	hooks, health, err := o.Answers(t.Context())
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+hooks.String()+"/webhook", strings.NewReader("{}"))
	must(t, err)
	request.Header.Set("X-Signature", "sha256="+strings.Repeat("0", 64))
	if response, err := http.DefaultClient.Do(request); err == nil {
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		t.Errorf("it answers %s %s", response.Status, text)
	}
	if code, err := fetch(t, health, "/metrics"); err == nil {
		t.Errorf("metrics are answered with %d", code)
	}
	if said := log.String(); strings.Count(said, "a panic was contained") != 2 || !strings.Contains(said, "panics_test.go:") || strings.Contains(said, panicCanary) {
		t.Errorf("the log says %s", said)
	}
	if code, err := fetch(t, health, "/healthz"); err != nil || code != http.StatusOK {
		t.Errorf("others are answered with %d, %v", code, err)
	}
}

// logged is a log that is read while it is written.
type logged struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

func fetch(t *testing.T, at net.Addr, path string) (code int, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.String()+path, http.NoBody)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
