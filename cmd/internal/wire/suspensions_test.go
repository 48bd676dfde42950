package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// told is an API server whose clock differs from ours, and that keeps what people tell by command.
type told struct {
	by time.Duration

	mutex   sync.Mutex
	data    map[string]string // by the path of the ConfigMap
	refuses bool              // nothing is written
}

func (k *told) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	w.Header().Set("Date", time.Now().Add(k.by).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	configMap := func() map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "s", "resourceVersion": "1"},
			"data": map[string]any{"instructions": k.data[r.URL.Path]},
		}
	}
	var answer any
	switch {
	case r.URL.Path == "/api":
		answer = map[string]any{"kind": "APIVersions", "versions": []string{"v1"}}
	case r.URL.Path == "/apis":
		answer = map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}
	case r.URL.Path == "/api/v1":
		answer = map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			map[string]any{"name": "secrets", "kind": "Secret", "namespaced": true, "verbs": []string{"get"}},
			map[string]any{"name": "configmaps", "kind": "ConfigMap", "namespaced": true, "verbs": []string{"get", "update"}},
		}}
	case r.URL.Path == "/api/v1/namespaces/s/secrets/kupenstack-installation":
		answer = map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"id": "aWQ=", "key": "a2V5"}}
	case r.Method == http.MethodPut && k.refuses:
		w.WriteHeader(http.StatusForbidden)
		answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": http.StatusForbidden}
	case r.Method == http.MethodPut && k.data[r.URL.Path] != "":
		var sent struct{ Data map[string]string }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		k.data[r.URL.Path] = sent.Data["instructions"]
		answer = configMap()
	case k.data[r.URL.Path] != "":
		answer = configMap()
	default:
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// TestWhatIsToldGoesByTheClusterClock: whoever suspends something takes nobody else's suspension away that is not over for
// the daemon, and leaves none that is; and a request says when it was made as the daemon sees that.
func TestWhatIsToldGoesByTheClusterClock(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			const path = "/api/v1/namespaces/s/configmaps/kupenstack-"
			now := time.Now().Add(by)
			before, err := suspension.Encode([]suspension.Suspension{
				{Target: addr.MustParseObject("service.nova"), By: "alice", Since: now.Add(-time.Hour), Until: now.Add(time.Hour)},
				{Target: addr.MustParseObject("service.glance"), By: "bob", Since: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)},
			})
			if err != nil {
				t.Fatal(err)
			}
			none, err := request.Encode(nil)
			if err != nil {
				t.Fatal(err)
			}
			kept := &told{by: by, data: map[string]string{path + suspensions: string(before), path + requests: string(none)}}
			server := httptest.NewServer(kept)
			t.Cleanup(server.Close)
			s := &System{Flags: &Flags{Namespace: "s"}, told: map[string]string{}}
			if s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.cluster.Close)

			var names []string
			err = s.ChangeSuspensions(t.Context(), func(list []suspension.Suspension) []suspension.Suspension {
				return suspension.With(list, suspension.Suspension{Target: addr.MustParseObject("service.cinder"), By: "carol", Since: s.Now(), Until: s.Now().Add(15 * time.Minute)})
			})
			if err != nil {
				t.Fatal(err)
			}
			list, err := s.Suspensions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range list {
				names = append(names, one.Name())
				if left := one.Until.Sub(now); one.By == "carol" && (left-15*time.Minute).Abs() > time.Minute {
					t.Errorf("what is suspended for 15m is so for %v", left)
				}
			}
			slices.Sort(names)
			if want := []string{"service.cinder", "service.nova"}; !slices.Equal(names, want) {
				t.Errorf("suspended are %v, not %v", names, want)
			}

			if _, err := s.Ask(t.Context(), "carol", nil); err != nil {
				t.Fatal(err)
			}
			asked, _, err := s.readRequests(t.Context())
			if err != nil || len(asked) != 1 || asked[0].At.Sub(now).Abs() > time.Minute {
				t.Errorf("asked was for %+v, %v", asked, err)
			}
		})
	}
}

