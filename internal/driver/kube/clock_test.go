package kube

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// dated is an API server whose clock differs from ours.
func dated(t *testing.T, by time.Duration) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

func TestClock(t *testing.T) {
	for _, by := range []time.Duration{0, time.Second, 3 * time.Hour, -3 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			access := NewAccess(dated(t, by))
			c, err := New(Options{Access: access})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			if off := time.Until(c.Now()).Abs(); off > clockGrain {
				t.Errorf("before any answer the clock is %v off", off)
			}
			if err := c.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			if off := (time.Until(c.Now()) - by).Abs(); off > clockGrain {
				t.Errorf("the clock is %v off", off)
			}

			other, err := c.As("openstack", "charts")
			if err != nil {
				t.Fatal(err)
			}
			if off := (time.Until(other.Now()) - by).Abs(); off > clockGrain {
				t.Errorf("the clock of another account is %v off", off)
			}
		})
	}
}

func TestClockOfAnswersThatSayNothing(t *testing.T) {
	var c clock
	c.hear(http.Header{"Date": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}})
	c.hear(http.Header{})
	c.hear(http.Header{"Date": {"yesterday"}})
	if ahead := time.Until(c.now()); (ahead - time.Hour).Abs() > clockGrain {
		t.Errorf("it is ahead by %v", ahead)
	}
}

// TestAnotherAccountHasTheSame: what a connection has is there for another account as well, but for what writes.
func TestAnotherAccountHasTheSame(t *testing.T) {
	c, err := New(Options{Access: NewAccess(dated(t, 0)), Masker: redact.NewMasker(), LogLines: 1, Log: zerolog.New(io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	other, err := c.As("openstack", "charts")
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := reflect.ValueOf(c).Elem(), reflect.ValueOf(other).Elem()
	for i := range ours.NumField() {
		if name := ours.Type().Field(i).Name; name != "wg" && theirs.Field(i).IsZero() && !ours.Field(i).IsZero() {
			t.Errorf("it has no %s", name)
		}
	}
}
