package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// leases is as much of an API server as a lease takes.
type leases struct {
	mutex sync.Mutex
	lease []byte // as JSON; nil while there is none
	dead  bool   // no request is answered
	mute  bool   // nor refused
}

func (l *leases) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if path.Base(path.Dir(r.URL.Path)) == "namespaces" {
		_, _ = io.WriteString(w, `{"kind":"Namespace","apiVersion":"v1"}`)
		return
	}
	if r.Method != http.MethodGet {
		content, err := io.ReadAll(r.Body)
		var lease coordinationv1.Lease
		if err == nil {
			_, _, err = scheme.Codecs.UniversalDeserializer().Decode(content, nil, &lease)
		}
		if err == nil {
			lease.Kind, lease.APIVersion = "Lease", "coordination.k8s.io/v1"
			l.lease, err = json.Marshal(lease)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	if l.lease == nil {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		return
	}
	_, _ = w.Write(l.lease)
}

// RoundTrip answers without a network, so that the lease can be tested under a clock of its own.
func (l *leases) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	l.mutex.Lock()
	dead, mute := l.dead, l.mute
	l.mutex.Unlock()
	switch {
	case dead && mute:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case dead:
		return nil, errors.New("no route to the cluster")
	}
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (l *leases) config() *rest.Config {
	return &rest.Config{Host: "http://cluster.test", Transport: l}
}

// The lease is held until work has returned, even when that takes its time after the end was asked
// for.
func TestLeaseOutlivesItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		lease := daemon.NewLease("kupenstack-system", "first", zerolog.Nop())
		err := lease.Hold(ctx, (&leases{}).config(), func(working context.Context) error {
			stop()
			<-working.Done()
			time.Sleep(10 * time.Minute) // of the bubble's clock: many renewals
			return lease.Guard()
		})
		if err != nil {
			t.Errorf("the lease was given back before the work had ended: %v", err)
		}
		if lease.Guard() == nil {
			t.Error("the lease was not given back")
		}
	})
}

// TestTwoOfOneProgram: two processes of one program, with the same id and the same name of their host as
// two containers can have them, are not in charge at once.
func TestTwoOfOneProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &leases{}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		began, met, leave := make(chan string, 2), make(chan string, 1), make(chan struct{})
		var group sync.WaitGroup
		hold := func(name string) *daemon.Lease {
			lease := daemon.NewLease("kupenstack-system", daemon.Identity("kupenstack-sync"), zerolog.Nop())
			lease.Notice = func(holder string) {
				select {
				case met <- holder:
				default: // one word is enough
				}
			}
			group.Go(func() {
				_ = lease.Hold(ctx, server.config(), func(ctx context.Context) error {
					began <- name
					select {
					case <-leave:
					case <-ctx.Done():
					}
					return nil
				})
			})
			return lease
		}
		first := hold("first")
		synctest.Wait() // also until it has been told of itself
		if len(began) != 1 || first.Holder() == "" {
			t.Fatal("nobody is in charge")
		}
		second := hold("second")
		time.Sleep(10 * time.Minute) // of the bubble's clock: many times what a lease lasts
		synctest.Wait()
		if len(began) != 1 || len(met) != 1 {
			t.Fatalf("%d are in charge, and the second one has met %d", len(began), len(met))
		}
		if holder := <-met; holder != first.Holder() || second.Guard() == nil || first.Guard() != nil {
			t.Errorf("the second one met %s, and %s is in charge; the guards say %v and %v", holder, first.Holder(), first.Guard(), second.Guard())
		}
		stop()
		close(leave)
		group.Wait()
	})
}

func (l *leases) die(dead bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.dead = dead
}

// TestStandbyOfADeadCluster: who waits for the lease is not ready while the cluster does not answer.
func TestStandbyOfADeadCluster(t *testing.T) {
	for _, mute := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &leases{mute: mute, lease: []byte(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"kupenstack"},` +
				`"spec":{"holderIdentity":"another","leaseDurationSeconds":36000,"renewTime":"2000-01-01T00:00:00.000000Z"}}`)}
			ctx, stop := context.WithCancel(t.Context())
			d := &daemon.Daemon{
				Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{}), Publisher: &daemon.Publisher{}, Cluster: server.config(),
				Lease: daemon.NewLease("kupenstack-system", "standby", zerolog.Nop()), Ping: func(context.Context) error { return nil }, Log: zerolog.Nop(),
			}
			ended := make(chan struct{})
			go func() { defer close(ended); d.TakeTurns(ctx) }()
			after := func(wait time.Duration, ready bool) {
				t.Helper()
				time.Sleep(wait)
				synctest.Wait()
				problems := strings.Join(d.Problems(), "\n")
				if ready != (problems == "") || !ready && !strings.Contains(problems, "cluster: ask for the lease: ") {
					t.Errorf("mute %v: %v later it has these problems: %q", mute, wait, problems)
				}
			}
			after(time.Minute, true)
			server.die(true)
			after(5*time.Second, true) // a moment without an answer is no outage
			after(15*time.Second, false)
			after(10*time.Minute, false)
			server.die(false)
			after(15*time.Second, true)
			stop()
			<-ended
		})
	}
}