// TestResuspend: what an engine changes is written once, and not at all where it stays as it is.
func TestResuspend(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/namespaces/s/configmaps/kupenstack-suspensions"
	alice := suspension.Suspension{Target: addr.MustParseObject("volume.db"), By: "alice", Since: time.Now().Add(-time.Hour)}
	over := suspension.Suspension{Target: addr.MustParseObject("volume.old"), By: "bob", Until: time.Now().Add(-time.Minute)}
	before, err := suspension.Encode([]suspension.Suspension{alice, over})
	if err != nil {
		t.Fatal(err)
	}
	kept := &told{data: map[string]string{path: string(before)}}
	server := httptest.NewServer(kept)
	t.Cleanup(server.Close)
	s := &System{Flags: &Flags{Namespace: "s"}, told: map[string]string{}}
	if s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	e := engine.New(engine.Options{})
	if err := s.resuspend(t.Context(), e, slices.Clone); err != nil || kept.data[path] != string(before) {
		t.Errorf("unchanged it became %s: %v", kept.data[path], err)
	}
	moved := func(list []suspension.Suspension) []suspension.Suspension {
		return suspension.With(list, suspension.Suspension{Target: addr.MustParseObject("volume.main"), By: "alice"})
	}
	if err := s.resuspend(t.Context(), e, moved); err != nil {
		t.Fatal(err)
	}
	list, err := s.Suspensions(t.Context())
	if err != nil || len(list) != 2 || list[1].Name() != "volume.main" {
		t.Errorf("kept are %v: %v", list, err)
	}
	kept.data[path] = "damaged"
	if err := s.resuspend(t.Context(), e, moved); err == nil || kept.data[path] != "damaged" {
		t.Errorf("what cannot be read became %s: %v", kept.data[path], err)
	}
}

// nothing is a store in which there is nothing.
type nothing struct{ inventory.Store }

func (nothing) Load(context.Context) (map[string]inventory.Shard, error) { return nil, nil }

// TestResuspendFails: what was read counts although it cannot be changed: nobody reads it once more, and it may be news.
func TestResuspendFails(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/namespaces/s/configmaps/kupenstack-suspensions"
	news, err := suspension.Encode([]suspension.Suspension{{Target: addr.MustParseObject("volume.db"), By: "alice", Since: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	kept := &told{data: map[string]string{path: string(news)}, refuses: true}
	server := httptest.NewServer(kept)
	t.Cleanup(server.Close)
	s := &System{Flags: &Flags{Namespace: "s"}, told: map[string]string{}}
	if s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	entries, err := inventory.Open(t.Context(), nothing{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Language: schema.New(), Inventory: entries})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); e.Run(ctx, time.Second) }()
	defer func() { stop(); <-ended }()
	if err := e.Submit(ctx, &engine.Revision{ID: "one"}); err != nil {
		t.Fatal(err)
	}
	moved := func(list []suspension.Suspension) []suspension.Suspension {
		return suspension.With(list, suspension.Suspension{Target: addr.MustParseObject("volume.main"), By: "alice"})
	}
	if err := s.resuspend(ctx, e, moved); err == nil {
		t.Fatal("it was changed")
	}
	if err := e.Heard(ctx); err != nil {
		t.Fatal(err)
	}
	if held := e.Snapshot().Suspensions; len(held) != 1 || held[0].Name() != "volume.db" {
		t.Errorf("the engine leaves alone %v", held)
	}

	over, end := context.WithCancel(ctx)
	end()
	for range 100 { // of a context that has ended it may be told all the same
		s.told[suspensions] = "1"
		if err := s.hand(over, e, nil); err != nil {
			break
		}
	}
	if _, read := s.told[suspensions]; read {
		t.Error("what no engine was told of counts as read")
	}
}
