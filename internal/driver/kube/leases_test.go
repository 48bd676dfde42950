package kube_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// leases is as much of an API server as a lease takes.
type leases struct {
	mutex   sync.Mutex
	content []byte                         // of the lease, as JSON; nil while there is none
	dead    bool                           // no request is answered
	mute    bool                           // nor refused
	writes  int                            // of the lease that came about
	handed  func(by, before, after string) // when set, told of each write, and who had the lease before it and after
}

// sender is a header that names who sends a request.
const sender = "X-Sender"

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
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if there := l.stored(); there != nil && (r.Method == http.MethodPost || lease.ResourceVersion != there.ResourceVersion) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}`)
			return
		} else if there != nil || r.Method == http.MethodPost {
			l.store(r.Header.Get(sender), lease)
		}
	}
	if l.content == nil {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		return
	}
	_, _ = w.Write(l.content)
}

// stored is the lease, nil while there is none; the mutex is held, here and below.
func (l *leases) stored() *coordinationv1.Lease {
	if l.content == nil {
		return nil
	}
	lease := &coordinationv1.Lease{}
	if err := json.Unmarshal(l.content, lease); err != nil {
		panic(err) // it was made here
	}
	return lease
}

func (l *leases) held() string {
	if lease := l.stored(); lease != nil && lease.Spec.HolderIdentity != nil {
		return *lease.Spec.HolderIdentity
	}
	return ""
}

// store keeps a lease as it was sent.
func (l *leases) store(by string, lease coordinationv1.Lease) {
	before := l.held()
	l.writes++
	lease.Kind, lease.APIVersion, lease.ResourceVersion = "Lease", "coordination.k8s.io/v1", strconv.Itoa(l.writes)
	content, err := json.Marshal(lease)
	if err != nil {
		panic(err) // it was decoded before
	}
	l.content = content
	if l.handed != nil {
		l.handed(by, before, l.held())
	}
}

// holder returns who has the lease.
func (l *leases) holder() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.held()
}

// delete deletes the lease.
func (l *leases) delete() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.content = nil
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

// lease returns one that lies in this cluster.
func (l *leases) lease(identity string) *kube.Lease {
	lease := kube.NewLease("kupenstack-system", identity, zerolog.Nop())
	lease.Access = kube.NewAccess(&rest.Config{Host: "http://cluster.test", Transport: l})
	return lease
}

// The lease is held until work has returned, even when that takes its time after the end was asked
// for.
func TestLeaseOutlivesItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		lease := (&leases{}).lease("first")
		err := lease.Hold(ctx, nil, func(working context.Context) error {
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
		hold := func(name string) *kube.Lease {
			lease := server.lease(kube.Identity("kupenstack-sync"))
			lease.Notice = func(holder string) {
				select {
				case met <- holder:
				default: // one word is enough
				}
			}
			group.Go(func() {
				_ = lease.Hold(ctx, nil, func(ctx context.Context) error {
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

// TestWaitingBesideADeadCluster: who waits for the lease is told when the cluster does not answer, and when it
// does again.
func TestWaitingBesideADeadCluster(t *testing.T) {
	for _, mute := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &leases{mute: mute, content: []byte(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"kupenstack"},` +
				`"spec":{"holderIdentity":"another","leaseDurationSeconds":36000,"renewTime":"2000-01-01T00:00:00.000000Z"}}`)}
			ctx, stop := context.WithCancel(t.Context())
			var mutex sync.Mutex
			told := errors.New("nothing yet")
			ended := make(chan error, 1)
			go func() {
				ended <- server.lease("standby").Hold(ctx, func(err error) {
					mutex.Lock()
					defer mutex.Unlock()
					told = err
				}, func(context.Context) error { return errors.New("it works beside another") })
			}()
			after := func(wait time.Duration, answers bool) {
				t.Helper()
				time.Sleep(wait)
				synctest.Wait()
				mutex.Lock()
				defer mutex.Unlock()
				if answers != (told == nil) || !answers && !strings.HasPrefix(told.Error(), "ask for the lease: ") {
					t.Errorf("mute %v: %v later it has been told %v", mute, wait, told)
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
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestLeaseOfNoCluster: without a cluster there is no lease to be had.
func TestLeaseOfNoCluster(t *testing.T) {
	lease := kube.NewLease("kupenstack-system", "first", zerolog.Nop())
	_, held := lease.Held(t.Context())
	hold := lease.Hold(t.Context(), nil, func(context.Context) error { return nil })
	for _, err := range []error{held, hold} {
		if err == nil || !strings.Contains(err.Error(), "where the cluster is") {
			t.Errorf("error %v", err)
		}
	}
}
