package kube

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// deadEnd is a way to a server that can go silent: connections stand, and nothing comes through any more.
type deadEnd struct {
	listener net.Listener
	silent   atomic.Bool

	mutex sync.Mutex
	conns []net.Conn
}

func newDeadEnd(t *testing.T, to string) *deadEnd {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &deadEnd{listener: listener}
	t.Cleanup(d.close)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			d.mutex.Lock()
			d.conns = append(d.conns, near, far)
			d.mutex.Unlock()
			go d.pass(far, near)
			go d.pass(near, far)
		}
	}()
	return d
}

func (d *deadEnd) close() {
	_ = d.listener.Close()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, conn := range d.conns {
		_ = conn.Close()
	}
}

// pass carries bytes until the way is silent; from then on it takes them and drops them.
func (d *deadEnd) pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if d.silent.Load() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestSilentStreams: a watch whose connection stands and is dead is noticed by the health check of HTTP/2, which client-go
// has in every transport that we make of its configuration.
func TestSilentStreams(t *testing.T) {
	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "1") // else 30
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "1")      // else 15
	release := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("%s comes by %s", r.URL, r.Proto)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	defer close(release)
	way := newDeadEnd(t, server.Listener.Addr().String())
	c, err := New(Options{
		Access: NewAccess(&rest.Config{
			Host:            "https://" + way.listener.Addr().String(),
			TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
		}),
		SystemNamespace: "s", Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stream, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace("s").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	way.silent.Store(true)
	begun := time.Now()
	for {
		select {
		case event, open := <-stream.ResultChan():
			if !open {
				t.Logf("noticed after %v", time.Since(begun))
				return
			}
			t.Logf("%+v", event)
		case <-time.After(time.Minute):
			t.Fatal("a minute later nobody has noticed")
		}
	}
}

// TestStreamsWithoutHeartbeat: a stream through which heartbeats came ends soon after the last one, any other when its time
// is over by far, and what came is told before that.
func TestStreamsWithoutHeartbeat(t *testing.T) {
	bookmark := func(annotations map[string]string) apiwatch.Event {
		return apiwatch.Event{Type: apiwatch.Bookmark, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}}
	}
	added := apiwatch.Event{Type: apiwatch.Added, Object: &metav1.PartialObjectMetadata{}}
	seconds := int64(400)
	for name, test := range map[string]struct {
		seconds *int64
		every   time.Duration
		times   int
		event   apiwatch.Event
		ends    time.Duration
	}{
		"heartbeats that stop":               {&seconds, time.Minute, 3, bookmark(nil), 3*time.Minute + silence},
		"heartbeats to the end":              {&seconds, time.Minute, 100, bookmark(nil), 400*time.Second + streamGrace},
		"none at all":                        {&seconds, time.Minute, 0, added, 400*time.Second + streamGrace},
		"the first list alone":               {&seconds, time.Second, 1, bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"}), 400*time.Second + streamGrace},
		"a server that sends none, and news": {&seconds, time.Minute, 2, added, 400*time.Second + streamGrace},
		"a stream for any time":              {nil, time.Minute, 0, added, streamLife},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apiwatch.NewFake()
				stream, begun, came := attend(server, test.seconds), time.Now(), 0
				go func() {
					for range test.times {
						time.Sleep(test.every)
						if server.IsStopped() {
							return
						}
						server.Action(test.event.Type, test.event.Object)
					}
				}()
				for range stream.ResultChan() {
					came++
				}
				if took := time.Since(begun); took != test.ends || came != min(test.times, int(test.ends/test.every)) {
					t.Errorf("it ended after %v and %d events, want %v", took, came, test.ends)
				}
				synctest.Wait()
				if !server.IsStopped() {
					t.Error("the stream itself goes on")
				}
				time.Sleep(time.Hour) // whoever sends has ended
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // whoever reads has gone, and nothing is left
		server := apiwatch.NewFake()
		stream := attend(server, nil)
		stream.Stop()
		stream.Stop()
		synctest.Wait()
		if _, open := <-stream.ResultChan(); open || !server.IsStopped() {
			t.Error("the stream goes on")
		}
	})
}
