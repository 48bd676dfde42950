//go:build beds

package daemon_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// switches hold what is wrong with parts of the world, by name.
type switches struct {
	mutex sync.Mutex
	off   map[string]error
}

func (s *switches) set(name string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.off == nil {
		s.off = map[string]error{}
	}
	s.off[name] = err
}

func (s *switches) get(name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.off[name]
}

// source is a directory that cannot be reached at times.
type source struct {
	*gitrepo.Source
	*switches
}

func (s source) Head(ctx context.Context) (gitrepo.Revision, error) {
	if err := s.get("source"); err != nil {
		return gitrepo.Revision{}, err
	}
	return s.Source.Head(ctx)
}

func (s source) Keep(string) error { return nil }

func (s source) Kept(context.Context) (*gitrepo.Tree, error) {
	return nil, errors.New("nothing was kept")
}

func (s source) Cached(context.Context) (*gitrepo.Tree, error) {
	return nil, errors.New("nothing was ever fetched")
}

// lab is a daemon that runs, over a world that can fail.
type lab struct {
	*switches
	t         *testing.T
	dir       string
	namespace string
	target    *branch
	lease     *kube.Lease
	changes   chan daemon.Change
	interval  time.Duration // between two polls
	address   string
	hooks     string // where webhooks are answered
	stop      context.CancelFunc
	done      chan error
}

// start runs a daemon. What is given as wrong is wrong from the start.
func start(t *testing.T, bed *cluster.Cluster, from func(*lab) revision.Source, wrong map[string]error) *lab {
	t.Helper()
	return startOver(t, bed.RESTConfig(), nil, &driver{there: map[addr.Object]bool{}}, from, wrong)
}

// startOver runs a daemon over a cluster that it asks itself whether it is there, or may not ask when
// ping is nil, and an OpenStack.
func startOver(t *testing.T, bed *rest.Config, ping func(context.Context) error, cloud engine.Driver, from func(*lab) revision.Source, wrong map[string]error) *lab {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	namespace := uniqueNamespace()
	l := &lab{
		switches: &switches{off: wrong}, t: t, dir: t.TempDir(), target: &branch{}, stop: stop, namespace: namespace,
		lease: leaseIn(namespace, "lab", bed), changes: make(chan daemon.Change, 1), done: make(chan error, 1),
		interval: time.Second,
	}
	write(t, l.dir, "main.hcl", configuration)
	tracker := revision.NewTracker(from(l), ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, l.get("facts") }, revision.Options{Language: schema.New()})
	shards := &store{shards: map[string]inventory.Shard{}}
	if ping == nil {
		ping = func(context.Context) error { return l.get("ping") }
	}
	listening, hooked := make(chan net.Addr, 1), make(chan net.Addr, 1)
	d := &daemon.Daemon{
		Tracker: tracker, Lease: l.lease, Changes: l.changes,
		Publisher: &daemon.Publisher{Target: l.target, Tracker: tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}},
		Ping:      ping,
		Engine: func(ctx context.Context, changed func()) (*engine.Engine, error) {
			if err := l.get("engine"); err != nil {
				return nil, err
			}
			entries, err := inventory.Open(ctx, shards)
			return engine.New(engine.Options{
				Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: cloud}, Inventory: entries,
				Marker: inventory.NewMarker("lab", redact.NewSecret("key")), Changed: changed, Log: zerolog.Nop(),
			}), err
		},
		Interval: l.interval, Grace: 10 * time.Second, Listen: "127.0.0.1:0", Log: zerolog.Nop(),
		Listening: func(address net.Addr) { listening <- address },
		Hooks: &daemon.Hooks{
			Listen: "127.0.0.1:0", Listening: func(address net.Addr) { hooked <- address },
			Secret: func() (redact.Secret, error) { return redact.NewSecret(hookSecret), l.get("secret") },
		},
	}
	go func() { l.done <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := await.Receive(t, l.done, "the end of the daemon"); err != nil {
			t.Error(err)
		}
	})
	l.hooks = "http://" + await.Receive(t, hooked, "the address of webhooks").String() + "/webhook"
	l.address = "http://" + await.Receive(t, listening, "the address").String()
	return l
}

func directory(l *lab) revision.Source {
	opened, err := gitrepo.Open(l.t.Context(), gitrepo.Options{URL: l.dir})
	if err != nil {
		l.t.Fatal(err)
	}
	return source{opened, l.switches}
}

// describe puts a configuration in the place of the one before. The daemon may look at any time, and sees one or the other.
func (l *lab) describe(hcl string) {
	l.t.Helper()
	beside := l.t.TempDir()
	write(l.t, beside, "main.hcl", hcl)
	must(l.t, os.Rename(filepath.Join(beside, "main.hcl"), filepath.Join(l.dir, "main.hcl")))
}

func (l *lab) get200(path string) string {
	l.t.Helper()
	status, text := l.ask(path)
	if status != http.StatusOK {
		l.t.Errorf("%s: %d %s", path, status, text)
	}
	return text
}

func (l *lab) ask(path string) (int, string) {
	l.t.Helper()
	response, err := http.Get(l.address + path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// unready waits until /readyz says no for a reason, and nothing else.
func (l *lab) unready(reason string) {
	l.t.Helper()
	await.Until(l.t, reason, func() bool {
		status, text := l.ask("/readyz")
		return status == http.StatusServiceUnavailable && text == reason+"\n"
	})
	if l.get200("/healthz") != "ok\n" {
		l.t.Error("a daemon that waits is taken for a dead one")
	}
}

func (l *lab) ready() {
	l.t.Helper()
	await.Until(l.t, "readiness", func() bool {
		status, _ := l.ask("/readyz")
		return status == http.StatusOK
	})
}

// measures waits until /metrics has these lines.
func (l *lab) measures(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		await.Until(l.t, line, func() bool { return strings.Contains(l.get200("/metrics"), "\n"+line+"\n") })
	}
}

// published waits until the report says something.
func (l *lab) published(text string) {
	l.t.Helper()
	await.Until(l.t, text+" in the report", func() bool {
		l.target.mutex.Lock()
		defer l.target.mutex.Unlock()
		return strings.Contains(string(l.target.files["status.json"]), text)
	})
}
