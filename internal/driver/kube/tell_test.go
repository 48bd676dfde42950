package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// eventServer takes events as an API server does.
type eventServer struct {
	asked chan string
	event chan corev1.Event
	fails atomic.Bool
}

func (w *eventServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var event corev1.Event
	err := json.NewDecoder(r.Body).Decode(&event)
	rw.Header().Set("Content-Type", "application/json")
	if w.fails.Load() {
		rw.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(rw, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"events is forbidden"}`)
	} else if err == nil {
		_ = json.NewEncoder(rw).Encode(event)
	}
	w.asked <- r.Method + " " + r.URL.Path
	w.event <- event
}

// TestTell: an event is written where those of objects without a namespace are, without secrets and no longer than the
// server takes; the same again counts, many of one object are few, and who may not write sends nothing.
func TestTell(t *testing.T) {
	server := &eventServer{asked: make(chan string, 1000), event: make(chan corev1.Event, 1000)}
	at := httptest.NewServer(server)
	defer at.Close()
	const secret = "canary-hunter2-of-a-service"
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(secret))
	var refuse atomic.Bool
	var asked atomic.Int64
	c, err := New(Options{
		Access: NewAccess(&rest.Config{Host: at.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}), Masker: masker, Log: zerolog.Nop(),
		Guard: func() error {
			asked.Add(1)
			if refuse.Load() {
				return unit.ErrNotWriter
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	keystone := unit.Told{
		Ref: unit.ShownRef(unit.KindShownService, "keystone"), Warning: true, Reason: "Failed",
		Message: "the database says " + secret + ": " + strings.Repeat("\u00e9", maxEvent),
	}
	c.tell(keystone, "u1")
	if request := <-server.asked; request != "POST /api/v1/namespaces/default/events" {
		t.Errorf("it is written by %s", request)
	}
	event := <-server.event
	if of := event.InvolvedObject; of.Kind != unit.KindShownService || of.APIVersion != unit.ShownVersion || of.Name != "keystone" || of.UID != "u1" || of.Namespace != "" {
		t.Errorf("it is of %+v", of)
	}
	if event.Type != corev1.EventTypeWarning || event.Reason != "Failed" || event.Source.Component != eventSource || event.Namespace != "default" {
		t.Errorf("it is %+v", event)
	}
	if strings.Contains(event.Message, "canary") || !strings.HasPrefix(event.Message, "the database says ") || len(event.Message) > maxEvent || !strings.HasSuffix(event.Message, "\u00e9\u2026") {
		t.Errorf("it says %d bytes: %s", len(event.Message), event.Message)
	}
	c.tell(keystone, "u1")
	if request := <-server.asked; request != "PATCH /api/v1/namespaces/default/events/"+event.Name {
		t.Errorf("the same again is written by %s", request)
	}
	<-server.event

	// Nobody who may not write does, and nothing is tried again of that.
	refuse.Store(true)
	before := asked.Load()
	c.tell(unit.Told{Ref: keystone.Ref, Reason: "Ready", Message: "it works"}, "u1")
	await.Until(t, "the guard to be asked", func() bool { return asked.Load() > before })
	refuse.Store(false)
	c.tell(unit.Told{Ref: unit.ShownRef(unit.KindShownCloud, "prod"), Reason: "Ready", Message: "all of it"}, "u2")
	<-server.asked
	if event = <-server.event; event.InvolvedObject.Name != "prod" {
		t.Errorf("after the lease was lost it is written that %s", event.Message)
	}

	// What the server refuses keeps nothing waiting that comes after it.
	server.fails.Store(true)
	c.tell(unit.Told{Ref: unit.ShownRef(unit.KindShownCloud, "prod"), Reason: "Refused", Message: "a commit"}, "u2")
	<-server.asked
	<-server.event
	server.fails.Store(false)
	for i := range 500 {
		c.tell(unit.Told{Ref: keystone.Ref, Reason: fmt.Sprint("Failed", i), Message: fmt.Sprint("for the reason ", i)}, "u1")
	}
	c.tell(unit.Told{Ref: unit.ShownRef(unit.KindShownService, "glance"), Reason: "Ready", Message: "it works"}, "u3")
	n := 0
	for event = range server.event {
		<-server.asked
		if event.InvolvedObject.Name == "glance" {
			break
		}
		n++
	}
	if n > 25 {
		t.Errorf("of one object %d events are written", n)
	}
}
